# Installs holdfast.pc and holdfast-testing.pc. They find the prefix from the place where they are, so that an installed
# tree may be moved.

set(pkgconfig_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig"
    OUTPUT_VARIABLE up_to_prefix)

# Without --static pkg-config leaves out Requires.private. A static library alone would not link then.
set(requires "")
if(NOT BUILD_SHARED_LIBS)
    set(requires " openssl")
    if(NOT HOLDFAST_SPDLOG_HEADER_ONLY)
        string(APPEND requires " spdlog")
    endif()
endif()

set(modules holdfast)
if(TARGET holdfast_testing)
    list(APPEND modules holdfast-testing)
endif()
foreach(module IN LISTS modules)
    configure_file("${PROJECT_SOURCE_DIR}/packaging/pkgconfig/${module}.pc.in" "${PROJECT_BINARY_DIR}/${module}.pc" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/${module}.pc" DESTINATION "${pkgconfig_dir}" COMPONENT development)
endforeach()
