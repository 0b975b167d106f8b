// Who is visible: the enter range, the leave range, notification ranges, layers. Examples; the
// whole contract is tried with random histories in visibility_property_test.cpp.

#include "tests/engine/ground.h"
#include "tests/engine/small_zone.h"

#include <gtest/gtest.h>

#include <limits>

namespace marchland::engine::testing {
namespace {

constexpr View kView5 = View::circle(5, 5);
constexpr View kView10To12 = View::circle(10, 12);
constexpr LayerMask kGhostLayer = 2;

TEST(Visibility, DistanceOfExactlyTheRadiusIsSeen) {
    SmallZone zone;
    zone.add(1, {0, 0}, kView5);
    zone.add(2, {5, 0});
    zone.add(3, {0, -5});
    EXPECT_EQ(zone.tick(), (Lines{"1 enter 2", "1 enter 3"}));
}

TEST(Visibility, OneMillimetreMoreThanTheRadiusIsNotSeen) {
    SmallZone zone;
    zone.add(1, {0, 0}, kView5);
    zone.add(2, {6, 0});
    zone.add(3, {0, -6});
    EXPECT_EQ(zone.tick(), Lines{});
}

TEST(Visibility, IsACircle) {
    SmallZone zone;
    zone.add(1, {0, 0}, kView5);
    zone.add(2, {3, 4});
    zone.add(3, {-4, 3});
    zone.add(4, {4, 4});
    zone.add(5, {5, 1});
    EXPECT_EQ(zone.tick(), (Lines{"1 enter 2", "1 enter 3"}));
}

TEST(Visibility, ReachesIntoAllNineCellsAround) {
    SmallZone zone;
    zone.add(1, {25, 25}, View::circle(60, 60));
    std::uint64_t id = 2;
    for (const std::int32_t y : {-15, 25, 65}) {
        for (const std::int32_t x : {-15, 25, 65}) {
            zone.add(id++, {x, y});
        }
    }
    EXPECT_EQ(zone.tick(), (Lines{"1 enter 2", "1 enter 3", "1 enter 4", "1 enter 5", "1 enter 6",
                                  "1 enter 7", "1 enter 8", "1 enter 9", "1 enter 10"}));
}

TEST(Visibility, OfRadiusZeroIsTheSamePoint) {
    SmallZone zone;
    zone.add(1, {7, 7}, View::circle(0, 0));
    zone.add(2, {7, 7});
    zone.add(3, {7, 8});
    EXPECT_EQ(zone.tick(), Lines{"1 enter 2"});
}

TEST(Visibility, NobodySeesItself) {
    SmallZone zone;
    zone.add(0, {0, 0}, kView5);
    EXPECT_EQ(zone.tick(), Lines{});
}

TEST(Visibility, IsNotMutual) {
    SmallZone zone;
    zone.add(1, {0, 0}, View::circle(20, 20));
    zone.add(2, {15, 0}, kView5);
    EXPECT_EQ(zone.tick(), Lines{"1 enter 2"});
}

TEST(Visibility, MarkersSeeNothing) {
    SmallZone zone;
    zone.add(1, {0, 0}, kView5);
    zone.add(2, {1, 0});
    zone.add(3, {2, 0});
    EXPECT_EQ(zone.tick(), (Lines{"1 enter 2", "1 enter 3"}));
}

TEST(Visibility, IgnoresHeightInAFlatZone) {
    SmallZone zone(Dimensions::two);
    zone.add(1, {0, 0, 0}, kView5);
    zone.add(2, {3, 4, 1'000});
    EXPECT_EQ(zone.tick(), Lines{"1 enter 2"});
}

TEST(Visibility, IsASphereInThreeDimensions) {
    SmallZone zone(Dimensions::three);
    zone.add(1, {0, 0, 0}, View::circle(7, 7));
    zone.add(2, {2, 3, 6});
    zone.add(3, {2, 3, 7});
    EXPECT_EQ(zone.tick(), Lines{"1 enter 2"});
}

TEST(Visibility, GoesOnAsFarAsTheLeaveRange) {
    SmallZone zone;
    zone.add(1, {0, 0}, kView10To12);
    zone.add(2, {10, 0});
    zone.tick();
    zone.move(2, {12, 0});
    EXPECT_EQ(zone.tick(), Lines{"1 move 2"});
    zone.move(2, {13, 0});
    EXPECT_EQ(zone.tick(), Lines{"1 leave 2 out_of_range"});
}

TEST(Visibility, DoesNotBeginInTheLeaveRange) {
    SmallZone zone;
    zone.add(1, {0, 0}, kView10To12);
    zone.add(2, {13, 0});
    zone.tick();
    zone.move(2, {11, 0});
    EXPECT_EQ(zone.tick(), Lines{});
    zone.move(2, {10, 0});
    EXPECT_EQ(zone.tick(), Lines{"1 enter 2"});
}

TEST(Visibility, NeedsASharedLayer) {
    SmallZone zone;
    zone.add(1, {0, 0}, kView5);
    zone.add(2, {1, 0});
    zone.set_layers(2, kGhostLayer, kDefaultLayer);
    EXPECT_EQ(zone.tick(), Lines{});
    zone.set_layers(1, kDefaultLayer, kDefaultLayer | kGhostLayer);
    EXPECT_EQ(zone.tick(), Lines{"1 enter 2"});
}

TEST(Visibility, OfAnEntityInNoLayerIsNever) {
    SmallZone zone;
    zone.add(1, {0, 0}, kView5);
    zone.add(2, {1, 0});
    zone.set_layers(1, kDefaultLayer, ~kNoLayers);
    zone.set_layers(2, kNoLayers, kDefaultLayer);
    EXPECT_EQ(zone.tick(), Lines{});
}

TEST(Visibility, FollowsAChangeOfTheView) {
    SmallZone zone;
    zone.add(1, {0, 0}, kView5);
    zone.add(2, {8, 0});
    EXPECT_EQ(zone.tick(), Lines{});
    zone.set_view(1, View::circle(8, 8));
    EXPECT_EQ(zone.tick(), Lines{"1 enter 2"});
    zone.set_view(1, View::circle(0, 7));
    EXPECT_EQ(zone.tick(), Lines{"1 leave 2 out_of_range"});
}

TEST(Visibility, EndsWithTheView) {
    SmallZone zone;
    zone.add(1, {0, 0}, kView5);
    zone.add(2, {0, 0});
    zone.tick();
    zone.set_view(1, View{});
    EXPECT_EQ(zone.tick(), Lines{"1 leave 2 out_of_range"});
    EXPECT_EQ(zone.tick(), Lines{});
}

TEST(Visibility, OfASectorFollowsTheFacingInTheSameTick) {
    SmallZone zone;
    zone.add(1, {0, 0}, View::sector(10, 10, kQuarterTurn / 2, kQuarterTurn / 2));
    zone.add(2, {5, 5});
    zone.add(3, {-5, 0});
    EXPECT_EQ(zone.tick(), Lines{"1 enter 2"});
    zone.set_facing(1, kHalfTurn);
    EXPECT_EQ(zone.tick(), (Lines{"1 leave 2 out_of_range", "1 enter 3"}));
}

TEST(Visibility, OfASectorGoesOnAsFarAsItsLeaveOpening) {
    SmallZone zone;
    zone.add(1, {0, 0}, View::sector(10, 12, 0, kQuarterTurn / 2));
    zone.add(2, {10, 0});
    EXPECT_EQ(zone.tick(), Lines{"1 enter 2"});
    zone.set_facing(1, kQuarterTurn / 2);
    EXPECT_EQ(zone.tick(), Lines{});
    zone.set_facing(1, kQuarterTurn / 2 + 1);
    EXPECT_EQ(zone.tick(), Lines{"1 leave 2 out_of_range"});
}

TEST(Visibility, OfARectangleHasALeaveRangeForEachAxis) {
    SmallZone zone;
    zone.add(1, {0, 0}, View::rectangle(10, 2, 10, 4));
    zone.add(2, {10, 2});
    zone.tick();
    zone.move(2, {10, 4});
    EXPECT_EQ(zone.tick(), Lines{"1 move 2"});
    zone.move(2, {10, 5});
    EXPECT_EQ(zone.tick(), Lines{"1 leave 2 out_of_range"});
}

TEST(Notification, ShowsAnEntityToWhoeverWatchesWhateverTheView) {
    SmallZone zone;
    zone.add(1, {0, 0}, kView5);
    zone.add(2, {300, 0}, View::sector(5, 5, 0, 0));
    zone.add(3, {0, 300});
    zone.add(4, {150, 0});
    zone.set_notify(4, {150, 200});
    EXPECT_EQ(zone.tick(), (Lines{"1 enter 4", "2 enter 4"}));
}

TEST(Notification, HasALeaveRangeOfItsOwn) {
    SmallZone zone;
    zone.add(1, {0, 0}, kView5);
    zone.add(2, {101, 0});
    zone.set_notify(2, {100, 120});
    EXPECT_EQ(zone.tick(), Lines{});
    zone.move(2, {100, 0});
    EXPECT_EQ(zone.tick(), Lines{"1 enter 2"});
    zone.move(2, {120, 0});
    EXPECT_EQ(zone.tick(), Lines{"1 move 2"});
    zone.move(2, {121, 0});
    EXPECT_EQ(zone.tick(), Lines{"1 leave 2 out_of_range"});
}

TEST(Notification, EndsWhenItIsTakenBack) {
    SmallZone zone;
    zone.add(1, {0, 0}, kView5);
    zone.add(2, {100, 0});
    zone.set_notify(2, {100, 100});
    EXPECT_EQ(zone.tick(), Lines{"1 enter 2"});
    zone.set_notify(2, {});
    EXPECT_EQ(zone.tick(), Lines{"1 leave 2 out_of_range"});
}

TEST(Notification, KeepsWhoWasSeenInAView) {
    SmallZone zone;
    zone.add(1, {0, 0}, kView5);
    zone.add(2, {5, 0});
    zone.set_notify(2, {0, 50});
    EXPECT_EQ(zone.tick(), Lines{"1 enter 2"});
    zone.move(2, {50, 0});
    EXPECT_EQ(zone.tick(), Lines{"1 move 2"});
}

TEST(Notification, NeedsASharedLayerAndAView) {
    SmallZone zone;
    zone.add(1, {0, 0}, kView5);
    zone.add(2, {100, 0});
    zone.set_notify(2, {100, 100});
    zone.tick();
    zone.set_layers(2, kGhostLayer, kDefaultLayer);
    EXPECT_EQ(zone.tick(), Lines{"1 leave 2 hidden"});
    zone.set_layers(2, kDefaultLayer, kDefaultLayer);
    EXPECT_EQ(zone.tick(), Lines{"1 enter 2"});
    zone.set_view(1, View{});
    EXPECT_EQ(zone.tick(), Lines{"1 leave 2 out_of_range"});
}

TEST(Notification, IsASphereInThreeDimensions) {
    SmallZone zone(Dimensions::three);
    zone.add(1, {0, 0, 0}, kView5);
    zone.add(2, {60, 0, 80});
    zone.add(3, {60, 0, 81});
    zone.set_notify(2, {100, 100});
    zone.set_notify(3, {100, 100});
    EXPECT_EQ(zone.tick(), Lines{"1 enter 2"});
}

TEST(Visibility, SpansTheWholePlaneWithoutOverflow) {
    EXPECT_TRUE(is_within({0, 0}, {kMax, 0}, kMax, Dimensions::two));
    EXPECT_FALSE(is_within({-1, 0}, {kMax, 0}, kMax, Dimensions::two));
    EXPECT_FALSE(is_within({kMin, kMin, kMin}, {kMax, kMax, kMax}, kMax, Dimensions::three));
}

}  // namespace
}  // namespace marchland::engine::testing
