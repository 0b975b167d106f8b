// What a frame tells: enters, moves, leaves and their reasons; ticks that are left out. Examples.

#include "tests/engine/small_zone.h"

#include <gtest/gtest.h>

namespace marchland::engine::testing {
namespace {

constexpr View kFramesView = View::circle(10, 12);
constexpr LayerMask kGhostLayer = 2;

TEST(Frames, TellAnEnterOnceAndThenNothing) {
    SmallZone zone;
    zone.add(1, {0, 0}, kFramesView);
    zone.add(2, {1, 1}, kFramesView);
    EXPECT_EQ(zone.tick(), (Lines{"1 enter 2", "2 enter 1"}));
    EXPECT_EQ(zone.tick(), Lines{});
    EXPECT_EQ(zone.tick(), Lines{});
}

TEST(Frames, TellAMoveInItsTickOnly) {
    SmallZone zone;
    zone.add(1, {0, 0}, kFramesView);
    zone.add(2, {1, 0});
    zone.tick();
    zone.move(2, {2, 0});
    EXPECT_EQ(zone.tick(), Lines{"1 move 2"});
    EXPECT_EQ(zone.tick(), Lines{});
}

TEST(Frames, DoNotTellTheMovesOfTheWatcherItself) {
    SmallZone zone;
    zone.add(1, {0, 0}, kFramesView);
    zone.add(2, {1, 0});
    zone.tick();
    zone.move(1, {0, 1});
    EXPECT_EQ(zone.tick(), Lines{});
}

TEST(Frames, TellOfAMoveInTheTickOfTheEnterOnlyTheEnter) {
    SmallZone zone;
    zone.add(1, {0, 0}, kFramesView);
    zone.add(2, {50, 0});
    zone.tick();
    zone.move(2, {5, 0});
    EXPECT_EQ(zone.tick(), Lines{"1 enter 2"});
    EXPECT_EQ(zone.tick(), Lines{});
}

TEST(Frames, ListEachKindInAscendingId) {
    SmallZone zone;
    zone.add(5, {0, 0}, kFramesView);
    for (const std::uint64_t id : {9U, 2U, 7U, 0U, 4U}) {
        zone.add(id, {static_cast<std::int32_t>(id), 0});
    }
    EXPECT_EQ(zone.tick(),
              (Lines{"5 enter 0", "5 enter 2", "5 enter 4", "5 enter 7", "5 enter 9"}));
    zone.add(3, {3, 3});
    zone.add(8, {4, 4});
    for (const std::uint64_t id : {7U, 0U}) {
        zone.move(id, {1, 1});
    }
    for (const std::uint64_t id : {4U, 2U}) {
        zone.move(id, {99, 99});
    }
    EXPECT_EQ(zone.tick(), (Lines{"5 leave 2 out_of_range", "5 leave 4 out_of_range", "5 enter 3",
                                  "5 enter 8", "5 move 0", "5 move 7"}));
}

TEST(Frames, OfAWatcherThatJumpsHoldTheWholeDifference) {
    SmallZone zone;
    zone.add(1, {0, 0}, kFramesView);
    zone.add(2, {1, 0});
    zone.add(3, {900, -900});
    zone.tick();
    zone.move(1, {901, -900});
    EXPECT_EQ(zone.tick(), (Lines{"1 leave 2 out_of_range", "1 enter 3"}));
}

TEST(Frames, TellWhoLeftTheZoneAsGone) {
    SmallZone zone;
    zone.add(1, {0, 0}, kFramesView);
    zone.add(2, {1, 0});
    zone.tick();
    zone.remove(2);
    EXPECT_EQ(zone.tick(), Lines{"1 leave 2 gone"});
    EXPECT_EQ(zone.tick(), Lines{});
}

TEST(Frames, TellWhoWentOutOfReachAsOutOfRange) {
    SmallZone zone;
    zone.add(1, {0, 0}, kFramesView);
    zone.add(2, {1, 0});
    zone.tick();
    zone.lose(2);
    EXPECT_EQ(zone.tick(), Lines{"1 leave 2 out_of_range"});
}

TEST(Frames, TellWhoWentOutOfReachAndThenLeftTheZoneAsGone) {
    SmallZone zone;
    zone.add(1, {0, 0}, kFramesView);
    zone.add(2, {1, 0});
    zone.tick();
    const Life departure{EntityId{2}, zone.entity(2).birth};
    zone.lose(2);
    zone.tick_without_frames_for({1});
    zone.interest().record_departure(departure);
    EXPECT_EQ(zone.tick(), Lines{"1 leave 2 gone"});
}

// That it departed may be known before the batch comes that takes it from here.
TEST(Frames, TellWhoIsStillHereAndLeftTheZoneAsGone) {
    SmallZone zone;
    zone.add(1, {0, 0}, kFramesView);
    zone.add(2, {1, 0});
    zone.tick();
    zone.move(2, {13, 0});
    zone.interest().record_departure({EntityId{2}, zone.entity(2).birth});
    EXPECT_EQ(zone.tick(), Lines{"1 leave 2 gone"});
}

TEST(Frames, TellWhoLeftTheSharedLayersAsHidden) {
    SmallZone zone;
    zone.add(1, {0, 0}, kFramesView);
    zone.add(2, {12, 0});
    zone.move(2, {10, 0});
    zone.tick();
    zone.move(2, {12, 0});
    zone.set_layers(2, kGhostLayer, kDefaultLayer);
    EXPECT_EQ(zone.tick(), Lines{"1 leave 2 hidden"});
}

TEST(Frames, TellWhoIsOutOfRangeAndHiddenAsOutOfRange) {
    SmallZone zone;
    zone.add(1, {0, 0}, kFramesView);
    zone.add(2, {1, 0});
    zone.tick();
    zone.move(2, {13, 0});
    zone.set_layers(2, kGhostLayer, kDefaultLayer);
    EXPECT_EQ(zone.tick(), Lines{"1 leave 2 out_of_range"});
}

TEST(Frames, TellAnIdThatLivesAgainAsGoneAndAsAFreshEnter) {
    SmallZone zone;
    zone.add(1, {0, 0}, kFramesView);
    zone.add(2, {1, 0});
    zone.tick();
    zone.remove(2);
    zone.add(2, {1, 0});
    EXPECT_EQ(zone.tick(), (Lines{"1 leave 2 gone", "1 enter 2"}));
}

TEST(Frames, TellAnIdThatLivesAgainFarAwayAsGoneOnly) {
    SmallZone zone;
    zone.add(1, {0, 0}, kFramesView);
    zone.add(2, {1, 0});
    zone.tick();
    zone.lose(2);
    zone.add(2, {500, 0});
    EXPECT_EQ(zone.tick(), Lines{"1 leave 2 gone"});
}

TEST(Frames, DoNotTellOfALifeThatBeginsAndEndsWithinATick) {
    SmallZone zone;
    zone.add(1, {0, 0}, kFramesView);
    zone.add(2, {1, 0});
    zone.remove(2);
    EXPECT_EQ(zone.tick(), Lines{});
}

TEST(Frames, OfAnErasedWatcherAreNoMore) {
    SmallZone zone;
    zone.add(1, {0, 0}, kFramesView);
    zone.add(2, {1, 0}, kFramesView);
    zone.tick();
    zone.remove(1);
    EXPECT_EQ(zone.tick(), Lines{"2 leave 1 gone"});
    zone.add(1, {0, 0});
    EXPECT_FALSE(zone.interest().is_watched(zone.slot(1)));
    EXPECT_EQ(zone.tick(), Lines{"2 enter 1"});
}

TEST(Frames, AfterATickThatWasLeftOutHoldTheWholeDifference) {
    SmallZone zone;
    zone.add(1, {0, 0}, kFramesView);
    zone.add(2, {1, 0});
    zone.add(3, {2, 0});
    zone.tick();
    zone.move(2, {2, 0});
    zone.move(3, {50, 0});
    EXPECT_EQ(zone.tick_without_frames_for({1}), Lines{});
    zone.add(4, {3, 0});
    EXPECT_EQ(zone.tick(), (Lines{"1 leave 3 out_of_range", "1 enter 4", "1 move 2"}));
}

TEST(Frames, DoNotTellWhatCameAndWentWhileTicksWereLeftOut) {
    SmallZone zone;
    zone.add(1, {0, 0}, kFramesView);
    zone.add(2, {50, 0});
    zone.tick();
    zone.move(2, {1, 0});
    zone.tick_without_frames_for({1});
    zone.move(2, {50, 0});
    EXPECT_EQ(zone.tick(), Lines{});
}

TEST(Frames, TellAMoveAfterTheLeaveRangeWasCrossedInATickThatWasLeftOut) {
    SmallZone zone;
    zone.add(1, {0, 0}, kFramesView);
    zone.add(2, {11, 0});
    zone.move(2, {10, 0});
    zone.tick();
    zone.move(2, {13, 0});
    zone.tick_without_frames_for({1});
    zone.move(2, {12, 0});
    EXPECT_EQ(zone.tick(), Lines{"1 move 2"});
}

TEST(Frames, OfIncompleteTicksAreSentAgainUntilACompleteOne) {
    SmallZone zone;
    zone.add(1, {0, 0}, kFramesView);
    zone.add(2, {1, 0});
    zone.tick();
    zone.move(2, {2, 0});
    EXPECT_EQ(zone.incomplete_tick(), Lines{"1 move 2"});
    EXPECT_EQ(zone.incomplete_tick(), Lines{"1 move 2"});
    EXPECT_EQ(zone.tick(), Lines{"1 move 2"});
    EXPECT_EQ(zone.tick(), Lines{});
}

TEST(Frames, FollowTheLastTickOnlyIfItWasSentCompletely) {
    SmallZone zone;
    zone.add(1, {0, 0}, kFramesView);
    zone.tick();
    zone.tick();
    EXPECT_TRUE(zone.last_frame_follows());
    zone.tick_without_frames_for({1});
    zone.tick();
    EXPECT_FALSE(zone.last_frame_follows());
    zone.incomplete_tick();
    EXPECT_TRUE(zone.last_frame_follows());
    zone.tick();
    EXPECT_FALSE(zone.last_frame_follows());
}

TEST(Frames, TellWhatTheExamplesInTheDocumentSay) {
    SmallZone zone;
    zone.add(1, {0, 0}, kFramesView);
    zone.add(2, {10, 0});
    EXPECT_EQ(zone.tick(), Lines{"1 enter 2"});
    EXPECT_EQ(zone.tick(), Lines{});
    zone.move(2, {12, 0});
    EXPECT_EQ(zone.tick(), Lines{"1 move 2"});
    zone.move(2, {11, 0});
    zone.move(2, {12, 0});
    EXPECT_EQ(zone.tick(), Lines{});
    zone.move(2, {12, 1});
    EXPECT_EQ(zone.tick(), Lines{"1 leave 2 out_of_range"});
    zone.move(2, {11, 0});
    EXPECT_EQ(zone.tick(), Lines{});
    zone.move(2, {6, 8});
    EXPECT_EQ(zone.tick(), Lines{"1 enter 2"});
    zone.set_layers(2, kGhostLayer, kDefaultLayer);
    EXPECT_EQ(zone.tick(), Lines{"1 leave 2 hidden"});
    zone.set_layers(2, kDefaultLayer, kDefaultLayer);
    zone.move(2, {0, 0});
    EXPECT_EQ(zone.tick(), Lines{"1 enter 2"});
    zone.remove(2);
    zone.add(2, {0, 0});
    EXPECT_EQ(zone.tick(), (Lines{"1 leave 2 gone", "1 enter 2"}));
    zone.remove(2);
    EXPECT_EQ(zone.tick(), Lines{"1 leave 2 gone"});
    zone.add(3, {0, 3});
    zone.add(4, {0, 500});
    zone.move(1, {0, 500});
    EXPECT_EQ(zone.tick(), Lines{"1 enter 4"});
    zone.set_view(1, View{});
    EXPECT_EQ(zone.tick(), Lines{"1 leave 4 out_of_range"});
}

TEST(Frames, OfTwoWatchersThatAreLeftOutDifferentlyAgreeInTheEnd) {
    SmallZone zone;
    zone.add(1, {0, 0}, kFramesView);
    zone.add(2, {0, 0}, kFramesView);
    zone.set_layers(1, kGhostLayer, kDefaultLayer);  // nobody here sees the two watchers
    zone.set_layers(2, kGhostLayer, kDefaultLayer);
    zone.add(3, {9, 0});
    EXPECT_EQ(zone.tick(), (Lines{"1 enter 3", "2 enter 3"}));
    zone.move(3, {11, 0});
    EXPECT_EQ(zone.tick_without_frames_for({2}), Lines{"1 move 3"});
    zone.move(3, {14, 0});
    EXPECT_EQ(zone.tick_without_frames_for({2}), Lines{"1 leave 3 out_of_range"});
    zone.move(3, {9, 0});
    EXPECT_EQ(zone.tick(), (Lines{"1 enter 3", "2 move 3"}));
}

}  // namespace
}  // namespace marchland::engine::testing
