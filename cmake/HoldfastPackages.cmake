# The packages of Debian, by CPack: `cmake --preset deb && cmake --build --preset deb && cpack --preset deb`. Included if
# HOLDFAST_DEB is set, which expects a shared library in the prefix /usr (preset `deb`). scripts/check_packages tries them.
#
# | package         | component   |                                                                       |
# |-----------------|-------------|-----------------------------------------------------------------------|
# | libholdfast0.1  | library     | named after the SONAME, so that two versions fit beside each other    |
# | libholdfast-dev | development | headers, link, static library of holdfast::testing, CMake, pkg-config |
# | holdfast        | tool        | the tool, with its manual page                                        |

find_program(gzip gzip REQUIRED)
set(debian "${PROJECT_SOURCE_DIR}/packaging/debian")
set(generated "${PROJECT_BINARY_DIR}/debian")
get_target_property(soversion holdfast SOVERSION)

set(package_library libholdfast${soversion})
set(package_development libholdfast-dev)
set(package_tool holdfast)

# What each package has in /usr/share/doc/<package>.
file(MAKE_DIRECTORY "${generated}")
execute_process(COMMAND "${gzip}" -9 -n -c "${debian}/changelog"
    OUTPUT_FILE "${generated}/changelog.Debian.gz" COMMAND_ERROR_IS_FATAL ANY)
foreach(component IN ITEMS library development tool)
    install(FILES "${debian}/copyright" "${generated}/changelog.Debian.gz"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${package_${component}}" COMPONENT ${component})
endforeach()

# The manual page is what the tool itself prints.
set(manual "${generated}/holdfast.1")
add_custom_command(
    OUTPUT "${manual}.gz"
    COMMAND "${CMAKE_COMMAND}" "-DTOOL=$<TARGET_FILE:holdfast_cli>" "-DVERSION=${PROJECT_VERSION}" "-DOUTPUT=${manual}"
            -P "${PROJECT_SOURCE_DIR}/packaging/man_page.cmake"
    COMMAND "${gzip}" -9 -n -f "${manual}"
    DEPENDS holdfast_cli "${PROJECT_SOURCE_DIR}/packaging/man_page.cmake"
    VERBATIM)
add_custom_target(holdfast_manual ALL DEPENDS "${manual}.gz")
install(FILES "${manual}.gz" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT tool)

file(STRINGS "${debian}/changelog" entry LIMIT_COUNT 1)
string(REGEX REPLACE "^holdfast \\((.+)-([^-]+)\\) .*$" "\\1;\\2" entry "${entry}")
list(GET entry 0 CPACK_PACKAGE_VERSION)
list(GET entry 1 CPACK_DEBIAN_PACKAGE_RELEASE)
if(NOT CPACK_PACKAGE_VERSION STREQUAL PROJECT_VERSION)
    message(FATAL_ERROR "packaging/debian/changelog is of version ${CPACK_PACKAGE_VERSION}, not of ${PROJECT_VERSION}")
endif()
file(STRINGS "${debian}/changelog" signature REGEX "^ -- " LIMIT_COUNT 1)
string(REGEX REPLACE "^ -- (.*>)  .*$" "\\1" CPACK_PACKAGE_CONTACT "${signature}")

set(CPACK_GENERATOR DEB)
set(CPACK_SOURCE_GENERATOR "")
set(CPACK_PACKAGE_NAME holdfast)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL library development tool)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}/src") # the tool needs our own library
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
foreach(component IN ITEMS library development tool)
    string(TOUPPER ${component} COMPONENT)
    set(CPACK_DEBIAN_${COMPONENT}_PACKAGE_NAME ${package_${component}})
    set(CPACK_DEBIAN_${COMPONENT}_PACKAGE_SHLIBDEPS ON)
endforeach()

# The long descriptions; the synopsis of all three is that of the project.
set(about "Holdfast is a C++20 library of locks in Redis or Valkey that several processes
share: mutexes, fair and reentrant locks, read-write locks, locks over several
servers, with leases that are renewed and report their loss, and fencing.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA "${debian}/triggers")
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "${about}

This package contains the shared library.")

# Boost: the headers must be those of the version with which the library was built, which Debian 13 has in
# trixie-backports only, and Debian 12 not at all. So it is no dependency.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DEVELOPMENT_DEPENDS library)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS
    "libboost${Boost_VERSION_MAJOR}.${Boost_VERSION_MINOR}-dev, pkgconf | pkg-config")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "liblua5.1-0-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "${about}

This package contains the headers, and the in-process server for tests. The
headers of Boost must be of the version ${Boost_VERSION_MAJOR}.${Boost_VERSION_MINOR}, wherever they come from.")

set(CPACK_DEBIAN_TOOL_PACKAGE_SECTION utils)
set(CPACK_COMPONENT_TOOL_DEPENDS library)
set(CPACK_COMPONENT_TOOL_DESCRIPTION "The tool holdfast runs a command while it holds a lock in Redis or Valkey, so
that only one of several machines runs it. It shows and releases locks, and
checks whether a server is suitable for them.")

include(CPack)
