# cmake --install: the engine (docs/library.md) and the client (docs/clients.md) as libraries for other projects.
#
#   lib/libmarchland_engine.a     include/marchland/engine/*.h                              lib/cmake/marchland/
#   lib/libmarchland_client.so    include/marchland/client/*.h, marchland/net/*.h, marchland.h
#   find_package(marchland) gives the targets marchland::engine and marchland::client.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set_target_properties(marchland_engine PROPERTIES EXPORT_NAME engine)
add_library(marchland::engine ALIAS marchland_engine)
target_include_directories(marchland_engine INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(marchland_engine PUBLIC cxx_std_20)

# Headers name each other from the project's root, "engine/ids.h". Where they are installed they stand
# below marchland/, and say so: a game has an engine/ of its own. See docs/decisions/0006.
install(CODE "
  set(SOURCE_DIR [==[${PROJECT_SOURCE_DIR}]==])
  set(STAGING_DIR [==[${PROJECT_BINARY_DIR}/installed_headers]==])
  set(WITH_CLIENT $<NOT:$<BOOL:${MARCHLAND_ENGINE_ONLY}>>)
  include([==[${PROJECT_SOURCE_DIR}/cmake/MarchlandInstalledHeaders.cmake]==])
")
install(DIRECTORY ${PROJECT_BINARY_DIR}/installed_headers/
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS marchland_engine EXPORT marchland_targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/marchland)
install(EXPORT marchland_targets NAMESPACE marchland:: DESTINATION ${package_dir}
  FILE marchlandTargets.cmake)

# A static library hands what it links to whoever links it: the consumer has to find that, too.
get_target_property(engine_links marchland_engine LINK_LIBRARIES)
set(MARCHLAND_FIND_DEPENDENCIES "")
if("hwy::hwy" IN_LIST engine_links)
  set(MARCHLAND_FIND_DEPENDENCIES "find_dependency(hwy)")
endif()
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/marchlandConfig.cmake.in
  ${PROJECT_BINARY_DIR}/marchlandConfig.cmake
  INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/marchlandConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/marchlandConfig.cmake
  ${PROJECT_BINARY_DIR}/marchlandConfigVersion.cmake
  DESTINATION ${package_dir})
