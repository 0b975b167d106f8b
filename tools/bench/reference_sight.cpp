#include "tools/bench/reference_sight.h"

#include <cmath>
#include <cstdlib>
#include <numbers>

namespace marchland::bench {
namespace {

bool is_within(Way way, std::int64_t radius_mm) {
    return way.x * way.x + way.y * way.y + way.z * way.z <= radius_mm * radius_mm;
}

}  // namespace

ReferenceSight::ReferenceSight(const Workload& workload)
    : is_flat_(workload.height_mm == 0), senses_(senses_of(workload)) {
    if (workload.view != View::sector) return;
    for (const Senses& senses : senses_) {
        openings_.push_back({opening(senses.facing, senses.half_opening),
                             opening(senses.facing, senses.leave_half_opening)});
    }
}

bool ReferenceSight::begins(std::uint32_t watcher, std::uint32_t target, Way way) const {
    const Senses& senses = senses_[watcher];
    const Range range{senses.radius_mm, senses.half_y_mm,
                      openings_.empty() ? nullptr : &openings_[watcher][0]};
    return is_in(senses.view, range, way) || is_within(way, senses_[target].beacon_mm);
}

bool ReferenceSight::goes_on(std::uint32_t watcher, std::uint32_t target, Way way) const {
    const Senses& senses = senses_[watcher];
    const Range range{senses.leave_radius_mm, senses.leave_half_y_mm,
                      openings_.empty() ? nullptr : &openings_[watcher][1]};
    return is_in(senses.view, range, way) || is_within(way, senses_[target].leave_beacon_mm);
}

/// No angle's is near a tie: any library's cosine gives the same integers.
ReferenceSight::Ray ReferenceSight::ray(std::uint32_t angle) {
    constexpr double kLength = 1U << 30U;
    const double radians = 2 * std::numbers::pi * (angle % 65'536) / 65'536;
    return {std::llround(kLength * std::cos(radians)), std::llround(kLength * std::sin(radians))};
}

ReferenceSight::Opening ReferenceSight::opening(std::uint32_t facing, std::uint32_t half_opening) {
    return {ray(facing), ray(facing + half_opening), ray(facing + 65'536 - half_opening),
            half_opening > 16'384};
}

bool ReferenceSight::is_in(const Opening& opening, Way way) {
    const auto cross = [](std::int64_t ax, std::int64_t ay, std::int64_t bx, std::int64_t by) {
        return ax * by - ay * bx;
    };
    const bool is_past_right = cross(opening.right.x, opening.right.y, way.x, way.y) < 0;
    const bool is_past_left = cross(way.x, way.y, opening.left.x, opening.left.y) < 0;
    if (opening.is_wide) return !(is_past_right && is_past_left);
    const bool is_behind = opening.ahead.x * way.x + opening.ahead.y * way.y < 0;
    return !is_past_right && !is_past_left && !is_behind;
}

bool ReferenceSight::is_in(View view, const Range& range, Way way) {
    switch (view) {
        case View::rectangle:
            return std::abs(way.x) <= range.radius_mm && std::abs(way.y) <= range.half_y_mm;
        case View::sector:
            return is_within(way, range.radius_mm) && is_in(*range.opening, way);
        case View::circle:
            break;
    }
    return is_within(way, range.radius_mm);
}

}  // namespace marchland::bench
