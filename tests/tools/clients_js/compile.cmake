# The TypeScript library into PACKAGE/dist; is flatc's output in it that of SCHEMA? And into PACKAGE/wire the same with flatc's object
# API, for the other end in tests.  cmake -D TSC= -D FLATC= -D LIBRARY= -D SCHEMA= -D PACKAGE= -P compile.cmake
file(REMOVE_RECURSE ${PACKAGE}/dist ${PACKAGE}/wire)
foreach(options "" --gen-object-api)
  execute_process(COMMAND ${FLATC} --ts --ts-flat-files ${options} -o ${PACKAGE}/wire ${SCHEMA} COMMAND_ERROR_IS_FATAL ANY)
  if(NOT options)
    execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${PACKAGE}/wire/marchland_generated.ts ${LIBRARY}/src/marchland_generated.ts
      RESULT_VARIABLE differs)
  endif()
endforeach()
if(differs)
  message(FATAL_ERROR "marchland_generated.ts is not what flatc makes of ${SCHEMA}: run npm run generate in ${LIBRARY}")
endif()
execute_process(COMMAND ${TSC} -p ${LIBRARY} --outDir ${PACKAGE}/dist COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${TSC} --target ES2020 --module ES2020 --moduleResolution node ${PACKAGE}/wire/marchland_generated.ts
  COMMAND_ERROR_IS_FATAL ANY)
