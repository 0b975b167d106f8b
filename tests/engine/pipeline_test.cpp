// What cells that share their candidates have to get right and random histories rarely meet.

#include "engine/index/grid_cross_list.h"
#include "tests/engine/small_zone.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace marchland::engine::testing {
namespace {

/// Cells are as wide as the leave radius: cell 0 is [0, 10), cell -1 is [-10, 0).
constexpr View kPipelineView = View::circle(10, 10);

/// A zone in which watcher 1 was sent everything of the tick before, so that moves may be sent as
/// differences.
void settle(SmallZone& zone) {
    zone.tick();
    zone.tick();
}

TEST(InterestCells, TellsOfThoseLeftBehindByAWatcherThatCrossesIntoAnotherCell) {
    SmallZone zone;
    zone.add(1, {9, 0}, kPipelineView);
    zone.add(2, {-1, 0});
    zone.add(3, {15, 0}, kPipelineView);  // so that the new cell has watchers already
    settle(zone);
    zone.interest().move(zone.slot(1), {11, 0});  // 2's cell is not beside the new one
    EXPECT_EQ(zone.tick(), (Lines{"1 leave 2 out_of_range", "3 move 1"}));
}

TEST(InterestCells, TellsOfOneThatCrossesOutOfTheCandidates) {
    SmallZone zone;
    zone.add(1, {9, 0}, kPipelineView);
    zone.add(2, {19, 0});
    settle(zone);
    zone.interest().move(zone.slot(2), {20, 0});
    EXPECT_EQ(zone.tick(), Lines{"1 leave 2 out_of_range"});
}

TEST(InterestCells, TellsOfOneThatIsErasedAndOfAnotherAtItsSlot) {
    SmallZone zone;
    zone.add(1, {5, 5}, kPipelineView);
    zone.add(3, {6, 5});
    settle(zone);
    const Slot slot = zone.slot(3);
    zone.remove(3);
    EXPECT_EQ(zone.tick(), Lines{"1 leave 3 gone"});
    zone.add(2, {6, 5});
    ASSERT_EQ(zone.slot(2), slot);
    EXPECT_EQ(zone.tick(), Lines{"1 enter 2"});
    EXPECT_EQ(zone.tick(), Lines{});
}

TEST(InterestCells, TellsOfAMoveUpOrDown) {
    SmallZone zone;
    zone.add(1, {5, 5}, kPipelineView);
    zone.add(2, {6, 5});
    settle(zone);
    zone.interest().move(zone.slot(2), {6, 5, 7});
    EXPECT_EQ(zone.tick(), Lines{"1 move 2"});
}

TEST(InterestCells, TellsNothingOfAMoveThatIsUndone) {
    SmallZone zone;
    zone.add(1, {5, 5}, kPipelineView);
    zone.add(2, {6, 5});
    settle(zone);
    zone.interest().move(zone.slot(2), {40, 5});
    zone.interest().move(zone.slot(2), {6, 5});
    EXPECT_EQ(zone.tick(), Lines{});
}

TEST(InterestCells, KeepsWhoIsBetweenTheRangesAsItWas) {
    SmallZone zone;
    zone.add(1, {0, 0}, View::circle(10, 20));
    zone.add(2, {15, 0});
    zone.add(3, {10, 0});
    settle(zone);
    zone.interest().move(zone.slot(3), {16, 0});
    EXPECT_EQ(zone.tick(), Lines{"1 move 3"});
    zone.interest().move(zone.slot(2), {16, 1});
    zone.interest().move(zone.slot(3), {17, 0});
    EXPECT_EQ(zone.tick(), Lines{"1 move 3"});
}

/// 1 looks, and knows 2, which is between its ranges.
void settle_with_one_between_the_ranges(SmallZone& zone) {
    zone.add(1, {0, 0}, View::circle(10, 20));
    zone.add(2, {9, 0});
    settle(zone);
    zone.move(2, {15, 0});
    zone.tick();
}

TEST(InterestCells, KnowsOneBetweenTheRangesAfterItWentUpOrDown) {
    SmallZone zone;
    settle_with_one_between_the_ranges(zone);
    zone.move(2, {15, 0, 7});
    EXPECT_EQ(zone.tick(), Lines{"1 move 2"});
    zone.move(2, {16, 0, 7});
    EXPECT_EQ(zone.tick(), Lines{"1 move 2"});
}

TEST(InterestCells, KnowsOneBetweenTheRangesThatStoodStillWhileLittleHappened) {
    SmallZone zone;
    settle_with_one_between_the_ranges(zone);
    for (std::uint64_t id = 100; id < 200; ++id) {
        zone.add(id, {-900, -900});  // so that whoever moves is one of few
    }
    zone.add(3, {0, 25});
    settle(zone);
    zone.set_view(1, View::circle(10, 20));  // it looks anew: what it kept in mind is void
    zone.tick();
    zone.move(3, {0, 18});
    EXPECT_EQ(zone.tick(), Lines{});
    zone.move(2, {16, 0});
    EXPECT_EQ(zone.tick(), Lines{"1 move 2"});
}

TEST(InterestCells, ListsMovesThatWereSettledInTheOrderOfTheIds) {
    SmallZone zone;
    zone.add(1, {0, 0}, View::circle(10, 20));
    for (const std::uint64_t id : {2U, 3U, 4U, 5U, 6U}) {
        zone.add(id, {9, 0});
    }
    settle(zone);
    for (const std::uint64_t id : {2U, 4U, 6U}) {
        zone.interest().move(zone.slot(id), {15, 0});  // between the ranges: settled
    }
    for (const std::uint64_t id : {3U, 5U}) {
        zone.interest().move(zone.slot(id), {8, 0});
    }
    EXPECT_EQ(zone.tick(), (Lines{"1 move 2", "1 move 3", "1 move 4", "1 move 5", "1 move 6"}));
}

TEST(InterestCells, TellsAPartyThatTeleportsTogetherWhoCameAlong) {
    SmallZone zone;
    zone.add(1, {-900, -900}, kPipelineView);
    zone.add(2, {-895, -900}, kPipelineView);
    zone.add(3, {-900, -895});
    settle(zone);
    zone.interest().move(zone.slot(1), {900, 900});
    zone.interest().move(zone.slot(2), {905, 900});
    EXPECT_EQ(zone.tick(),
              (Lines{"1 leave 3 out_of_range", "1 move 2", "2 leave 3 out_of_range", "2 move 1"}));
}

TEST(InterestCells, TakesAWatcherThatLooksFurtherThanTheOthersAtItsWord) {
    SmallZone zone;
    for (std::uint64_t id = 1; id <= 20; ++id) {
        zone.add(id, {static_cast<std::int32_t>(id), 0}, kPipelineView);
    }
    zone.add(50, {0, 500}, View::circle(600, 600));
    settle(zone);
    zone.add(60, {0, 1'000});
    EXPECT_EQ(zone.tick(), Lines{"50 enter 60"});
}

TEST(InterestCells, AsksOfACircleItsRadiusAlone) {
    SmallZone zone;
    View view = View::circle(10, 12);
    view.leave_half_y_mm = 30;
    zone.add(1, {0, 0}, view);
    zone.add(2, {10, 0});
    settle(zone);
    zone.move(2, {13, 0});
    EXPECT_EQ(zone.tick(), Lines{"1 leave 2 out_of_range"});
}

Entity newborn(std::uint64_t id, Position at) {
    Entity entity;
    entity.id = EntityId{id};
    entity.position = entity.shown = at;
    entity.view = kPipelineView;
    return entity;
}

InterestSystem unbegun_interest() {
    return {make_grid_cross_list({{-100, -100, 100, 100}, 50}), Dimensions::two};
}

TEST(InterestCells, TellsOfWhoeverWasThereBeforeTheFirstTick) {
    InterestSystem interest = unbegun_interest();
    const std::array<Slot, 2> both{interest.insert(newborn(1, {0, 0})),
                                   interest.insert(newborn(2, {5, 0}))};
    for (const Slot slot : both) {
        interest.watch(slot, {});
    }
    interest.begin_tick(1);
    std::size_t enters = 0;
    interest.build_frames(both, true, [&](const Frame& frame) { enters += frame.enters.size(); });
    EXPECT_EQ(enters, 2U);
}

/// Who had its frame before that is sent it in the next tick.
TEST(InterestCells, TellsAllOfATickInWhichSomethingHappenedBetweenTheFrames) {
    InterestSystem interest = unbegun_interest();
    interest.begin_tick(1);
    const std::array<Slot, 2> both{interest.insert(newborn(1, {0, 0})),
                                   interest.insert(newborn(2, {50, 0}))};
    for (const Slot slot : both) {
        interest.watch(slot, {});
    }
    std::vector<EntityId> entered;
    const FrameSink keep = [&](const Frame& frame) {
        for (const Slot slot : frame.enters) {
            entered.push_back(interest.entities().at(slot).id);
        }
    };
    interest.build_frames(both, true, keep);
    interest.begin_tick(2);
    interest.build_frames({both.data(), 1}, true, keep);
    interest.move(both[1], {5, 0});
    interest.build_frames({both.data() + 1, 1}, true, keep);
    EXPECT_EQ(entered, std::vector<EntityId>{EntityId{1}});
    interest.begin_tick(3);
    interest.build_frames(both, true, keep);
    EXPECT_EQ(entered, (std::vector<EntityId>{EntityId{1}, EntityId{2}}));
}

}  // namespace
}  // namespace marchland::engine::testing
