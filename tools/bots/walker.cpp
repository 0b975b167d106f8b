#include "tools/bots/walker.h"

#include <algorithm>
#include <cmath>

namespace marchland::bots {
namespace {

// Heights span this much at most: players of a zone of three dimensions would never meet in the
// whole of its range.
constexpr std::int64_t kHeightSpanMm = 20'000;

// A crowd comes from this far around the middle, so that it gets there within some twenty seconds.
constexpr std::int64_t kCrowdReachMm = 100'000;
constexpr std::int64_t kCrowdSpotMm = 2'000;

// Paces are shorter and longer than a usual ownership hysteresis, and wander along the border.
constexpr std::int64_t kPaceReachMinMm = 500;
constexpr std::int64_t kPaceReachMaxMm = 12'000;
constexpr std::int64_t kPaceWanderMm = 20'000;
constexpr std::uint64_t kPacersPerCorner = 4;  // one of so many paces over a corner

constexpr std::uint64_t kStepsPerJump = 100;

engine::Position step_towards(engine::Position from, engine::Position to, std::int32_t step_mm) {
    const double dx = static_cast<double>(to.x) - from.x;
    const double dy = static_cast<double>(to.y) - from.y;
    const double dz = static_cast<double>(to.z) - from.z;
    const double distance_mm = std::sqrt(dx * dx + dy * dy + dz * dz);
    if (distance_mm <= step_mm) {
        return to;
    }
    // Rounded, the step still ends between the two points, on every axis.
    const double share = step_mm / distance_mm;
    const auto along = [share](std::int32_t start, double difference) {
        return static_cast<std::int32_t>(start + std::llround(difference * share));
    };
    return {along(from.x, dx), along(from.y, dy), along(from.z, dz)};
}

std::int64_t quarter(std::int32_t low, std::int32_t high, std::int64_t quarters) {
    return low + (std::int64_t{high} - low) * quarters / 4;
}

std::int64_t lowest_height_mm(const World& world) {
    return std::clamp<std::int64_t>(0, world.min.z, world.max.z);
}

std::int64_t highest_height_mm(const World& world) {
    return std::min<std::int64_t>(lowest_height_mm(world) + kHeightSpanMm, world.max.z);
}

}  // namespace

std::optional<Scenario> scenario_of(std::string_view name) {
    const auto* const found = std::find(kScenarioNames.begin(), kScenarioNames.end(), name);
    if (found == kScenarioNames.end()) {
        return std::nullopt;
    }
    return static_cast<Scenario>(found - kScenarioNames.begin());
}

std::string_view name_of(Scenario scenario) {
    return kScenarioNames.at(static_cast<std::size_t>(scenario));
}

Walker::Walker(Scenario scenario, const World& world, std::int32_t step_mm, std::uint64_t seed)
    : scenario_(scenario),
      world_(world),
      step_mm_(step_mm),
      random_(seed),
      height_mm_(static_cast<std::int32_t>(
          random_.between(lowest_height_mm(world), highest_height_mm(world)))),
      pace_(choose_pace()) {
    switch (scenario_) {
        case Scenario::crowd:
            position_ = near(middle(), kCrowdReachMm);
            break;
        case Scenario::border:
            position_ = near(pace_.anchor, kPaceWanderMm);
            break;
        case Scenario::roam:
        case Scenario::teleport:
        case Scenario::resume:
        case Scenario::slow:
        case Scenario::soak:
        case Scenario::siege:
            position_ = anywhere();
            break;
    }
    waypoint_ = next_waypoint();
}

engine::Position Walker::advance() {
    if (scenario_ == Scenario::teleport && random_.one_in(kStepsPerJump)) {
        position_ = anywhere();
        waypoint_ = anywhere();
        return position_;
    }
    if (position_ == waypoint_) {
        waypoint_ = next_waypoint();
    }
    position_ = step_towards(position_, waypoint_, step_mm_);
    return position_;
}

engine::Position Walker::middle() const {
    return world_.clamp(quarter(world_.min.x, world_.max.x, 2),
                        quarter(world_.min.y, world_.max.y, 2), height_mm_);
}

engine::Position Walker::anywhere() {
    const std::int64_t x = random_.between(world_.min.x, world_.max.x);
    const std::int64_t y = random_.between(world_.min.y, world_.max.y);
    const bool has_heights = world_.dimensions == engine::Dimensions::three;
    const std::int64_t z =
        has_heights ? random_.between(lowest_height_mm(world_), highest_height_mm(world_))
                    : height_mm_;
    return world_.clamp(x, y, z);
}

engine::Position Walker::near(engine::Position center, std::int64_t reach_mm) {
    const std::int64_t x = center.x + random_.between(-reach_mm, reach_mm);
    const std::int64_t y = center.y + random_.between(-reach_mm, reach_mm);
    return world_.clamp(x, y, center.z);
}

engine::Position Walker::next_waypoint() {
    is_odd_leg_ = !is_odd_leg_;
    switch (scenario_) {
        case Scenario::crowd:
            return near(middle(), is_odd_leg_ ? kCrowdSpotMm : kCrowdReachMm);
        case Scenario::border:
            return pace_waypoint();
        case Scenario::roam:
        case Scenario::teleport:
        case Scenario::resume:
        case Scenario::slow:
        case Scenario::soak:
        case Scenario::siege:
            break;
    }
    return anywhere();
}

engine::Position Walker::pace_waypoint() {
    const std::int64_t side = is_odd_leg_ ? pace_.reach_mm : -pace_.reach_mm;
    const std::int64_t wander = random_.between(-pace_.wander_mm, pace_.wander_mm);
    return world_.clamp(pace_.anchor.x + pace_.across_x * side + pace_.across_y * wander,
                        pace_.anchor.y + pace_.across_y * side + pace_.across_x * wander,
                        pace_.anchor.z);
}

Walker::Pace Walker::choose_pace() {
    const std::int64_t line_x = quarter(world_.min.x, world_.max.x, random_.between(1, 3));
    const std::int64_t line_y = quarter(world_.min.y, world_.max.y, random_.between(1, 3));
    const std::int64_t reach_mm = random_.between(kPaceReachMinMm, kPaceReachMaxMm);
    const engine::Position somewhere = anywhere();
    if (random_.one_in(kPacersPerCorner)) {
        // Straight over the corner, along one of its two diagonals.
        const std::int64_t slope = random_.one_in(2) ? 1 : -1;
        return {world_.clamp(line_x, line_y, somewhere.z), 1, slope, reach_mm, 0};
    }
    if (random_.one_in(2)) {
        return {world_.clamp(line_x, somewhere.y, somewhere.z), 1, 0, reach_mm, kPaceWanderMm};
    }
    return {world_.clamp(somewhere.x, line_y, somewhere.z), 0, 1, reach_mm, kPaceWanderMm};
}

}  // namespace marchland::bots
