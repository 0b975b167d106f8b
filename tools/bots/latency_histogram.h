#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace marchland::bots {

/// How are latencies distributed? Counts in buckets whose width grows with the value: fixed memory,
/// however long the run, and quantiles within 1/32 of their value.
///
/// Shapes   2^5 buckets for each doubling, from 1 µs to 2^36 µs (19 hours), where it saturates.
/// Cost     add O(1), quantile O(buckets).
/// Source   The layout of HdrHistogram (Gil Tene), http://hdrhistogram.org
class LatencyHistogram {
public:
    void add_us(std::uint64_t value_us);
    void add(const LatencyHistogram& other);

    [[nodiscard]] std::uint64_t count() const { return count_; }
    [[nodiscard]] std::uint64_t max_us() const { return max_us_; }
    /// The value that a share of `quantile` (0 to 1) does not exceed, never above max_us; 0 when
    /// there are no values.
    [[nodiscard]] std::uint64_t quantile_us(double quantile) const;

    void clear() { *this = {}; }

private:
    static constexpr unsigned kBitsPerDoubling = 5;
    static constexpr unsigned kBitsMax = 36;
    static constexpr std::size_t kBuckets = (kBitsMax - kBitsPerDoubling + 1) << kBitsPerDoubling;

    /// Values below 2^(kBitsPerDoubling + 1) have a bucket each; above, the lowest bits are
    /// dropped.
    static std::size_t bucket_of(std::uint64_t value_us);
    static std::uint64_t highest_us(std::size_t bucket);

    std::array<std::uint64_t, kBuckets> counts_{};
    std::uint64_t count_ = 0;
    std::uint64_t max_us_ = 0;
};

}  // namespace marchland::bots
