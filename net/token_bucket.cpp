#include "net/token_bucket.h"

#include <algorithm>
#include <limits>

namespace marchland::net {

namespace {

constexpr std::uint64_t kLevelMax = std::numeric_limits<std::uint64_t>::max();
/// A second, and half a minute that is made up for.
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
    add(time, kHeldNsMax);
}

void TokenBucket::fill(TimePoint now) {
    if (now > filled_at_) {
        add(now - filled_at_, saved_ns_max_);
        filled_at_ = now;
    }
}

/// As far as it holds what it would be given in `held_ns_max`; what it holds already it keeps.
void TokenBucket::add(TimePoint::duration time, std::uint64_t held_ns_max) {
    if (per_second_ == 0) {
        return;
    }
    const std::uint64_t held_max = std::min(kLevelMax / per_second_, held_ns_max) * per_second_;
    const std::uint64_t room = held_max - std::min(held_max, level_);
    const std::uint64_t passed_ns = nanoseconds_in(time);
    level_ += passed_ns <= room / per_second_ ? passed_ns * per_second_ : room;
}

}  // namespace marchland::net
