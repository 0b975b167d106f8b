# Is tools/pages/play/play.js what its sources make?  cmake -D TSC= -D PAGE= -D BUILT= -P play_page.cmake
execute_process(COMMAND ${TSC} -p ${PAGE} --outFile ${BUILT} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${PAGE}/play.js ${BUILT} RESULT_VARIABLE differs)
if(differs)
  message(FATAL_ERROR "play.js is not what its sources make: run tsc -p tools/pages/play")
endif()
