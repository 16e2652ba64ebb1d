# cmake -DTOOL=<program> -DVERSION=<version> -DOUTPUT=<file> -P man_page.cmake
#
# Writes the manual page of the tool: its --help, and that of each subcommand, as they are.

function(help_of out) # [SUBCOMMAND]: as text of a manual page, whose lines begin with no '.' or "'"
    execute_process(COMMAND "${TOOL}" ${ARGN} --help OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
    string(REPLACE "\\" "\\e" text "${text}")
    string(REPLACE "-" "\\-" text "${text}")
    string(REGEX REPLACE "(^|\n)([.'])" "\\1\\\\&\\2" text "${text}")
    set(${out} ".nf\n${text}.fi\n" PARENT_SCOPE)
endfunction()

execute_process(COMMAND "${TOOL}" --help OUTPUT_VARIABLE overview COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "^.*\nSubcommands:\n" "" overview "${overview}")
string(REGEX MATCHALL "(^|\n)  [a-z]+ " subcommands "${overview}")
if(NOT subcommands)
    message(FATAL_ERROR "${TOOL} --help lists no subcommands")
endif()

help_of(text)
set(page ".TH HOLDFAST 1 \"\" \"holdfast ${VERSION}\" \"User Commands\"
.SH NAME
holdfast \\- distributed locks over Redis, for the command line
.SH SYNOPSIS
.B holdfast
.I SUBCOMMAND
[\\fIOPTIONS\\fR]
.SH DESCRIPTION
${text}")
foreach(subcommand IN LISTS subcommands)
    string(STRIP "${subcommand}" subcommand)
    help_of(text ${subcommand})
    string(TOUPPER "${subcommand}" title)
    string(APPEND page ".SH \"HOLDFAST ${title}\"\n${text}")
endforeach()
file(WRITE "${OUTPUT}" "${page}")
