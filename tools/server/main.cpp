#include "shards/recording/recorder.h"
#include "net/admin/admin_server.h"
#include "net/server.h"
#include "config/config.h"
#include "config/shared_port.h"
#include "tools/command_line/exit_code.h"
#include "tools/process/stop_signals.h"
#include "tools/server/command_line.h"
#include "tools/server/kept_state.h"
#include "tools/server/log.h"
#include "tools/server/serve.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace {

using namespace marchland;

/// Keys and certificates are files, too: what is wrong with them is told before anything starts.
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
int run_logged(const server::CommandLine& line, const config::ServerConfig& config,
               process::StopSignals& signals, server::Log& log) {
    try {
        shards::Recorder recorder({line.recording});
        if (line.record) {
            if (const auto error = recorder.start(*line.record, config.zone)) {
                throw tools::BadInput("cannot record: " + *error);
            }
        }
        std::optional<server::KeptState> state;
        if (config.state.is_on) {
            state = server::open_state(config, line);
        }
        return server::serve(config, {line.config, line.layout}, line.record ? &recorder : nullptr,
                             std::move(state), signals, log);
    } catch (const tools::BadInput& error) {
        spdlog::error("{}", error.what());
        return tools::kExitBadInput;
    } catch (const std::exception& error) {
        spdlog::critical("the server ends: {}", error.what());
        return tools::kExitFailed;
    }
}

int run(const server::CommandLine& line) {
    // Before files are read: a SIGHUP meanwhile is for the next reading, and whoever does not read what is
    // wrong with them ends nothing. Before the log or anything else starts a thread.
    process::StopSignals signals{SIGHUP};
    auto config = tools::require(config::load_server_config(line.config, line.layout));
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
    require_secrets(config);
    if (line.is_check) {
        return print(config);
    }
    server::Log log({config.log_level, config.log_queue_lines_max,
                     config.log_format == config::LogFormat::json});
    return server::close_log(log, run_logged(line, config, signals, log));
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const auto parsed = server::parse_command_line(argc, argv);
        if (const auto* exit_code = std::get_if<int>(&parsed)) {
            return *exit_code;
        }
        return tools::run_or_refuse([&] { return run(std::get<server::CommandLine>(parsed)); },
                                    std::cerr);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "marchland-server: %s\n", error.what());
        return tools::kExitFailed;
    }
}
