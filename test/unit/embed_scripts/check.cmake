# cmake -DEMBED=<cmake/embed_scripts.cmake> -DOUTPUT=<header> -P check.cmake
#
# Embeds the scripts of this folder, and compares the texts with what they must be.

function(embed script out_status)
    execute_process(
        COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${OUTPUT}" "-DFILES=${CMAKE_CURRENT_LIST_DIR}/${script}.lua" -P "${EMBED}"
        RESULT_VARIABLE status
        ERROR_QUIET)
    set(${out_status} "${status}" PARENT_SCOPE)
endfunction()

embed(early_include status)
file(READ "${OUTPUT}" header)
string(REGEX MATCH "R\"lua\\(([^)]*)\\)lua\"" text "${header}")
set(text "${CMAKE_MATCH_1}")
set(expected "local second = 2
local first = second
local second = 2
-- A comment that stays.
return first + second
")
if(NOT status EQUAL 0 OR NOT text STREQUAL expected)
    message(SEND_ERROR "early_include.lua: status ${status}, expected\n${expected}\nbut the text is\n${text}")
endif()

embed(unknown_include status)
if(status EQUAL 0)
    message(SEND_ERROR "unknown_include.lua: a line that includes nothing is no error")
endif()
