# Run by cmake --install: writes the headers of the engine and of the client library as they are installed into STAGING_DIR.
# In: SOURCE_DIR, STAGING_DIR, WITH_CLIENT.

file(REMOVE_RECURSE ${STAGING_DIR})
file(GLOB headers RELATIVE ${SOURCE_DIR}
  ${SOURCE_DIR}/engine/*.h ${SOURCE_DIR}/engine/frame/*.h ${SOURCE_DIR}/engine/index/*.h
  ${SOURCE_DIR}/engine/sweep/*.h)
if(WITH_CLIENT)
  # What a client's interface shows: the messages, and the sessions.
  list(APPEND headers net/error_code.h net/messages.h net/service_messages.h)
  foreach(name address client drawing seen_world service session way_in)
    list(APPEND headers tools/clients/cpp/${name}.h)
  endforeach()
  file(COPY ${SOURCE_DIR}/tools/clients/cpp/marchland.h DESTINATION ${STAGING_DIR})
endif()
foreach(header IN LISTS headers)
  file(READ ${SOURCE_DIR}/${header} text)
  string(REGEX REPLACE "#include \"(engine|net)/" "#include \"marchland/\\1/" text "${text}")
  string(REPLACE "#include \"tools/clients/cpp/" "#include \"marchland/client/" text "${text}")
  string(REPLACE "tools/clients/cpp/" "client/" header "${header}")
  file(WRITE ${STAGING_DIR}/marchland/${header} "${text}")
endforeach()
