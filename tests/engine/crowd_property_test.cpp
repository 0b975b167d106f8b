// The limits of a crowd over random histories, on every ground and over every index, beside the
// oracle.

#include "tests/engine/ground.h"
#include "tests/engine/property.h"
#include "tests/engine/random_world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace marchland::engine::testing {
namespace {

/// Any of the limits, or several, or none. Rings as near as views are, and frames of a few moves.
CrowdLimits any_limits(const Ground& ground) {
    CrowdLimits limits;
    limits.visible_max = *rc::gen::element<std::uint32_t>(0, 0, 0, 1, 2, 4, 6);
    limits.sticky_percent = *rc::gen::inRange<std::uint32_t>(0, kStickyPercentMax + 1);
    if (*rc::gen::arbitrary<bool>()) {
        limits.frame_bytes_max = *rc::gen::inRange<std::uint32_t>(65, 400);
        limits.watcher_bytes_per_tick = *rc::gen::element<std::uint32_t>(0, 0, 70, 90, 150);
    }
    limits.stale_ticks_max = *rc::gen::inRange<std::uint32_t>(6, 12);
    std::vector<std::int32_t> radii =
        *rc::gen::container<std::vector<std::int32_t>>(radius_on(ground));
    std::sort(radii.begin(), radii.end());
    radii.erase(std::unique(radii.begin(), radii.end()), radii.end());
    for (std::size_t i = 0; i < std::min<std::size_t>(radii.size(), 3); ++i) {
        limits.rings.at(i) = {radii[i], static_cast<std::uint32_t>(2 * i + 2)};
    }
    return limits;
}

/// So many cases hold everything that limits may do; the fewer ones of a sanitizer's build do not
/// always.
constexpr int kCasesThatHaveAll = 300;

class CrowdHistory : public ::testing::TestWithParam<Ground> {};

void play(const Ground& ground, const CrowdLimits& limits, const std::vector<Step>& steps,
          RandomWorld::Tally& total) {
    RandomWorld world(ground, limits);
    for (const Step& step : steps) {
        world.play(step);
    }
    total.enters += world.tally().enters;
    total.held_moves += world.tally().held_moves;
    total.slowed += world.tally().slowed;
    total.over_budget += world.tally().over_budget;
    total.filling += world.tally().filling;
    for (const auto& [reason, count] : world.tally().leaves) {
        total.leaves[reason] += count;
    }
}

TEST_P(CrowdHistory, WithAnyLimitsTellsWhatTheOracleTellsOverEachIndex) {
    RandomWorld::Tally total;
    check_property(
        [&] { play(GetParam(), any_limits(GetParam()), *steps_on(GetParam(), 10), total); });
    // Where all are at one point, who is seen is as near as anybody, and nobody is in a ring.
    if (GetParam().name == "OnePoint") {
        EXPECT_EQ(total.leaves[LeaveReason::capped], 0U);
        EXPECT_EQ(total.slowed, 0U);
    } else if (property_cases() >= kCasesThatHaveAll) {
        EXPECT_GT(total.leaves[LeaveReason::capped], 0U);
        EXPECT_GT(total.slowed, 0U);
    }
    if (property_cases() >= kCasesThatHaveAll) {
        EXPECT_GT(total.held_moves, 0U);
        EXPECT_GT(total.over_budget, 0U);
        EXPECT_GT(total.filling, 0U);
    }
}

/// Slow to play, so tried less often.
TEST_P(CrowdHistory, OfACrowdTellsWhatTheOracleTellsOverEachIndex) {
    RandomWorld::Tally total;
    check_property(
        [&] { play(GetParam(), any_limits(GetParam()), *crowd_on(GetParam(), 130), total); },
        property_cases() / 10);
    EXPECT_GT(total.enters, 0U);
}

INSTANTIATE_TEST_SUITE_P(On, CrowdHistory, ::testing::ValuesIn(grounds()),
                         [](const auto& ground) { return ground.param.name; });

}  // namespace
}  // namespace marchland::engine::testing
