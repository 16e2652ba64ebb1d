# holdfast_embed_scripts(<target> DIRECTORY <dir> SCRIPTS <stem>... [PARTS <stem>...])
#
# Makes <dir>/<stem>.lua available to the sources of <target> as holdfast::engine::scripts::<stem>, declared in the
# generated header "scripts_generated.hpp". Parts are <dir>/parts/<stem>.lua, which scripts include.
function(holdfast_embed_scripts target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "DIRECTORY" "SCRIPTS;PARTS")
    set(generator "${PROJECT_SOURCE_DIR}/cmake/embed_scripts.cmake")
    set(generated "${PROJECT_BINARY_DIR}/generated")
    set(header "${generated}/scripts_generated.hpp")
    list(TRANSFORM arg_SCRIPTS REPLACE "(.+)" "${arg_DIRECTORY}/\\1.lua" OUTPUT_VARIABLE files)
    list(SORT files)
    list(TRANSFORM arg_PARTS REPLACE "(.+)" "${arg_DIRECTORY}/parts/\\1.lua" OUTPUT_VARIABLE parts)

    add_custom_command(
        OUTPUT "${header}"
        COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${header}" "-DFILES=${files}" -P "${generator}"
        DEPENDS ${files} ${parts} "${generator}"
        COMMENT "Embedding Lua scripts"
        VERBATIM)
    target_sources(${target} PRIVATE "${header}")
    target_include_directories(${target} PRIVATE "${generated}")
endfunction()
