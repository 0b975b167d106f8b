# Run by cmake --install: writes engine's headers as they are installed into STAGING_DIR.
# In: SOURCE_DIR, STAGING_DIR.

file(REMOVE_RECURSE ${STAGING_DIR})
file(GLOB headers RELATIVE ${SOURCE_DIR} 
  ${SOURCE_DIR}/engine/*.h ${SOURCE_DIR}/engine/frame/*.h ${SOURCE_DIR}/engine/index/*.h
  ${SOURCE_DIR}/engine/sweep/*.h)
foreach(header IN LISTS headers)
  file(READ ${SOURCE_DIR}/${header} text)
  string(REPLACE "#include \"engine/" "#include \"marchland/engine/" text "${text}")
  file(WRITE ${STAGING_DIR}/marchland/${header} "${text}")
endforeach()
