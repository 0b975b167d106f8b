# Makes the play page's script, with the package flatbuffers before it, and says whether tools/pages/play/play.js is that.
#   cmake -D TSC= -D PAGE= -D FLATBUFFERS= -D BUILT= -P play_page.cmake
execute_process(COMMAND ${TSC} -p ${PAGE} --outFile ${BUILT} COMMAND_ERROR_IS_FATAL ANY)
file(READ ${FLATBUFFERS}/package.json package)
string(JSON version GET ${package} version)
file(READ ${FLATBUFFERS}/js/flatbuffers.min.js flatbuffers)
file(READ ${BUILT} page)
file(WRITE ${BUILT} "// flatbuffers ${version}, https://github.com/google/flatbuffers, Apache-2.0\n${flatbuffers}${page}")
execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${PAGE}/play.js ${BUILT} RESULT_VARIABLE differs)
if(differs)
  message(FATAL_ERROR "play.js is not what its sources make: cp ${BUILT} ${PAGE}/play.js")
endif()
