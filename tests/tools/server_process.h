#pragma once

#include <cstdint>
#include <string>
#include <vector>
#include <sys/types.h>

namespace marchland::server {

/// marchland-server as its users run it: a process, its arguments, its exit code and its two
/// streams. It is killed when the test ends before it does.
class ServerProcess {
public:
    explicit ServerProcess(const std::vector<std::string>& arguments);
    ServerProcess(const ServerProcess&) = delete;
    ServerProcess& operator=(const ServerProcess&) = delete;
    ~ServerProcess();

    /// Waits for a line of the log that has `text` in it, and returns it; empty when the log ends
    /// without one.
    std::string wait_for_line(const std::string& text);
    /// Waits for "listening on", and returns the port in it.
    std::uint16_t wait_for_port();
    void send_signal(int number) const;

    /// Waits for the end. 0 and more: the exit code; below: the signal that killed it, negative.
    int wait();

    // What was written, after wait().
    [[nodiscard]] const std::string& output() const { return output_; }
    [[nodiscard]] const std::string& log() const { return log_; }

private:
    /// Reads what is there of either stream; waits for it. False when both have ended.
    bool read_some();

    pid_t pid_ = -1;
    int output_fd_ = -1;
    int log_fd_ = -1;
    std::string output_;
    std::string log_;
};

/// Runs it to its end.
struct Ended {
    int exit_code = 0;
    std::string output;
    std::string log;
};
Ended run_server(const std::vector<std::string>& arguments);

}  // namespace marchland::server
