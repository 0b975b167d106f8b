# Third-party libraries, all from the distribution (tools/setup installs them). Imported targets are
# SYSTEM: our warnings do not reach into their headers. Who may use which: docs/decisions.

find_package(hwy REQUIRED)                # engine: SIMD for the machine at hand
if(MARCHLAND_ENGINE_ONLY)
  return()
endif()

find_package(Threads REQUIRED)
find_package(TBB REQUIRED)                # shards: the arena
find_package(SQLite3 REQUIRED)            # shards: what survives a restart
find_package(spdlog REQUIRED)             # shards, net, tools
find_package(Boost 1.81 CONFIG REQUIRED)  # net, tools: headers only
find_package(PkgConfig REQUIRED)
pkg_check_modules(rhonabwy REQUIRED IMPORTED_TARGET librhonabwy jansson)  # net: tokens
pkg_check_modules(liburing REQUIRED IMPORTED_TARGET liburing)  # net, tools: batches of sends
find_package(FlatBuffers REQUIRED)        # net, tools: runtime and flatc
find_package(OpenSSL REQUIRED)            # net: TLS
find_package(prometheus-cpp CONFIG REQUIRED)  # net: metrics
find_package(tomlplusplus REQUIRED)       # config
find_package(CLI11 REQUIRED)              # tools

if(MARCHLAND_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
endif()
