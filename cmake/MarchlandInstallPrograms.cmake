# cmake --install, what MarchlandInstall.cmake does not: programs, man pages, completion, configuration, the systemd unit
# and the client libraries in TypeScript and Python; and cpack -G DEB, which makes a package of all of it (docs/operating.md, "Install").
#
# The configuration is in etc/ below the prefix, but for /usr in /etc.

set(programs marchland-server marchland-bots marchland-trace marchland-layout marchland-token marchland-admin)
install(TARGETS marchland_client_shared EXPORT marchland_targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS ${programs} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

# Man pages and completion are what the programs say of their own command lines.
set(manual_dir ${PROJECT_BINARY_DIR}/manual)
install(CODE "
  file(MAKE_DIRECTORY ${manual_dir})
  foreach(program ${programs})
    foreach(file \${program}.1=man \${program}.bash=completion-bash _\${program}=completion-zsh)
      string(REGEX REPLACE \"=.*\" \"\" name \${file})
      string(REGEX REPLACE \".*=\" \"\" what \${file})
      execute_process(COMMAND ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/\${program} --print-\${what}
        OUTPUT_FILE ${manual_dir}/\${name} COMMAND_ERROR_IS_FATAL ANY)
    endforeach()
  endforeach()
  set(etc \"\${CMAKE_INSTALL_PREFIX}/etc\")
  if(CMAKE_INSTALL_PREFIX STREQUAL \"/usr\")
    set(etc /etc)
  endif()
  set(BIN \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}\")
  set(ETC \"\${etc}\")
  configure_file(${PROJECT_SOURCE_DIR}/packaging/marchland-server.service.in ${manual_dir}/marchland-server.service @ONLY)
  # The one in force stays: it is the operator's.
  if(NOT EXISTS \"\$ENV{DESTDIR}\${etc}/marchland/zone.toml\")
    file(INSTALL ${PROJECT_SOURCE_DIR}/config/demo.toml DESTINATION \"\${etc}/marchland\" RENAME zone.toml)
  endif()
")
foreach(program ${programs})
  install(FILES ${manual_dir}/${program}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${manual_dir}/${program}.bash RENAME ${program}
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${manual_dir}/_${program} DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
endforeach()
install(FILES
  ${manual_dir}/marchland-server.service
  ${PROJECT_SOURCE_DIR}/packaging/marchland-server.socket
  DESTINATION lib/systemd/system)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/config/layouts DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
install(FILES ${PROJECT_SOURCE_DIR}/config/secure.toml DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/tools/clients/js DESTINATION ${CMAKE_INSTALL_DATADIR}/marchland/clients
  FILES_MATCHING PATTERN "*.ts" PATTERN "*.json" PATTERN "*.md" PATTERN dist EXCLUDE PATTERN node_modules EXCLUDE)
install(DIRECTORY ${PROJECT_BINARY_DIR}/python/marchland DESTINATION lib/python3/dist-packages
  FILES_MATCHING PATTERN "*.py")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/marchland/clients/js)
install(FILES ${PROJECT_SOURCE_DIR}/net/schema/marchland.fbs DESTINATION ${CMAKE_INSTALL_DATADIR}/marchland)

set(CPACK_GENERATOR DEB)
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_NAME marchland)
set(CPACK_PACKAGE_CONTACT "the Marchland developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "zone server for shared worlds: sharded interest management over TCP and WebSocket")
set(CPACK_PACKAGE_FILE_NAME marchland)
set(CPACK_DEBIAN_PACKAGE_SECTION games)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS python3-flatbuffers)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
  ${PROJECT_SOURCE_DIR}/packaging/postinst ${PROJECT_SOURCE_DIR}/packaging/prerm
  ${PROJECT_SOURCE_DIR}/packaging/postrm ${PROJECT_SOURCE_DIR}/packaging/conffiles)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
