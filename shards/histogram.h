#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace marchland::shards {

/// Upper ends of buckets, inclusive; above the last there is one bucket more. Few, for each shard
/// has several histograms, and each bucket is a time series of whoever collects them.
inline constexpr std::array<std::uint64_t, 12> kDurationBoundsUs{
    100, 250, 500, 1'000, 2'500, 5'000, 10'000, 25'000, 50'000, 100'000, 250'000, 1'000'000};
inline constexpr std::array<std::uint64_t, 10> kFrameBytesBounds{
    64, 128, 256, 512, 1'024, 2'048, 4'096, 16'384, 65'536, 262'144};
inline constexpr std::array<std::uint64_t, 9> kQueueBounds{1,     4,     16,     64,    256,
                                                           1'024, 4'096, 16'384, 65'536};

/// A histogram as it was when somebody looked.
struct HistogramCounts {
    std::vector<std::uint64_t> bounds;
    std::vector<std::uint64_t> counts;  ///< of each bucket alone; one more than bounds
    std::uint64_t sum = 0;              ///< of all values
};

/// How many values were of which size? Values are whole numbers, in the unit of the bounds.
///
/// Threads  One thread adds, any reads: each count is a number for itself, so a reader may miss the
///          newest value in one of them and have it in another.
/// Cost     add: a search through the bounds, two plain stores; no lock, no allocation.
template <const auto& kBounds>
class Histogram {
public:
    void add(std::uint64_t value) {
        const auto bound =
            std::ranges::find_if(kBounds, [value](auto end) { return value <= end; });
        raise(counts_[static_cast<std::size_t>(bound - kBounds.begin())], 1);
        raise(sum_, value);
    }

    [[nodiscard]] HistogramCounts counts() const {
        HistogramCounts all;
        all.bounds.assign(kBounds.begin(), kBounds.end());
        for (const auto& count : counts_) {
            all.counts.push_back(count.load(std::memory_order_relaxed));
        }
        all.sum = sum_.load(std::memory_order_relaxed);
        return all;
    }

private:
    /// No read-modify-write: nobody else writes.
    static void raise(std::atomic<std::uint64_t>& count, std::uint64_t by) {
        count.store(count.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
    }

    std::array<std::atomic<std::uint64_t>, kBounds.size() + 1> counts_{};
    std::atomic<std::uint64_t> sum_{0};
};

/// Of durations, in microseconds.
class DurationHistogram : public Histogram<kDurationBoundsUs> {
public:
    void add(std::chrono::steady_clock::duration duration) {
        const auto us = std::chrono::duration_cast<std::chrono::microseconds>(duration).count();
        Histogram::add(static_cast<std::uint64_t>(std::max<std::int64_t>(us, 0)));
    }
};

}  // namespace marchland::shards
