#pragma once

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <string_view>

namespace marchland::tools {

/// One line on a terminal that says how far a long run is: `trace 1204/6120`. Silent where nobody
/// looks (a pipe, a log file), and before the first tenth of a second has passed.
///
/// Threads  One at a time.
class ProgressLine {
public:
    ProgressLine(std::ostream& out, bool is_terminal) : out_(out), is_terminal_(is_terminal) {}
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;
    ~ProgressLine() { clear(); }

    /// Cheap enough to call for every step: it writes ten times a second at most. `of`: 0 where
    /// that is not known.
    void show(std::string_view what, std::size_t done, std::size_t of);
    /// Takes the line away, so that other output starts on an empty one.
    void clear();

private:
    std::ostream& out_;
    const bool is_terminal_;
    bool is_shown_ = false;
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// Is standard error a terminal that somebody may look at?
bool stderr_is_terminal();

}  // namespace marchland::tools
