# Run at build time (cmake -P): writes OUTPUT from TEMPLATE if its content would change.
# In: SOURCE_DIR, VERSION, TEMPLATE, OUTPUT.

set(COMMIT unknown)
find_program(git_program git)
if(git_program)
  # A copy of the sources inside somebody else's repository is not at that repository's top.
  execute_process(COMMAND ${git_program} rev-parse --show-prefix
    WORKING_DIRECTORY ${SOURCE_DIR} RESULT_VARIABLE failed OUTPUT_VARIABLE prefix
    ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(failed EQUAL 0 AND prefix STREQUAL "")
    execute_process(COMMAND ${git_program} describe --always --dirty --abbrev=12 --exclude=*
      WORKING_DIRECTORY ${SOURCE_DIR} RESULT_VARIABLE failed OUTPUT_VARIABLE described
      ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(failed EQUAL 0 AND described)
      set(COMMIT ${described})
    endif()
  endif()
endif()

configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
