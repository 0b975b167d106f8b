#include "net/speed_limit.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

namespace marchland::tests {

namespace {

using engine::Dimensions;
using engine::Position;

/// One metre a second, ten times a second, nothing saved up.
net::SpeedLimit spent(Dimensions dimensions = Dimensions::two) {
    net::SpeedLimit limit(1'000, 10, dimensions, {});
    EXPECT_TRUE(limit.allows({1'000, 0, 0}));
    EXPECT_TRUE(limit.allows({1'000, 0, 0}));
    limit.place({});
    return limit;
}

}  // namespace

TEST(SpeedLimit, AllowsInATickTheWayOfATick) {
    net::SpeedLimit limit = spent();
    EXPECT_FALSE(limit.allows({1, 0, 0}));
    limit.pass(1);
    EXPECT_FALSE(limit.allows({101, 0, 0}));
    EXPECT_TRUE(limit.allows({100, 0, 0}));
}

TEST(SpeedLimit, SavesUpASecondsWayAndNoMore) {
    net::SpeedLimit limit = spent();
    for (int tick = 0; tick < 100; ++tick) {
        limit.pass(1);
    }
    EXPECT_FALSE(limit.allows({0, 1'001, 0}));
    EXPECT_TRUE(limit.allows({0, 1'000, 0}));
}

TEST(SpeedLimit, CountsTicksThatALateShardSkipped) {
    net::SpeedLimit limit = spent();
    limit.pass(3);
    EXPECT_FALSE(limit.allows({301, 0, 0}));
    EXPECT_TRUE(limit.allows({300, 0, 0}));
    limit.pass(UINT64_MAX);
    EXPECT_FALSE(limit.allows({300, 1'001, 0}));
    EXPECT_TRUE(limit.allows({300, 1'000, 0}));
}

TEST(SpeedLimit, MeasuresSlantedWaysRoundedUp) {
    net::SpeedLimit limit = spent();
    limit.pass(1);
    EXPECT_FALSE(limit.allows({71, 71, 0}));  // 100.4
    EXPECT_TRUE(limit.allows({60, 80, 0}));
}

TEST(SpeedLimit, CountsHeightOnlyInSpace) {
    EXPECT_TRUE(spent().allows({0, 0, 2'000'000'000}));
    EXPECT_FALSE(spent(Dimensions::three).allows({0, 0, 1}));
}

TEST(SpeedLimit, ForgivesAnyPlaceThatAServiceChose) {
    net::SpeedLimit limit = spent();
    limit.place({500'000, 0, 0});
    limit.pass(1);
    EXPECT_TRUE(limit.allows({500'100, 0, 0}));
}

TEST(SpeedLimit, OfZeroAllowsEverything) {
    net::SpeedLimit limit(0, 10, Dimensions::three, {INT32_MIN, INT32_MIN, INT32_MIN});
    EXPECT_TRUE(limit.allows({INT32_MAX, INT32_MAX, INT32_MAX}));
}

TEST(SpeedLimit, RefusesFromEndToEndOfTheWorldAtTheHighestSpeed) {
    net::SpeedLimit limit(1'000'000'000, 128, Dimensions::three, {INT32_MIN, INT32_MIN, INT32_MIN});
    EXPECT_FALSE(limit.allows({INT32_MAX, INT32_MAX, INT32_MAX}));
}

TEST(SpeedLimit, OfZeroPercentLetsItStandAndTurn) {
    net::SpeedLimit limit(1'000, 10, Dimensions::two, {5, 5, 5});
    limit.set_percent(0);
    limit.pass(1);
    EXPECT_FALSE(limit.allows({6, 5, 5}));
    EXPECT_FALSE(limit.allows({5, 5, 6}));
    EXPECT_TRUE(limit.allows({5, 5, 5}));
}

TEST(SpeedLimit, OfZeroPercentHoldsAlsoWhereTheZoneHasNone) {
    net::SpeedLimit limit(0, 10, Dimensions::two, {});
    limit.set_percent(0);
    EXPECT_FALSE(limit.allows({1, 0, 0}));
    limit.set_percent(50);
    EXPECT_TRUE(limit.allows({1'000'000, 0, 0}));
}

TEST(SpeedLimit, LeavesNothingOfAHigherSpeedToWhoIsSlowed) {
    net::SpeedLimit limit(1'000, 10, Dimensions::two, {});
    limit.set_percent(25);
    EXPECT_FALSE(limit.allows({251, 0, 0}));
    EXPECT_TRUE(limit.allows({250, 0, 0}));
    limit.pass(1);
    EXPECT_FALSE(limit.allows({276, 0, 0}));
    EXPECT_TRUE(limit.allows({275, 0, 0}));
}

TEST(SpeedLimit, LetsWhoIsUncheckedGoAnywhereAndHoldsItAfterwards) {
    net::SpeedLimit limit = spent();
    limit.set_percent(net::SpeedLimit::kUnchecked);
    EXPECT_TRUE(limit.allows({INT32_MAX, 0, 0}));
    limit.set_percent(100);
    EXPECT_FALSE(limit.allows({INT32_MAX - 1, 0, 0}));
    limit.pass(1);
    EXPECT_TRUE(limit.allows({INT32_MAX - 100, 0, 0}));
}

/// Against the oracle of a bucket in floating point, with a millimetre of room for each move and
/// each change of speed.
RC_GTEST_PROP(SpeedLimit, LetsNobodyGoFasterThanTheBudgetInTotal, ()) {
    const auto speed = *rc::gen::inRange<std::uint32_t>(1, 10'000);
    const auto rate = *rc::gen::inRange<std::uint32_t>(1, 129);
    const auto changes_speed = *rc::gen::arbitrary<bool>();
    net::SpeedLimit limit(speed, rate, Dimensions::two, {});
    Position at;
    double mm_per_s = speed;
    double budget = speed;
    const auto ticks = *rc::gen::inRange(1, 200);
    for (int tick = 1; tick <= ticks; ++tick) {
        if (changes_speed && *rc::gen::inRange(0, 10) == 0) {
            const auto percent = *rc::gen::element<std::uint16_t>(0, 1, 30, 100, 700);
            limit.set_percent(percent);
            mm_per_s = std::floor(speed * percent / 100.0);
            budget = std::min(budget, mm_per_s);
        }
        limit.pass(1);
        budget = std::min(budget + mm_per_s / rate, mm_per_s);
        const Position to{at.x + *rc::gen::inRange(-300, 300), at.y + *rc::gen::inRange(-300, 300),
                          0};
        const double way = std::hypot(to.x - at.x, to.y - at.y);
        if (limit.allows(to)) {
            RC_ASSERT(way <= budget + 1e-6);
            budget -= std::ceil(way - 1e-9);
            at = to;
        } else {
            RC_ASSERT(way > budget - 1);
        }
    }
}

}  // namespace marchland::tests
