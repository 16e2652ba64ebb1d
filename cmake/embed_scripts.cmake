# cmake -DOUTPUT=<header> "-DFILES=<a.lua;b.lua...>" -P embed_scripts.cmake
#
# Writes a header with the text of each script and the SHA1 of exactly that text, and the same once more with 'spublish' in
# place of 'publish', for sharded messages. The comment at the head of a script is for readers of the repository and is
# left out: the server would parse it on every EVAL. A line "-- include <part>" is replaced by the text of
# parts/<part>.lua, which several scripts share; it ends the comment at the head, too.

# Reads a file without its first lines that match: these are comments, or empty.
function(read_without_head file line out)
    file(READ "${file}" text)
    while(NOT text MATCHES "^-- include " AND text MATCHES "^(${line})\n")
        string(LENGTH "${CMAKE_MATCH_0}" length)
        string(SUBSTRING "${text}" ${length} -1 text)
    endwhile()
    set(${out} "${text}" PARENT_SCOPE)
endfunction()

function(embed file out)
    get_filename_component(name "${file}" NAME_WE)
    read_without_head("${file}" "--[^\n]*|[ \t]*" text)
    while(text MATCHES "(^|\n)-- include ([a-z_]+)\n")
        set(part "${CMAKE_MATCH_2}")
        get_filename_component(folder "${file}" DIRECTORY)
        read_without_head("${folder}/parts/${part}.lua" "--[^\n]*" shared)
        string(REPLACE "-- include ${part}\n" "${shared}" text "${text}")
    endwhile()
    if(text MATCHES "(^|\n)[ \t]*(-- *include[^\n]*)")
        message(FATAL_ERROR "${file}: not a line '-- include <part>': ${CMAKE_MATCH_2}")
    endif()
    string(FIND "${text}" ")lua\"" collision)
    if(NOT name MATCHES "^[a-z][a-z0-9_]*$" OR text STREQUAL "" OR NOT collision EQUAL -1)
        message(FATAL_ERROR "${file}: its name is not an identifier, or it is empty, or it contains )lua\"")
    endif()
    string(SHA1 sha1 "${text}")
    string(REPLACE "'publish'" "'spublish'" sharded "${text}")
    string(SHA1 sharded_sha1 "${sharded}")
    set(${out} "inline constexpr script ${name}{
    \"${name}\",
    R\"lua(${text})lua\",
    \"${sha1}\",
    {R\"lua(${sharded})lua\", \"${sharded_sha1}\"}};
" PARENT_SCOPE)
endfunction()

set(body "")
set(names "")
foreach(file IN LISTS FILES)
    embed("${file}" definition)
    string(APPEND body "${definition}\n")
    get_filename_component(name "${file}" NAME_WE)
    string(APPEND names "    ${name},\n")
endforeach()

file(WRITE "${OUTPUT}" "// Generated from scripts/lua/*.lua by cmake/embed_scripts.cmake; do not edit.
#ifndef HOLDFAST_SCRIPTS_GENERATED_HPP
#define HOLDFAST_SCRIPTS_GENERATED_HPP

#include \"engine/port/script.hpp\"

namespace holdfast::engine::scripts {

${body}// All of them, for tests and diagnostics.
inline constexpr script all[] = {
${names}};

}  // namespace holdfast::engine::scripts

#endif
")
