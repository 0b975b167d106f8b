#include "tools/server/command_line.h"

#include "tools/command_line/parse.h"
#include "marchland_version.h"

#include <cstdint>
#include <iostream>
#include <string>

namespace marchland::server {

std::variant<CommandLine, int> parse_command_line(int argc, const char* const* argv) {
    CLI::App app("Marchland zone server: one map, cut into shards, over TCP.", "marchland-server");
    app.set_version_flag("--version", "marchland-server " + std::string(version) + " (" +
                                          std::string(version_commit) + ")");
    app.footer(
        "SIGINT or SIGTERM stops the server in order, a second one at once. SIGHUP reads layout,\n"
        "certificate and keys again; a layout that is another than at the last reading is put in\n"
        "force. Clients notice nothing.\n"
        "exit  0 all is well    1 the run failed    2 bad arguments or a bad file");

    CommandLine line;
    app.add_option("--config", line.config, "the server's configuration (TOML)")
        ->required()
        ->type_name("FILE");
    app.add_option("--layout", line.layout, "a layout, in place of the one in the configuration")
        ->type_name("FILE");
    app.add_option("--port", line.port, "a port, in place of server.port; 0 takes any free one")
        ->type_name("N");
    app.add_option(
           "--admin-port", line.admin_port,
           "the admin port and its live map are on, in place of admin.enabled and admin.port")
        ->type_name("N");
    app.add_option("--websocket-port", line.web_socket_port,
                   "the players' WebSocket listener is on, in place of websocket.enabled and "
                   "websocket.port")
        ->type_name("N");
    auto* record =
        app.add_option(
               "--record", line.record,
               "write down all that comes in, for marchland-trace --replay; FILE must not exist")
            ->type_name("FILE");
    std::uint64_t part_mib = line.recording.part_bytes_max >> 20U;
    app.add_option("--record-part-mib", part_mib,
                   "the recording goes on in FILE.1, FILE.2, ... after so many MiB")
        ->type_name("N")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str()
        ->needs(record);
    app.add_option("--record-parts", line.recording.parts_max,
                   "and ends after so many parts; the game goes on")
        ->type_name("N")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str()
        ->needs(record);
    auto* fresh = app.add_flag("--fresh", line.is_fresh,
                               "begin with nothing: what state.directory holds is put aside there");
    app.add_option(
           "--restore", line.restore,
           "begin with a backup of the state (marchland-admin backup); what is there is put "
           "aside")
        ->type_name("FILE")
        ->excludes(fresh);
    app.add_flag("--check", line.is_check,
                 "only validate, and print to standard output the configuration in force and what "
                 "its state\n"
                 "holds");
    // The files are looked at by config/, which says more about them than CLI11 would.
    if (const auto ended = tools::parse(app, argc, argv, std::cout, std::cerr)) {
        return ended->value;
    }
    line.recording.part_bytes_max = part_mib << 20U;
    return line;
}

}  // namespace marchland::server
