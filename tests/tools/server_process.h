#pragma once

#include "tests/tools/program_process.h"

#include <cstdint>
#include <string>
#include <vector>

namespace marchland::server {

/// marchland-server as its users run it.
class ServerProcess : public tests::ProgramProcess {
public:
    explicit ServerProcess(const std::vector<std::string>& arguments, Reader reader = Reader::test);
    /// Under what a shell's commands set, such as "ulimit -n 100".
    ServerProcess(const std::string& shell_commands, const std::vector<std::string>& arguments);

    /// Waits for "listening on", and returns the port in it.
    std::uint16_t wait_for_port();

    /// The other entrances', from the line that names them. Call after wait_for_port().
    std::uint16_t wait_for_web_socket_port();
    std::uint16_t wait_for_admin_port();

    // What was written so far; all of it after wait().
    [[nodiscard]] const std::string& log() const { return errors(); }

private:
    std::uint16_t wait_for_port_in(const std::string& text);
};

/// Runs it to its end.
struct Ended {
    int exit_code = 0;
    std::string output;
    std::string log;
};
Ended run_server(const std::vector<std::string>& arguments);

}  // namespace marchland::server
