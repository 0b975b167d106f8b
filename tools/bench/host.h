#pragma once

#include <cstdint>
#include <iosfwd>
#include <string_view>

namespace marchland::bench {

/// What the program lends to a benchmark.
struct Host {
    std::string_view version;
    std::string_view commit;
    std::ostream& out;  ///< the report
    std::ostream& err;  ///< progress and errors
    bool is_err_terminal = false;
    /// Heap allocations of this process so far.
    std::uint64_t (*allocation_count)() = nullptr;
    /// Has Ctrl-C been pressed? Then the benchmark reports what it has and ends.
    bool (*is_interrupted)() = nullptr;
};

/// The exit code after Ctrl-C: 128 + SIGINT, as shells have it.
inline constexpr int kExitInterrupted = 130;

}  // namespace marchland::bench
