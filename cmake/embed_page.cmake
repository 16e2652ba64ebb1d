# cmake -DOUTPUT=<header> "-DFILES=<a.html;b.js...>" -P embed_page.cmake
#
# Writes a header with the text of each file, as holdfast::cli::dashboard::page::<stem>_<extension>.

set(body "")
foreach(file IN LISTS FILES)
    get_filename_component(name "${file}" NAME)
    string(REPLACE "." "_" name "${name}")
    file(READ "${file}" text)
    string(FIND "${text}" ")page\"" collision)
    if(NOT name MATCHES "^[a-z][a-z0-9_]*$" OR text STREQUAL "" OR NOT collision EQUAL -1)
        message(FATAL_ERROR "${file}: its name is not an identifier, or it is empty, or it contains )page\"")
    endif()
    string(APPEND body "inline constexpr std::string_view ${name} = R\"page(${text})page\";\n\n")
endforeach()

file(WRITE "${OUTPUT}" "// Generated from tool/dashboard/page by cmake/embed_page.cmake; do not edit.
#ifndef HOLDFAST_PAGE_GENERATED_HPP
#define HOLDFAST_PAGE_GENERATED_HPP

#include <string_view>

namespace holdfast::cli::dashboard::page {

${body}}  // namespace holdfast::cli::dashboard::page

#endif
")
