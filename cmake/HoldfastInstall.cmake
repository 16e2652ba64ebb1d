# The install rules: libraries, public headers, tool, licence, and what find_package(holdfast) and pkg-config read. The
# components are the packages of Debian: a program needs `library` to run and `development` to be built.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/holdfast")

install(TARGETS holdfast EXPORT holdfast-targets
    LIBRARY COMPONENT library NAMELINK_COMPONENT development
    ARCHIVE COMPONENT development
    FILE_SET HEADERS COMPONENT development)
install(EXPORT holdfast-targets NAMESPACE holdfast:: DESTINATION "${package_dir}" COMPONENT development)
if(TARGET holdfast_testing) # a component of the package
    install(TARGETS holdfast_testing EXPORT holdfast-testing-targets
        ARCHIVE COMPONENT development
        FILE_SET HEADERS COMPONENT development)
    install(EXPORT holdfast-testing-targets NAMESPACE holdfast:: DESTINATION "${package_dir}" COMPONENT development)
endif()
if(TARGET holdfast_prometheus) # another one
    install(TARGETS holdfast_prometheus EXPORT holdfast-prometheus-targets
        LIBRARY COMPONENT library NAMELINK_COMPONENT development
        ARCHIVE COMPONENT development
        FILE_SET HEADERS COMPONENT development)
    install(EXPORT holdfast-prometheus-targets NAMESPACE holdfast:: DESTINATION "${package_dir}" COMPONENT development)
endif()
if(TARGET holdfast_opentelemetry) # another one
    install(TARGETS holdfast_opentelemetry EXPORT holdfast-opentelemetry-targets
        LIBRARY COMPONENT library NAMELINK_COMPONENT development
        ARCHIVE COMPONENT development
        FILE_SET HEADERS COMPONENT development)
    install(EXPORT holdfast-opentelemetry-targets NAMESPACE holdfast:: DESTINATION "${package_dir}"
        COMPONENT development)
endif()
if(TARGET holdfast_cli)
    install(TARGETS holdfast_cli RUNTIME COMPONENT tool)
    install(FILES "${PROJECT_SOURCE_DIR}/packaging/completion/holdfast.bash"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" RENAME holdfast COMPONENT tool)
    set(zsh_functions site-functions)
    if(HOLDFAST_DEB)
        set(zsh_functions vendor-completions)
    endif()
    install(FILES "${PROJECT_SOURCE_DIR}/packaging/completion/_holdfast"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/${zsh_functions}" COMPONENT tool)
endif()
if(NOT HOLDFAST_DEB) # Debian wants the licence in a file of another form
    install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT development)
endif()
include(HoldfastPkgConfig)

configure_package_config_file(
    "${CMAKE_CURRENT_LIST_DIR}/holdfast-config.cmake.in" "${PROJECT_BINARY_DIR}/holdfast-config.cmake"
    INSTALL_DESTINATION "${package_dir}"
    NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(
    "${PROJECT_BINARY_DIR}/holdfast-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(
    FILES "${PROJECT_BINARY_DIR}/holdfast-config.cmake" "${PROJECT_BINARY_DIR}/holdfast-config-version.cmake"
    DESTINATION "${package_dir}"
    COMPONENT development)
