# holdfast_add_test(<name>
#     LABELS <label>...          what `ctest -L` selects: unit, simulation, integration, conformance, threads ...
#     SOURCES <file>...
#     [LIBRARIES <target>...]
#     [TIMEOUT <seconds>]        120 unless given
#     [SHARDS <n>]               runs its test cases in n processes side by side: for tests that wait rather than compute
#     [SERIAL])                  never runs at the same time as another test: for tests that measure time
#
# One Catch2 program and one ctest entry of the same name; of several shards each has an entry, <name>_<shard>. Its
# sources see the private headers (`#include "engine/hold/arbiter.hpp"`) and those of test/support (`#include
# "support/..."`). Target `tests-<label>` builds all programs of a label. A test without sources is left out.
function(holdfast_add_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "SERIAL" "TIMEOUT;SHARDS" "LABELS;SOURCES;LIBRARIES")
    if(arg_UNPARSED_ARGUMENTS OR NOT arg_LABELS)
        message(FATAL_ERROR "holdfast_add_test(${name}): no LABELS, or unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
    endif()
    if(NOT arg_SOURCES)
        return()
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 120)
    endif()
    if(NOT arg_SHARDS)
        set(arg_SHARDS 1)
    endif()

    add_executable(${name} ${arg_SOURCES})
    target_link_libraries(${name} PRIVATE holdfast_test_support ${arg_LIBRARIES} Catch2::Catch2WithMain)
    target_precompile_headers(${name} REUSE_FROM holdfast_test_pch)
    set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/test")

    math(EXPR last "${arg_SHARDS} - 1")
    foreach(shard RANGE ${last})
        set(entry ${name})
        if(last)
            string(APPEND entry _${shard})
        endif()
        add_test(NAME ${entry} COMMAND ${name} --durations no --shard-count ${arg_SHARDS} --shard-index ${shard})
        set_tests_properties(${entry} PROPERTIES
            LABELS "${arg_LABELS}"
            TIMEOUT ${arg_TIMEOUT}
            COST ${arg_TIMEOUT} # the longest first, also in a folder of which ctest has no times yet
            RUN_SERIAL ${arg_SERIAL}
            SKIP_RETURN_CODE 4) # Catch2: all of them were skipped
    endforeach()
    foreach(label IN LISTS arg_LABELS)
        if(NOT TARGET tests-${label})
            add_custom_target(tests-${label})
        endif()
        add_dependencies(tests-${label} ${name})
    endforeach()
endfunction()
