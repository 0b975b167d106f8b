#include "tools/bots/latency_histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace marchland::bots {

void LatencyHistogram::add_us(std::uint64_t value_us) {
    constexpr std::uint64_t kSaturatedUs = (std::uint64_t{1} << kBitsMax) - 1;
    ++counts_[bucket_of(std::min(value_us, kSaturatedUs))];
    ++count_;
    max_us_ = std::max(max_us_, value_us);
}

void LatencyHistogram::add(const LatencyHistogram& other) {
    for (std::size_t bucket = 0; bucket < counts_.size(); ++bucket) {
        counts_[bucket] += other.counts_[bucket];
    }
    count_ += other.count_;
    max_us_ = std::max(max_us_, other.max_us_);
}

std::uint64_t LatencyHistogram::quantile_us(double quantile) const {
    const double wanted = std::ceil(std::clamp(quantile, 0.0, 1.0) * static_cast<double>(count_));
    const auto rank = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(wanted));
    std::uint64_t seen = 0;
    for (std::size_t bucket = 0; bucket < counts_.size(); ++bucket) {
        seen += counts_[bucket];
        if (seen >= rank) {
            return std::min(highest_us(bucket), max_us_);
        }
    }
    return max_us_;
}

std::size_t LatencyHistogram::bucket_of(std::uint64_t value_us) {
    const auto width = static_cast<unsigned>(std::bit_width(value_us));
    const unsigned shift = width > kBitsPerDoubling + 1 ? width - (kBitsPerDoubling + 1) : 0;
    return (std::size_t{shift} << kBitsPerDoubling) + (value_us >> shift);
}

std::uint64_t LatencyHistogram::highest_us(std::size_t bucket) {
    constexpr std::size_t kExact = std::size_t{2} << kBitsPerDoubling;
    if (bucket < kExact) {
        return bucket;
    }
    const std::size_t shift = (bucket >> kBitsPerDoubling) - 1;
    const std::uint64_t mantissa = bucket - (shift << kBitsPerDoubling);
    return ((mantissa + 1) << shift) - 1;
}

}  // namespace marchland::bots
