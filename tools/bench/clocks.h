#pragma once

#include <cstdint>

namespace marchland::bench {

/// A moment on two clocks, or what lies between two moments.
struct Clocks {
    /// CPU time of all threads of this process: what others do on the machine does not count, though
    /// what they do to its caches and its clock rate does.
    std::uint64_t cpu_ns = 0;
    std::uint64_t wall_ns = 0;

    Clocks& operator+=(const Clocks& other) {
        cpu_ns += other.cpu_ns;
        wall_ns += other.wall_ns;
        return *this;
    }
    friend Clocks operator-(const Clocks& end, const Clocks& start) {
        return {end.cpu_ns - start.cpu_ns, end.wall_ns - start.wall_ns};
    }
};

Clocks clocks_now();

/// CPU time of the calling thread so far.
std::uint64_t thread_cpu_ns();

}  // namespace marchland::bench
