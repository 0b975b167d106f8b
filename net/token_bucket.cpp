#include "net/token_bucket.h"

#include <algorithm>
#include <limits>

namespace marchland::net {

namespace {

constexpr std::uint64_t kLevelMax = std::numeric_limits<std::uint64_t>::max();
/// A second, as ever, and half a minute that is made up for.
constexpr std::uint64_t kHeldNsMax = 31'000'000'000;

std::uint64_t nanoseconds_in(TokenBucket::TimePoint::duration time) {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
}

}  // namespace

bool TokenBucket::take(std::uint64_t tokens, TimePoint now) {
    fill(now);
    if (tokens > level_ / kOne) {
        return false;
    }
    level_ -= tokens * kOne;
    return true;
}

bool TokenBucket::is_full(TimePoint now) {
    fill(now);
    return level_ >= per_second_ * kOne;
}

void TokenBucket::make_up_for(TimePoint since, TimePoint now) {
    fill(since);
    filled_at_ = now;
    make_up_for(now - since);
}

void TokenBucket::make_up_for(TimePoint::duration time) {
    if (per_second_ == 0) {
        return;
    }
    const std::uint64_t held_max = std::min(kLevelMax / per_second_, kHeldNsMax) * per_second_;
    const std::uint64_t room_ns = (held_max - level_) / per_second_;
    level_ += std::min(nanoseconds_in(time), room_ns) * per_second_;
}

void TokenBucket::fill(TimePoint now) {
    if (now <= filled_at_) {
        return;
    }
    // A second fills it, however long it stood: so the product below cannot overflow.
    const auto passed = std::min(now - filled_at_, TimePoint::duration(std::chrono::seconds(1)));
    const std::uint64_t full = per_second_ * kOne;
    if (level_ < full) {
        level_ = std::min(full, level_ + nanoseconds_in(passed) * per_second_);
    }
    filled_at_ = now;
}

}  // namespace marchland::net
