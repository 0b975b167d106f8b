#include "net/speed_limit.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace marchland::net {

namespace {

/// Rounded up; `squared` is at most three times 2^62.
std::uint64_t root_of(std::uint64_t squared) {
    auto root = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(squared)));
    while (root * root < squared) {
        ++root;
    }
    while (root > 0 && (root - 1) * (root - 1) >= squared) {
        --root;
    }
    return root;
}

std::uint64_t along(std::int32_t from, std::int32_t to) {
    return static_cast<std::uint64_t>(std::abs(std::int64_t{to} - from));
}

}  // namespace

SpeedLimit::SpeedLimit(std::uint32_t mm_per_s, std::uint32_t tick_rate_hz,
                       engine::Dimensions dimensions, engine::Position at)
    : zone_mm_per_s_(mm_per_s),
      mm_per_s_(mm_per_s),
      is_checked_(mm_per_s != 0),
      tick_rate_hz_(tick_rate_hz),
      dimensions_(dimensions),
      at_(at),
      budget_(mm_per_s_ * tick_rate_hz_) {}

void SpeedLimit::set_percent(std::uint16_t percent) {
    const bool is_unchecked = percent == kUnchecked;
    is_checked_ = percent == 0 || (zone_mm_per_s_ != 0 && !is_unchecked);
    mm_per_s_ = is_unchecked ? zone_mm_per_s_ : zone_mm_per_s_ * percent / 100;
    budget_ = std::min(budget_, mm_per_s_ * tick_rate_hz_);
}

void SpeedLimit::pass(engine::Tick ticks) {
    const std::uint64_t counted =
        std::min<std::uint64_t>(ticks, tick_rate_hz_);  // a second's worth is all
    budget_ = std::min(budget_ + counted * mm_per_s_, mm_per_s_ * tick_rate_hz_);
}

bool SpeedLimit::allows(engine::Position to) {
    if (!is_checked_) {
        at_ = to;
        return true;
    }
    const std::uint64_t dx = along(at_.x, to.x);
    const std::uint64_t dy = along(at_.y, to.y);
    const bool has_height = dimensions_ == engine::Dimensions::three || mm_per_s_ == 0;
    const std::uint64_t dz = has_height ? along(at_.z, to.z) : 0;  // who stands, stands
    const std::uint64_t reach = budget_ / tick_rate_hz_;
    if (std::max({dx, dy, dz}) > std::min<std::uint64_t>(reach, INT32_MAX)) {
        return false;
    }
    const std::uint64_t way = root_of(dx * dx + dy * dy + dz * dz);
    if (way > reach) {
        return false;
    }
    budget_ -= way * tick_rate_hz_;
    at_ = to;
    return true;
}

}  // namespace marchland::net
