# The install rules: libraries, public headers, tool, licence, and the package that find_package(holdfast) reads.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/holdfast")

install(TARGETS holdfast EXPORT holdfast-targets FILE_SET HEADERS)
install(EXPORT holdfast-targets NAMESPACE holdfast:: DESTINATION "${package_dir}")
if(TARGET holdfast_testing) # a component of the package
    install(TARGETS holdfast_testing EXPORT holdfast-testing-targets FILE_SET HEADERS)
    install(EXPORT holdfast-testing-targets NAMESPACE holdfast:: DESTINATION "${package_dir}")
endif()
if(TARGET holdfast_cli)
    install(TARGETS holdfast_cli)
endif()
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")

configure_package_config_file(
    "${CMAKE_CURRENT_LIST_DIR}/holdfast-config.cmake.in" "${PROJECT_BINARY_DIR}/holdfast-config.cmake"
    INSTALL_DESTINATION "${package_dir}"
    NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(
    "${PROJECT_BINARY_DIR}/holdfast-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(
    FILES "${PROJECT_BINARY_DIR}/holdfast-config.cmake" "${PROJECT_BINARY_DIR}/holdfast-config-version.cmake"
    DESTINATION "${package_dir}")
