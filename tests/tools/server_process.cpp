#include "tests/tools/server_process.h"

#include "tests/tools/trace_scratch_folder.h"

#include <algorithm>
#include <atomic>
#include <stdexcept>

namespace marchland::server {

namespace {

/// What a shipped configuration keeps lies beside it, unless there is a folder for it: each server
/// gets one.
std::vector<std::string> command_line(const std::vector<std::string>& arguments) {
    static const trace::ScratchFolder folders;
    static std::atomic<int> count = 0;
    std::vector<std::string> line{MARCHLAND_SERVER_PROGRAM};
    if (std::ranges::any_of(arguments, [](const std::string& argument) {
            return argument.starts_with(MARCHLAND_CONFIG_DIR);
        })) {
        const auto folder = folders.file(std::to_string(++count));
        line.insert(line.begin(), {"/usr/bin/env", "STATE_DIRECTORY=" + folder.string()});
    }
    line.insert(line.end(), arguments.begin(), arguments.end());
    return line;
}

}  // namespace

ServerProcess::ServerProcess(const std::vector<std::string>& arguments, Reader reader)
    : ProgramProcess(command_line(arguments), reader) {}

ServerProcess::ServerProcess(const std::string& shell_commands,
                             const std::vector<std::string>& arguments)
    : ProgramProcess([&] {
          std::vector<std::string> line{"/bin/sh", "-c", shell_commands + "; exec \"$0\" \"$@\""};
          const auto server = command_line(arguments);
          line.insert(line.end(), server.begin(), server.end());
          return line;
      }()) {}

std::uint16_t ServerProcess::wait_for_port() {
    return wait_for_port_in("listening on ");
}

std::uint16_t ServerProcess::wait_for_web_socket_port() {
    return wait_for_port_in("websocket");
}

std::uint16_t ServerProcess::wait_for_admin_port() {
    return wait_for_port_in("admin");
}

std::uint16_t ServerProcess::wait_for_port_in(const std::string& text) {
    const std::string line = wait_for_line(text);
    const auto colon = line.rfind(':');
    if (colon == std::string::npos) {
        throw std::runtime_error("the server does not listen: " + log());
    }
    return static_cast<std::uint16_t>(std::stoul(line.substr(colon + 1)));
}

Ended run_server(const std::vector<std::string>& arguments) {
    ServerProcess server(arguments);
    const int exit_code = server.wait();
    return {exit_code, server.output(), server.log()};
}

}  // namespace marchland::server
