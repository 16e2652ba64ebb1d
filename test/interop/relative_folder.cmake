# cmake -DBUILD=<redisson_peer/build> -DFOLDER=<an empty folder> -P relative_folder.cmake
#
# Calls the script in FOLDER with a relative folder, and with a javac that fails: the script says so in that folder.

file(REMOVE_RECURSE "${FOLDER}")
file(WRITE "${FOLDER}/bin/javac" "#!/bin/sh\nexit 1\n")
file(CHMOD "${FOLDER}/bin/javac" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
execute_process(
    COMMAND "${CMAKE_COMMAND}" -E env "PATH=${FOLDER}/bin:$ENV{PATH}" "${BUILD}" peer/classes
    WORKING_DIRECTORY "${FOLDER}"
    RESULT_VARIABLE status
    OUTPUT_QUIET)
if(NOT status EQUAL 0 OR NOT EXISTS "${FOLDER}/peer/classes/skipped")
    message(FATAL_ERROR "status ${status}, and ${FOLDER}/peer/classes/skipped is not there")
endif()
