#include "tools/bots/figures.h"

#include <fmt/format.h>

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

Fates& Fates::operator+=(const Fates& other) {
    joined += other.joined;
    resumed += other.resumed;
    lost_in_restart += other.lost_in_restart;
    resumed_after_restart += other.resumed_after_restart;
    return_ms_max = std::max(return_ms_max, other.return_ms_max);
    left += other.left;
    not_let_in += other.not_let_in;
    closed_by_server += other.closed_by_server;
    dropped += other.dropped;
    for (const auto& [code, count] : other.errors) {
        errors[code] += count;
    }
    if (first_trouble.empty()) {
        first_trouble = other.first_trouble;
    }
    return *this;
}

std::string_view name_of(Violation kind) {
    static constexpr std::array<std::string_view, kViolationKinds> kNames = {
        "malformed",     "unexpected",   "tick_order",    "list_order",   "wrong_ack",
        "own_id",        "double_enter", "unknown_leave", "unknown_move", "moved_on_enter",
        "outside_world", "silent",       "missing",       "must_not_see", "wrong_position",
        "wrong_reason",  "still_seen",   "wrong_cap"};
    return kNames.at(static_cast<std::size_t>(kind));
}

void ViolationLog::print(Violation kind, const std::string& text, bool is_last) {
    fmt::print(out_, "violation: {}: {}\n", name_of(kind), text);
    if (is_last) {
        fmt::print(out_, "violation: {}: further ones are only counted\n", name_of(kind));
    }
}

}  // namespace marchland::bots
