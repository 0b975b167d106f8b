// The shapes of views: exact examples at their bounds, and all of it against the textbook.

#include "engine/view_bounds.h"

#include "tests/engine/ground.h"
#include "tests/engine/property.h"
#include "tests/engine/random_view.h"
#include "tests/engine/textbook_view.h"

#include <gtest/gtest.h>

namespace marchland::engine::testing {
namespace {

constexpr Angle kEighth = kQuarterTurn / 2;

/// Of a watcher at `from`.
bool begins(const View& view, Position at, Angle facing = 0,
            Dimensions dimensions = Dimensions::two, Position from = {0, 0, 0}) {
    Entity watcher;
    watcher.position = from;
    watcher.view = view;
    watcher.facing = facing;
    return ViewBounds(watcher, dimensions).begins_at(at);
}

TEST(Rectangle, HoldsItsEdgesAndNothingPastThem) {
    constexpr View kView = View::rectangle(3, 5, 3, 5);
    EXPECT_TRUE(begins(kView, {3, -5}));
    EXPECT_TRUE(begins(kView, {-3, 5, 1'000}));
    EXPECT_FALSE(begins(kView, {4, 0}));
    EXPECT_FALSE(begins(kView, {0, -6}));
}

TEST(Rectangle, IsABoxInThreeDimensions) {
    constexpr View kView = View::box({3, 5, 7}, {3, 5, 7});
    EXPECT_TRUE(begins(kView, {3, 5, -7}, 0, Dimensions::three));
    EXPECT_FALSE(begins(kView, {0, 0, 8}, 0, Dimensions::three));
    EXPECT_TRUE(begins(View::rectangle(3, 5, 3, 5), {1, 1, 0}, 0, Dimensions::three));
    EXPECT_FALSE(begins(View::rectangle(3, 5, 3, 5), {1, 1, 1}, 0, Dimensions::three));
}

TEST(Cylinder, IsACircleOfSomeHeight) {
    constexpr View kView = View::cylinder(5, 5, 2, 2);
    EXPECT_TRUE(begins(kView, {3, 4, 2}, 0, Dimensions::three));
    EXPECT_FALSE(begins(kView, {3, 4, -3}, 0, Dimensions::three));
    EXPECT_FALSE(begins(kView, {4, 4, 0}, 0, Dimensions::three));
}

TEST(Sector, HoldsItsEdgesExactly) {
    constexpr View kView = View::sector(100, 100, kEighth, kEighth);
    EXPECT_TRUE(begins(kView, {70, 70}));
    EXPECT_TRUE(begins(kView, {70, -70}));
    EXPECT_FALSE(begins(kView, {70, 71}));
    EXPECT_FALSE(begins(kView, {70, -71}));
    EXPECT_TRUE(begins(kView, {100, 0}));
    EXPECT_FALSE(begins(kView, {101, 0}));
    EXPECT_FALSE(begins(kView, {-1, 0}));
}

TEST(Sector, HoldsItsOwnPoint) {
    EXPECT_TRUE(begins(View::sector(0, 0, 0, 0), {0, 0}));
    EXPECT_TRUE(begins(View::sector(9, 9, 1, 1), {0, 0}, 12'345));
}

TEST(Sector, FollowsTheFacing) {
    constexpr View kView = View::sector(100, 100, kEighth, kEighth);
    EXPECT_TRUE(begins(kView, {-70, 70}, kQuarterTurn));
    EXPECT_TRUE(begins(kView, {70, 70}, kQuarterTurn));
    EXPECT_FALSE(begins(kView, {71, 70}, kQuarterTurn));
    EXPECT_TRUE(begins(kView, {-70, 70}, kHalfTurn));
    EXPECT_FALSE(begins(kView, {70, 0}, kHalfTurn));
}

TEST(Sector, OfNoOpeningIsARay) {
    constexpr View kView = View::sector(100, 100, 0, 0);
    EXPECT_TRUE(begins(kView, {50, 50}, kEighth));
    EXPECT_FALSE(begins(kView, {50, 51}, kEighth));
    EXPECT_FALSE(begins(kView, {-50, -50}, kEighth));
}

TEST(Sector, OfHalfATurnIsHalfTheCircle) {
    constexpr View kView = View::sector(100, 100, kQuarterTurn, kQuarterTurn);
    EXPECT_TRUE(begins(kView, {0, 100}));
    EXPECT_TRUE(begins(kView, {0, -100}));
    EXPECT_FALSE(begins(kView, {-1, 50}));
}

TEST(Sector, MayOpenFurtherThanHalfATurn) {
    constexpr View kView = View::sector(100, 100, kQuarterTurn + kEighth, kQuarterTurn + kEighth);
    EXPECT_TRUE(begins(kView, {-50, 50}));
    EXPECT_TRUE(begins(kView, {-50, -50}));
    EXPECT_TRUE(begins(kView, {-50, 51}));
    EXPECT_FALSE(begins(kView, {-51, 50}));
    EXPECT_FALSE(begins(kView, {-100, 0}));
}

TEST(Sector, OfAFullTurnIsTheCircle) {
    constexpr View kView = View::sector(100, 100, kHalfTurn, kHalfTurn);
    EXPECT_TRUE(begins(kView, {-100, 0}));
    EXPECT_TRUE(begins(kView, {-60, -80}, 777));
    EXPECT_FALSE(begins(kView, {-61, -80}, 777));
}

TEST(Sector, InThreeDimensionsIsPartOfTheSphereAndKnowsNoPitch) {
    constexpr View kView = View::sector(100, 100, kEighth, kEighth);
    EXPECT_TRUE(begins(kView, {0, 0, 100}, 0, Dimensions::three));
    EXPECT_FALSE(begins(kView, {0, 0, -101}, 0, Dimensions::three));
    EXPECT_TRUE(begins(kView, {60, 0, 80}, 0, Dimensions::three));
    EXPECT_FALSE(begins(kView, {61, 0, 80}, 0, Dimensions::three));
    EXPECT_FALSE(begins(kView, {-1, 0, 80}, 0, Dimensions::three));
}

TEST(ViewBounds, HoldsAtTheEndsOfTheFrame) {
    constexpr View kSector = View::sector(kMax, kMax, kEighth, kEighth);
    EXPECT_TRUE(begins(kSector, {-1, kMin}, 0, Dimensions::two, {kMin, kMin}));
    EXPECT_FALSE(begins(kSector, {0, kMin}, 0, Dimensions::two, {kMin, kMin}));
    EXPECT_FALSE(begins(kSector, {kMax, kMax}, 0, Dimensions::two, {kMin, kMin}));
    EXPECT_TRUE(begins(View::rectangle(kMax, kMax, kMax, kMax), {-1, -1}, 0, Dimensions::two,
                       {kMin, kMin}));
    EXPECT_FALSE(
        begins(View::rectangle(kMax, kMax, kMax, kMax), {0, -1}, 0, Dimensions::two, {kMin, kMin}));
}

class RandomViewBounds : public ::testing::TestWithParam<Ground> {};

TEST_P(RandomViewBounds, HoldsWhatTheTextbookHoldsAndItsBoundsHoldItAll) {
    const auto check = [&] {
        const Dimensions dimensions = GetParam().dimensions;
        Entity watcher;
        watcher.view = *view_on(GetParam());
        watcher.facing = *any_angle();
        watcher.position = *position_on(GetParam());
        RC_ASSERT(flaw_of(watcher.view, dimensions) == nullptr);
        const ViewBounds view_bounds(watcher, dimensions);
        for (int i = 0; i < 20; ++i) {
            const Position at = *position_on(GetParam());
            const auto by_the_textbook = [&](bool leave) {
                return is_in_view_by_the_textbook(watcher.view, leave, watcher.position,
                                                  watcher.facing, at, dimensions);
            };
            RC_ASSERT(view_bounds.begins_at(at) == by_the_textbook(false));
            RC_ASSERT(view_bounds.goes_on_at(at) == by_the_textbook(true));
            RC_ASSERT(!view_bounds.begins_at(at) || view_bounds.goes_on_at(at));
            RC_ASSERT(!view_bounds.begins_at(at) || view_bounds.enter_bounds().contains(at));
        }
    };
    check_property(check);
}

INSTANTIATE_TEST_SUITE_P(On, RandomViewBounds, ::testing::ValuesIn(grounds()),
                         [](const auto& ground) { return ground.param.name; });

/// A bound that is far too wide would find everything and cost everything.
TEST(ViewBounds, BoundsOfASectorAreHardlyWiderThanItIs) {
    Entity watcher;
    watcher.view = View::sector(1'000, 2'000, kEighth, kHalfTurn);
    const Rect ahead = ViewBounds(watcher, Dimensions::two).enter_bounds();
    EXPECT_EQ(ahead.max_x, 1'000);
    EXPECT_GE(ahead.min_x, -10);
    EXPECT_LE(ahead.max_y, 718);
    EXPECT_GE(ahead.min_y, -718);
    watcher.view = View::sector(1'000, 1'000, kQuarterTurn, kQuarterTurn);
    watcher.facing = kHalfTurn;
    const Rect behind = ViewBounds(watcher, Dimensions::two).enter_bounds();
    EXPECT_EQ(behind.min_x, -1'000);
    EXPECT_LE(behind.max_x, 10);
    EXPECT_EQ(behind.max_y, 1'000);
}

}  // namespace
}  // namespace marchland::engine::testing
