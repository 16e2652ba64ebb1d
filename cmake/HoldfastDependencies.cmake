# Finds the libraries from which Holdfast is built. A change here must also be made in holdfast-config.cmake.in.

# Libraries that scripts/setup unpacked take precedence over those of the system, and a Boost that the environment names
# takes precedence over both.
if(EXISTS "${PROJECT_SOURCE_DIR}/.deps/usr")
    list(PREPEND CMAKE_PREFIX_PATH "${PROJECT_SOURCE_DIR}/.deps/usr")
endif()
if(POLICY CMP0144)
    cmake_policy(SET CMP0144 NEW) # newer versions of CMake read BOOST_ROOT themselves
endif()
if(NOT "$ENV{BOOST_ROOT}" STREQUAL "")
    list(PREPEND CMAKE_PREFIX_PATH "$ENV{BOOST_ROOT}")
endif()

# A parent project links to these through holdfast, so it must see them.
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)

set(HOLDFAST_BOOST_VERSION 1.91) # the first with the Boost.Redis that Holdfast is written for
find_package(Boost ${HOLDFAST_BOOST_VERSION} CONFIG QUIET)
if(NOT Boost_FOUND)
    message(FATAL_ERROR "Boost ${HOLDFAST_BOOST_VERSION} or newer was not found. Run scripts/setup, or set "
                        "CMAKE_PREFIX_PATH (see docs/building.md).")
endif()
message(STATUS "Boost ${Boost_VERSION}: ${Boost_DIR}")

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(OpenSSL 3.0 REQUIRED)
find_package(spdlog 1.9 REQUIRED)
if(HOLDFAST_SPDLOG_HEADER_ONLY)
    set(holdfast_spdlog spdlog::spdlog_header_only $<TARGET_NAME_IF_EXISTS:fmt::fmt-header-only>)
else()
    set(holdfast_spdlog spdlog::spdlog)
endif()

if(HOLDFAST_PROMETHEUS)
    find_package(prometheus-cpp REQUIRED) # it states no version
endif()
if(HOLDFAST_OPENTELEMETRY)
    # Without a version: its package accepts no version but its own.
    find_package(opentelemetry-cpp QUIET)
    if(NOT opentelemetry-cpp_FOUND)
        if(NOT HOLDFAST_OPENTELEMETRY STREQUAL "AUTO")
            message(FATAL_ERROR "opentelemetry-cpp was not found (HOLDFAST_OPENTELEMETRY)")
        endif()
        message(STATUS "opentelemetry-cpp was not found: holdfast::opentelemetry is not built")
        set(HOLDFAST_OPENTELEMETRY OFF)
    endif()
endif()
if(HOLDFAST_TESTING)
    find_package(PkgConfig REQUIRED)
    pkg_search_module(holdfast_lua REQUIRED IMPORTED_TARGET GLOBAL ${HOLDFAST_LUA})
endif()
