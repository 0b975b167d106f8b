// Contract point 6: a shard that overruns its tick does not stop the others. They go on with what
// they knew, say so, and know everything again when it is back.

#include "tests/shards/zone_by_hand.h"

#include <gtest/gtest.h>

namespace marchland::tests {
namespace {

using engine::LeaveReason;
using shards::ShardId;

using Ids = std::vector<std::uint64_t>;

TEST(LateShard, OthersGetTheirFramesAndThoseWhoLookThereLearnThatTheBorderIsStale) {
    ZoneByHand zone(2, 1);
    const auto west = zone.add(1, {10, 50, 0});
    const auto at_border = zone.add(2, {53, 50, 0});
    const auto east = zone.add(3, {90, 50, 0});
    zone.step();
    EXPECT_FALSE(at_border->last_frame().border_stale);
    zone.step_with_late({kWest});
    EXPECT_EQ(east->last_frame().tick, 2U);
    EXPECT_FALSE(east->last_frame().border_stale) << "it sees nothing of the late ground";
    EXPECT_TRUE(at_border->last_frame().border_stale);
    EXPECT_FALSE(west->last_frame().border_stale) << "the late one missed nothing itself";
    zone.step();
    EXPECT_FALSE(at_border->last_frame().border_stale);
    EXPECT_EQ(zone.metrics(1).stale_border_ticks_total, 1U);
    EXPECT_EQ(zone.metrics(0).stale_border_ticks_total, 0U);
}

TEST(LateShard, WhoKnowsSomebodyThereLearnsThatTheBorderIsStale) {
    shards::ZoneOptions options = small_world();
    options.notify_leave_radius_mm_max = 60;
    ZoneByHand zone(options, small_layout(2, 1));
    engine::Entity dragon = entity_at(1, {40, 50, 0});
    dragon.notify = {50, 55};
    zone.add(dragon);
    const auto sees_it = zone.add(2, {88, 50, 0});
    zone.step();
    ASSERT_EQ(entered_ids(sees_it->last_frame()), Ids{1});
    zone.step_with_late({kWest});
    EXPECT_TRUE(sees_it->last_frame().border_stale);
}

TEST(LateShard, WhyOneWasLeftThatMayBeThereIsDoubtful) {
    ZoneByHand zone(4, 1);
    const auto watcher = zone.add(1, {28, 50, 0});
    const auto left = zone.add(2, {21, 50, 0});
    zone.step();
    ASSERT_EQ(entered_ids(watcher->last_frame()), Ids{2});
    watcher->next.move = engine::Position{90, 50, 0};
    left->next.leave = true;
    zone.step_with_late({ShardId{0}});
    EXPECT_EQ(watcher->last_frame().leaves, leaves({{2, LeaveReason::out_of_range}}));
    EXPECT_TRUE(watcher->last_frame().border_stale) << "it is gone, which nobody here knows";
}

TEST(LateShard, GhostsStayWhereTheyWereUntilItsBatchComes) {
    ZoneByHand zone(2, 1);
    const auto east = zone.add(1, {51, 50, 0});
    const auto walker = zone.add(2, {45, 50, 0});
    zone.step();
    walker->next.move = engine::Position{46, 50, 0};
    zone.step_with_late({kWest});
    EXPECT_TRUE(east->last_frame().is_empty()) << east->last_frame();
    zone.step();
    ASSERT_EQ(moved_ids(east->last_frame()), Ids{2});
    EXPECT_EQ(east->last_frame().moves.at(0).position, (engine::Position{46, 50, 0}));
    EXPECT_EQ(east->last_frame().moves.at(0).previous, std::nullopt)
        << "whoever was sent it in time and crosses now knows another place";
}

TEST(LateShard, EverythingIsExactAgainInTheTickOfItsReturn) {
    ZoneByHand zone(2, 1);
    const auto east = zone.add(1, {51, 50, 0});
    const auto goes = zone.add(2, {45, 50, 0});
    const auto leaves_zone = zone.add(3, {46, 50, 0});
    const auto comes = zone.add(4, {20, 50, 0});
    const auto hides = zone.add(5, {47, 50, 0});
    zone.step();
    ASSERT_EQ(entered_ids(east->last_frame()), (Ids{2, 3, 5}));
    goes->next.move = engine::Position{20, 50, 0};
    leaves_zone->next.leave = true;
    comes->next.move = engine::Position{45, 50, 0};
    hides->next.layers = {2, 1};
    zone.step_with_late({kWest});
    EXPECT_TRUE(east->last_frame().is_empty()) << east->last_frame();
    zone.step();
    EXPECT_EQ(
        east->last_frame().leaves,
        leaves({{2, LeaveReason::out_of_range}, {3, LeaveReason::gone}, {5, LeaveReason::hidden}}));
    EXPECT_EQ(entered_ids(east->last_frame()), Ids{4});
    EXPECT_FALSE(east->last_frame().border_stale);
}

TEST(LateShard, WhoItHandsOverToWhoIsInTheNextTickAlreadyGoesOnInNobodysAndThatIsSaid) {
    ZoneByHand zone(2, 1);
    const auto walker = zone.add(1, {45, 50, 0});
    const auto watcher = zone.add(2, {60, 50, 0});
    const auto far = zone.add(3, {95, 50, 0});
    zone.step();
    walker->next.move = engine::Position{55, 50, 0};
    zone.begin(kEast, 2);
    zone.finish(kEast, 2);
    zone.begin(kEast, 3);
    walker->asked_count = 0;
    zone.begin(kWest, 2);
    zone.finish(kWest, 2);
    zone.begin(kWest, 3);  // it has caught up when the others' gate opens
    zone.finish(kEast, 3);
    EXPECT_EQ(walker->asked_count, 1U) << "in tick 2";
    EXPECT_EQ(watcher->last_frame().tick, 3U);
    EXPECT_TRUE(watcher->last_frame().border_stale);
    EXPECT_TRUE(walker->last_frame().border_stale);
    EXPECT_FALSE(far->last_frame().border_stale);
    zone.finish(kWest, 3);
    for (const ShardId shard : {kWest, kEast}) {
        zone.begin(shard, 4);
    }
    zone.finish(kEast, 4);
    EXPECT_EQ(walker->asked_count, 2U);
    EXPECT_FALSE(watcher->last_frame().border_stale);
}

TEST(LateShard, WhomItGivesUpWithItsGroundTooLateIsMarkedWhereverThatWas) {
    ZoneByHand zone(2, 1);
    zone.add(1, {20, 50, 0});
    const auto watcher = zone.add(2, {52, 50, 0});
    const auto in_given_up = zone.add(3, {46, 50, 0});
    zone.step();
    zone.step();
    // The west gives up all but a strip, to the east.
    const engine::Tick from =
        zone.change_layout(std::get<shards::Layout>(shards::Layout::from_regions(
            small_world().world, {{"0", {0, 0, 4, 99}}, {"1", {5, 0, 99, 99}}})));
    ASSERT_EQ(zone.zone().shard_count(), 2U) << "they keep their names";
    zone.begin(kEast, from);
    zone.finish(kEast, from);
    zone.begin(kEast, from + 1);
    zone.begin(kWest, from);
    zone.finish(kWest, from);
    zone.begin(kWest, from + 1);
    zone.finish(kEast, from + 1);
    EXPECT_EQ(in_given_up->last_frame().tick, from + 1);
    EXPECT_TRUE(in_given_up->last_frame().border_stale);
    EXPECT_TRUE(watcher->last_frame().border_stale);
}

TEST(LateShard, EntityThatItHandsOverIsNeitherLostNorDoubled) {
    ZoneByHand zone(2, 1);
    const auto walker = zone.add(1, {45, 50, 0});
    zone.add(2, {47, 50, 0});
    zone.step();
    walker->next.move = engine::Position{55, 50, 0};
    zone.step_with_late({kWest});
    EXPECT_LE(zone.owners_of(1).size(), 1U) << "it may be on its way";
    zone.step();
    EXPECT_EQ(zone.owners_of(1), std::vector{kEast});
    EXPECT_TRUE(walker->last_frame().is_empty()) << "it knew number 2 all along";
    EXPECT_EQ(walker->last_frame().tick, 3U);
    EXPECT_EQ(walker->removed_count, 0U);
}

TEST(LateShard, EntityThatIsHandedOverToItIsFramedInThatTick) {
    ZoneByHand zone(2, 1);
    const auto walker = zone.add(1, {55, 50, 0});
    zone.step();
    walker->next.move = engine::Position{40, 50, 0};
    zone.step_with_late({kWest});
    EXPECT_EQ(zone.owners_of(1), std::vector{kWest});
    EXPECT_EQ(walker->last_frame().tick, 2U);
}

TEST(LateShard, WatcherThatCrossedMeanwhileBelievesEverybodyToBeWhereTheyAre) {
    ZoneByHand zone(2, 1);
    const auto watcher = zone.add(1, {51, 50, 0});
    const auto walker = zone.add(2, {45, 50, 0});
    zone.step();
    // The west is late: its own client knows of the step, the east's does not.
    walker->next.move = engine::Position{46, 50, 0};
    zone.step_with_late({kWest});
    watcher->next.move = engine::Position{45, 50, 0};
    zone.step_to(*walker, {47, 50, 0});
    ASSERT_EQ(zone.owners_of(1), std::vector{kWest});
    ASSERT_EQ(moved_ids(watcher->last_frame()), Ids{2});
    const SentMove& sent = watcher->last_frame().moves.at(0);
    EXPECT_EQ(sent.position, (engine::Position{47, 50, 0}));
    EXPECT_TRUE(sent.previous == std::nullopt || *sent.previous == (engine::Position{45, 50, 0}))
        << "45 is the last that this client was sent";
}

TEST(LateShard, HandOverFromBeforeALayoutThatNobodyCouldTellOfMarksTheFirstTickOfIt) {
    shards::ZoneOptions options = small_world();
    options.leave_radius_mm_max = 40;
    ZoneByHand zone(options, small_layout(3, 1));
    engine::Entity sees = entity_at(1, {78, 50, 0});
    sees.view = engine::View::circle(30, 40);
    const auto watcher = zone.add(sees);
    const auto walker = zone.add(2, {60, 50, 0});
    zone.step();
    ASSERT_EQ(entered_ids(watcher->last_frame()), Ids{2});
    walker->next.move = engine::Position{70, 50, 0};
    zone.step_with_late(
        {kEast});  // the middle one hands the walker over when the others are through
    zone.change_layout(small_layout(4, 1));
    zone.step();
    EXPECT_TRUE(watcher->last_frame().border_stale)
        << "its new shard does not know of the walker yet";
    zone.step();
    EXPECT_FALSE(watcher->last_frame().border_stale);
    zone.step();
    EXPECT_TRUE(watcher->last_frame().is_empty()) << watcher->last_frame();
}

TEST(LateShard, IdThatLeftItMayJoinAgainElsewhereBeforeItsBatchIsSent) {
    ZoneByHand zone(2, 1);
    const auto watcher = zone.add(1, {51, 50, 0});
    const auto leaver = zone.add(2, {45, 50, 0});
    zone.step();
    leaver->next.leave = true;
    zone.step_with_late({kWest});
    ASSERT_EQ(leaver->removed_count, 1U);
    zone.add(2, {52, 50, 0});
    zone.step();
    EXPECT_EQ(zone.owners_of(2), std::vector{kEast});
    EXPECT_EQ(watcher->last_frame().leaves, leaves({{2, LeaveReason::gone}}));
    EXPECT_EQ(entered_ids(watcher->last_frame()), Ids{2});
    zone.step();
    EXPECT_TRUE(watcher->last_frame().is_empty()) << watcher->last_frame();
}

TEST(LateShard, IdMayJoinAgainElsewhereThoughABatchOfItsLifeBeforeIsStillToBeRead) {
    ZoneByHand zone(2, 1);
    const auto watcher = zone.add(1, {51, 50, 0});
    const auto old = zone.add(2, {45, 50, 0});
    zone.step();
    for (const engine::Tick tick : {2, 3}) {
        zone.begin(kEast, tick);
        zone.finish(kEast, tick);
    }
    old->next.move = engine::Position{46, 50, 0};
    zone.begin(kWest, 2);
    zone.finish(kWest, 2);
    old->next.leave = true;
    zone.begin(kWest, 3);
    ASSERT_EQ(old->removed_count, 1U);
    zone.add(2, {52, 50, 0});
    zone.begin(kEast, 4);
    zone.finish(kWest, 3);
    zone.finish(kEast, 4);
    EXPECT_EQ(zone.owners_of(2), std::vector{kEast});
    EXPECT_EQ(watcher->last_frame().leaves, leaves({{2, LeaveReason::gone}}));
    EXPECT_EQ(entered_ids(watcher->last_frame()), Ids{2});
}

TEST(LateShard, IdJoinsAgainInATickAfterTheOneThatItLeftIn) {
    ZoneByHand zone(2, 1);
    const auto watcher = zone.add(1, {51, 50, 0});
    const auto old = zone.add(2, {45, 50, 0});
    zone.step();
    for (const engine::Tick tick : {2, 3, 4}) {
        old->next.move = engine::Position{45, 50 + static_cast<std::int32_t>(tick), 0};
        old->next.leave = tick == 4;
        zone.begin(kWest, tick);
        zone.finish(kWest, tick);
    }
    ASSERT_EQ(old->removed_count, 1U);
    zone.add(2, {52, 50, 0});
    for (const engine::Tick tick : {2, 3, 4, 5}) {
        EXPECT_TRUE(zone.owners_of(2).empty());
        zone.begin(kEast, tick);
        zone.finish(kEast, tick);
    }
    EXPECT_EQ(zone.owners_of(2), std::vector{kEast});
    EXPECT_EQ(watcher->frames.at(3).leaves, leaves({{2, LeaveReason::gone}}));
    EXPECT_EQ(entered_ids(watcher->last_frame()), Ids{2});
}

TEST(LateShard, AllButOneMayBeLate) {
    ZoneByHand zone(4, 1);
    const auto on_time = zone.add(1, {5, 50, 0});
    const auto late = zone.add(2, {95, 50, 0});
    zone.step();
    for (int i = 0; i < 5; ++i) {
        zone.step_with_late({ShardId{1}, ShardId{2}, ShardId{3}});
    }
    EXPECT_EQ(on_time->frames.size(), 6U);
    EXPECT_EQ(late->frames.size(), 6U);
    zone.step_to(*late, {12, 50, 0});
    EXPECT_EQ(entered_ids(on_time->last_frame()), Ids{2});
    EXPECT_FALSE(on_time->last_frame().border_stale);
}

}  // namespace
}  // namespace marchland::tests
