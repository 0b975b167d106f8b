#include "tests/engine/ground.h"
#include "tests/engine/property.h"
#include "tests/engine/random_world.h"

#include <gtest/gtest.h>

namespace marchland::engine::testing {
namespace {

class RandomHistory : public ::testing::TestWithParam<Ground> {};

void check_histories(const Ground& ground, const rc::Gen<std::vector<Step>>& histories,
                     int cases = property_cases()) {
    check_property(
        [&] {
            const std::vector<Step> steps = *histories;
            RandomWorld world(ground);
            for (const Step& step : steps) {
                world.play(step);
            }
        },
        cases);
}

TEST_P(RandomHistory, TellsWhatTheOracleTellsOverEachIndex) {
    check_histories(GetParam(), steps_on(GetParam(), 10));
}

TEST_P(RandomHistory, OfThreeEntitiesTellsWhatTheOracleTellsOverEachIndex) {
    check_histories(GetParam(), steps_on(GetParam(), 3));
}

/// Enough in one cell for the index to keep it in order. Slow to play, so tried less often.
TEST_P(RandomHistory, OfACrowdTellsWhatTheOracleTellsOverEachIndex) {
    check_histories(GetParam(), crowd_on(GetParam(), 130), property_cases() / 5);
}

/// A test of these tests: histories in which nobody sees anybody would prove nothing.
TEST_P(RandomHistory, SendsEverythingThatCanBeSent) {
    constexpr int kCases = 300;  // in which about 1,500 enters, 500 moves, 80 gone, 400 out of
                                 // range and 50 hidden are sent
    RandomWorld::Tally total;
    const auto play = [&] {
        const std::vector<Step> steps = *steps_on(GetParam(), 10);
        RandomWorld world(GetParam());
        for (const Step& step : steps) {
            world.play(step);
        }
        total.enters += world.tally().enters;
        total.moves += world.tally().moves;
        for (const auto& [reason, count] : world.tally().leaves) {
            total.leaves[reason] += count;
        }
        for (const auto& [shape, count] : world.tally().enters_by_shape) {
            total.enters_by_shape[shape] += count;
        }
        total.states += world.tally().states;
        total.messages += world.tally().messages;
        total.keyframes += world.tally().keyframes;
        total.lost += world.tally().lost;
        total.enters_by_notice += world.tally().enters_by_notice;
    };
    check_property(play, kCases);
    EXPECT_GT(total.enters, 0U);
    EXPECT_GT(total.moves, 0U);
    EXPECT_GT(total.states, 0U);
    EXPECT_GT(total.messages, 0U);
    EXPECT_GT(total.keyframes, 0U);
    EXPECT_GT(total.lost, 0U);
    EXPECT_GT(total.leaves[LeaveReason::gone], 0U);
    EXPECT_GT(total.leaves[LeaveReason::out_of_range], 0U);
    EXPECT_GT(total.leaves[LeaveReason::hidden], 0U);
    EXPECT_GT(total.enters_by_shape[Shape::circle], 0U);
    EXPECT_GT(total.enters_by_shape[Shape::rectangle], 0U);
    EXPECT_GT(total.enters_by_shape[Shape::sector], 0U);
    if (GetParam().dimensions == Dimensions::three) {
        EXPECT_GT(total.enters_by_shape[Shape::cylinder], 0U);
    }
    if (GetParam().name != "OnePoint") {  // where all are in every view
        EXPECT_GT(total.enters_by_notice, 0U);
    }
}

INSTANTIATE_TEST_SUITE_P(On, RandomHistory, ::testing::ValuesIn(grounds()),
                         [](const auto& ground) { return ground.param.name; });

}  // namespace
}  // namespace marchland::engine::testing
