// The limits of a crowd over random histories, on every ground and over every index, beside the
// oracle.

#include "tests/engine/ground.h"
#include "tests/engine/property.h"
#include "tests/engine/random_world.h"

#include <gtest/gtest.h>

namespace marchland::engine::testing {
namespace {

rc::Gen<CrowdLimits> any_limits() {
    return rc::gen::build<CrowdLimits>(
        rc::gen::set(&CrowdLimits::visible_max, rc::gen::inRange<std::uint32_t>(0, 7)),
        rc::gen::set(&CrowdLimits::sticky_percent,
                     rc::gen::inRange<std::uint32_t>(0, kStickyPercentMax + 1)));
}

class CrowdHistory : public ::testing::TestWithParam<Ground> {};

void play(const Ground& ground, const CrowdLimits& limits, const std::vector<Step>& steps,
          RandomWorld::Tally& total) {
    RandomWorld world(ground, limits);
    for (const Step& step : steps) {
        world.play(step);
    }
    total.enters += world.tally().enters;
    for (const auto& [reason, count] : world.tally().leaves) {
        total.leaves[reason] += count;
    }
}

TEST_P(CrowdHistory, WithAnyLimitsTellsWhatTheOracleTellsOverEachIndex) {
    RandomWorld::Tally total;
    check_property([&] { play(GetParam(), *any_limits(), *steps_on(GetParam(), 10), total); });
    // Where all are at one point, who is seen is as near as anybody and stays.
    EXPECT_EQ(total.leaves[LeaveReason::capped] > 0, GetParam().name != "OnePoint");
}

/// Slow to play, so tried less often.
TEST_P(CrowdHistory, OfACrowdTellsWhatTheOracleTellsOverEachIndex) {
    RandomWorld::Tally total;
    check_property([&] { play(GetParam(), *any_limits(), *crowd_on(GetParam(), 130), total); },
                   property_cases() / 10);
    EXPECT_GT(total.enters, 0U);
}

INSTANTIATE_TEST_SUITE_P(On, CrowdHistory, ::testing::ValuesIn(grounds()),
                         [](const auto& ground) { return ground.param.name; });

}  // namespace
}  // namespace marchland::engine::testing
