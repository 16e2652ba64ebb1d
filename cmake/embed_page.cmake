# cmake -DOUTPUT=<header> "-DFILES=<a.html;b.js...>" -P embed_page.cmake
#
# Writes a header with all files, as holdfast::cli::dashboard::page_parts.

set(type_html "text/html; charset=utf-8")
set(type_css "text/css; charset=utf-8")
set(type_js "text/javascript; charset=utf-8")
set(type_svg "image/svg+xml")
set(body "")
foreach(file IN LISTS FILES)
    get_filename_component(name "${file}" NAME)
    get_filename_component(extension "${file}" LAST_EXT)
    string(REPLACE "." "type_" type "${extension}")
    file(READ "${file}" text)
    string(FIND "${text}" ")page\"" collision)
    if(NOT name MATCHES "^[a-z_]+[.][a-z]+$" OR NOT DEFINED ${type} OR text STREQUAL "" OR NOT collision EQUAL -1)
        message(FATAL_ERROR "${file}: of an unknown type, or empty, or it contains )page\"")
    endif()
    string(REGEX REPLACE "^page[.]html$" "" path "${name}")
    string(APPEND body "    page_part{\"/${path}\", \"${${type}}\", R\"page(${text})page\"},\n")
endforeach()

file(WRITE "${OUTPUT}" "// Generated from tool/dashboard/page by cmake/embed_page.cmake; do not edit.
#ifndef HOLDFAST_PAGE_GENERATED_HPP
#define HOLDFAST_PAGE_GENERATED_HPP

#include <array>
#include <string_view>

namespace holdfast::cli::dashboard {

struct page_part {
    std::string_view path;
    std::string_view type;
    std::string_view text;
};

inline constexpr std::array page_parts{
${body}};

}  // namespace holdfast::cli::dashboard

#endif
")
