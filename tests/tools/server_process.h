#pragma once

#include "tests/tools/program_process.h"

#include <cstdint>
#include <string>
#include <vector>

namespace marchland::server {

/// marchland-server as its users run it.
class ServerProcess : public tests::ProgramProcess {
public:
    explicit ServerProcess(const std::vector<std::string>& arguments);

    /// Waits for "listening on", and returns the port in it.
    std::uint16_t wait_for_port();

    // What was written so far; all of it after wait().
    [[nodiscard]] const std::string& log() const { return errors(); }
};

/// Runs it to its end.
struct Ended {
    int exit_code = 0;
    std::string output;
    std::string log;
};
Ended run_server(const std::vector<std::string>& arguments);

}  // namespace marchland::server
