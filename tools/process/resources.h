#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace marchland::process {

/// Raises this process's own limit of open files as far as it may without rights, and returns it.
std::size_t raise_open_files_max();

/// What the process has used since it began.
struct Consumption {
    double cpu_s = 0;  ///< of all threads, user and system
    std::uint64_t resident_bytes_max = 0;
};
Consumption consumption();

/// What the process occupies of the machine's memory now. 0 where /proc does not say.
std::uint64_t resident_bytes();

/// Gives back to the system what was freed. By itself the allocator keeps every page below one that
/// is in use: after a crowd has gone, as much as the crowd took.
///
/// Cost     Some milliseconds for 100 MB, in which others that allocate may wait: so only every two
///          seconds, and only where some megabytes more are free than the last time left.
/// Threads  One.
class FreedMemory {
public:
    using TimePoint = std::chrono::steady_clock::time_point;

    void look(TimePoint now);

private:
    TimePoint next_;
    /// Free, and not to be given back: pages that are in use in part.
    std::uint64_t left_bytes_ = 0;
};

}  // namespace marchland::process
