#include "tests/tools/server_process.h"

#include <stdexcept>

namespace marchland::server {

namespace {

std::vector<std::string> command_line(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), MARCHLAND_SERVER_PROGRAM);
    return arguments;
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
