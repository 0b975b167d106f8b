#include "shards/recording/recorder.h"
#include "shards/recording/recording_file.h"
#include "net/admin/admin_server.h"
#include "net/server.h"
#include "config/config.h"
#include "tools/command_line/parse.h"
#include "tools/command_line/run_main.h"
#include "tools/process/stop_signals.h"
#include "tools/server/kept_state.h"
#include "tools/server/log.h"
#include "tools/server/serve.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <csignal>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace {

using namespace marchland;

struct CommandLine {
    std::filesystem::path config;
    std::optional<std::filesystem::path> layout;
    std::optional<std::uint16_t> port;
    std::optional<std::uint16_t> admin_port;
    std::optional<std::uint16_t> web_socket_port;
    std::optional<std::filesystem::path> record;
    shards::RecordingLimits recording;
    server::StateStart state;
    bool is_check = false;
};

CommandLine parse_command_line(int argc, const char* const* argv, const std::string& about) {
    CLI::App app("Marchland zone server: one map, cut into shards, over TCP.", "marchland-server");
    app.set_version_flag("--version", about);
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
    auto* fresh = app.add_flag("--fresh", line.state.is_fresh,
                               "begin with nothing: what state.directory holds is put aside there");
    app.add_option(
           "--restore", line.state.restore,
           "begin with a backup of the state (marchland-admin backup); what is there is put "
           "aside")
        ->type_name("FILE")
        ->excludes(fresh);
    app.add_flag("--check", line.is_check,
                 "only validate, and print to standard output the configuration in force and what "
                 "its state\n"
                 "holds; not what --record, --restore and --fresh would do")
        ->excludes("--record", "--restore", "--fresh");
    // The files are looked at by config/, which says more about them than CLI11 would.
    tools::parse(app, argc, argv, std::cout, std::cerr);
    line.recording.part_bytes_max = part_mib << 20U;
    return line;
}

/// Keys and certificates are files, too: what is wrong with them is reported before anything
/// starts.
void require_secrets(const config::ServerConfig& config) {
    auto flaws = net::Server(config.server).load_secrets();
    auto admin = net::read_admin_tokens(config.server.admin);
    if (auto* const flaw = std::get_if<net::FileFlaw>(&admin)) {
        flaws.push_back(std::move(flaw->reason));
    }
    if (!flaws.empty()) {
        throw tools::BadInput(fmt::format("{}", fmt::join(flaws, "\n")));
    }
}

int print(const config::ServerConfig& config) {
    std::cout << config::to_toml(config);
    if (config.state.is_on) {
        std::cout << server::describe_state(config);
    }
    std::cout << std::flush;
    // A full disk is not a configuration in force.
    return std::cout ? 0 : tools::kExitFailed;
}

/// The part with a log. Whatever ends it, the log is closed after everything that logs.
int run_logged(const CommandLine& line, const config::ServerConfig& config,
               const server::ConfigSource& source, process::StopSignals& signals,
               server::Log& log) {
    try {
        shards::Recorder recorder({line.recording});
        if (line.record) {
            if (const auto error = recorder.start(*line.record, config.zone)) {
                throw tools::BadInput("cannot record: " + *error);
            }
        }
        std::optional<server::KeptState> state;
        if (config.state.is_on) {
            state = server::open_state(config, line.state);
        }
        return server::serve(config, source, line.record ? &recorder : nullptr, std::move(state),
                             signals, log);
    } catch (const tools::BadInput& error) {
        spdlog::error("{}", error.what());
        return tools::kExitBadInput;
    } catch (const std::exception& error) {
        spdlog::critical("the server ends: {}", error.what());
        return tools::kExitFailed;
    }
}

int run(const CommandLine& line) {
    // Before files are read: a SIGHUP meanwhile is for the next reading, and whoever does not read
    // what is wrong with them ends nothing. Before the log or anything else starts a thread.
    process::StopSignals signals{SIGHUP};
    auto config = tools::require(config::load_server_config(line.config, line.layout));
    const server::ConfigSource source{line.config, line.layout, config};
    config.server.port = line.port.value_or(config.server.port);
    if (line.admin_port) {
        net::AdminOptions& admin = config.server.admin;
        admin.is_on = true;
        admin.port = *line.admin_port;
        if (admin.token_file.empty()) {
            admin.address = "127.0.0.1";  // what the file says was not looked at where it is off
        }
    }
    if (line.web_socket_port) {
        net::WebSocketOptions& entrance = config.server.web_socket;
        if (!entrance.is_on) {
            entrance = {};  // likewise
        }
        entrance.is_on = true;
        entrance.port = *line.web_socket_port;
    }
    if (const auto shared = config::shared_port(config.server)) {  // the file's own were looked at
        throw tools::BadInput(
            fmt::format("{} is {}, too: each entrance needs a port of its own (--port, "
                        "--admin-port, --websocket-port)",
                        shared->second, shared->first));
    }
    // serve() reads them again, and warns in the log.
    spdlog::set_level(line.is_check ? spdlog::level::warn : spdlog::level::err);
    require_secrets(config);
    if (line.is_check) {
        return print(config);
    }
    server::Log log({config.log_level, config.log_queue_lines_max,
                     config.log_format == config::LogFormat::json});
    return server::close_log(log, run_logged(line, config, source, signals, log));
}

}  // namespace

int main(int argc, char** argv) {
    const auto run_line = [](int count, char** arguments, const std::string& about, std::ostream&,
                             std::ostream& err) {
        return tools::run_or_refuse(
            [&] { return run(parse_command_line(count, arguments, about)); }, err);
    };
    return tools::run_main("marchland-server", argc, argv, run_line);
}
