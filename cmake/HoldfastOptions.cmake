# The options of this build. A project that adds Holdfast as a subdirectory gets the library and nothing else.

include(CMakeDependentOption)

option(BUILD_SHARED_LIBS "Build holdfast as a shared library" OFF)
option(HOLDFAST_TESTING "Build holdfast::testing, the in-process server behind memory:// URLs (needs Lua 5.1)"
       ${PROJECT_IS_TOP_LEVEL})
option(HOLDFAST_PROMETHEUS "Build holdfast::prometheus, the statistics for prometheus-cpp" OFF)
set(HOLDFAST_OPENTELEMETRY OFF CACHE STRING
    "Build holdfast::opentelemetry, spans for opentelemetry-cpp: ON, OFF, or AUTO: if opentelemetry-cpp is found")
set_property(CACHE HOLDFAST_OPENTELEMETRY PROPERTY STRINGS ON OFF AUTO)
set(HOLDFAST_LUA lua5.1 lua-5.1 luajit CACHE STRING "Modules of pkg-config for Lua 5.1; the first that is there is used")
option(HOLDFAST_SPDLOG_HEADER_ONLY
       "Use spdlog and fmt as headers: their packaged libraries are for libstdc++, not libc++" OFF)
set(HOLDFAST_MOST_IDLE 1024 CACHE STRING
    "Objects of each kind whose memory a thread keeps for the next ones; 0 lets memory checkers see every end")
option(HOLDFAST_WERROR "Treat warnings in Holdfast's own code as errors" OFF)
option(HOLDFAST_BUILD_TOOL "Build the command line tool `holdfast`" ${PROJECT_IS_TOP_LEVEL})
cmake_dependent_option(HOLDFAST_BUILD_TESTS "Build the tests, which use what a shared library hides"
    ${PROJECT_IS_TOP_LEVEL} "HOLDFAST_TESTING;NOT BUILD_SHARED_LIBS" OFF)
option(HOLDFAST_BUILD_BENCH "Build the benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(HOLDFAST_BUILD_EXAMPLES "Build the examples of the documentation" ${PROJECT_IS_TOP_LEVEL})
option(HOLDFAST_INSTALL "Generate the install rules" ${PROJECT_IS_TOP_LEVEL})
cmake_dependent_option(HOLDFAST_DEB "Let CPack make the packages of Debian" OFF
    "HOLDFAST_INSTALL;HOLDFAST_TESTING;HOLDFAST_BUILD_TOOL;BUILD_SHARED_LIBS" OFF)

if(PROJECT_IS_TOP_LEVEL)
    if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
        set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
    endif()
    set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
    set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
endif()
