#pragma once

#include <cstdint>
#include <string>
#include <vector>
#include <sys/types.h>

namespace marchland::tests {

/// A program as its users run it: a process, its arguments, its exit code and its two streams. It
/// is killed when the test ends before it does. Waits have no limit of their own: ctest's time
/// limit ends a test that hangs.
class ProgramProcess {
public:
    /// Does anybody read what it writes? Else there is no end to read from, from its beginning on.
    /// `of_a_page`: the test does, through a pipe for its errors that has room for 4 KiB.
    enum class Reader : std::uint8_t { test, nobody, of_a_page };

    /// `arguments` begin with the program's path.
    explicit ProgramProcess(std::vector<std::string> arguments, Reader reader = Reader::test);
    ProgramProcess(const ProgramProcess&) = delete;
    ProgramProcess& operator=(const ProgramProcess&) = delete;
    ~ProgramProcess();

    /// Waits for a whole line of the standard error with `text` in it, and returns the first;
    /// empty when the stream ends without one.
    std::string wait_for_line(const std::string& text);
    void send_signal(int number) const;

    /// Waits for the end. 0 and more: the exit code; below: the signal that killed it, negative.
    int wait();
    /// The same, while nobody reads.
    int wait_unread();

    // What was written so far; all of it after wait().
    [[nodiscard]] const std::string& output() const { return output_; }
    [[nodiscard]] const std::string& errors() const { return errors_; }

private:
    /// Waits until there is something in either stream, and takes it. False when both have ended.
    bool read_some();

    pid_t pid_ = -1;
    int output_fd_ = -1;
    int errors_fd_ = -1;
    std::string output_;
    std::string errors_;
};

}  // namespace marchland::tests
