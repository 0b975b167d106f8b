#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// Times, and what is said of many of them.
namespace marchland::bench {

/// A moment on two clocks, or what lies between two moments.
struct Clocks {
    /// CPU time of all threads of this process: what others do on the machine does not count,
    /// though what they do to its caches and its clock rate does.
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

/// The middle value, or the mean of the two in the middle. At least one value.
double median(std::span<const double> values);

/// The smallest value that `percent` (1 to 100) of the values do not exceed. At least one value.
double percentile(std::span<const double> values, std::size_t percent);

/// How far the values lie apart: (largest - smallest) / median.
double spread(std::span<const double> values);

/// The median of values[i] / base[i]: what two did side by side is compared pair by pair, so that a
/// machine that slows down for both does not count. As many of one as of the other.
double median_ratio(std::span<const double> values, std::span<const double> base);

}  // namespace marchland::bench
