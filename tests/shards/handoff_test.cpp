// Who owns an entity, and what its client notices of a change: nothing. Two shards side by side
// meet between x = 49 and x = 50; a border holds what it owns for 3 mm more.

#include "tests/shards/zone_by_hand.h"

#include <gtest/gtest.h>

namespace marchland::tests {
namespace {

using engine::LeaveReason;
using shards::ShardId;

using Ids = std::vector<std::uint64_t>;
using Owners = std::vector<ShardId>;

TEST(Handoff, EntityJoinsTheShardWhoseRegionItIsIn) {
    ZoneByHand zone(2, 1);
    zone.add(1, {49, 0, 0});
    zone.add(2, {50, 0, 0});
    zone.step();
    EXPECT_EQ(zone.owners_of(1), Owners{kWest});
    EXPECT_EQ(zone.owners_of(2), Owners{kEast});
}

TEST(Handoff, OwnerKeepsAnEntityUpToTheHysteresisAndNotOneMillimetreFurther) {
    ZoneByHand zone(2, 1);
    const auto walker = zone.add(1, {40, 50, 0});
    zone.step();
    zone.step_to(*walker, {49 + kHysteresisMm, 50, 0});
    EXPECT_EQ(zone.owners_of(1), Owners{kWest});
    zone.step_to(*walker, {50 + kHysteresisMm, 50, 0});
    EXPECT_EQ(zone.owners_of(1), Owners{kEast});
    zone.step_to(*walker, {50 - kHysteresisMm, 50, 0});
    EXPECT_EQ(zone.owners_of(1), Owners{kEast});
    zone.step_to(*walker, {49 - kHysteresisMm, 50, 0});
    EXPECT_EQ(zone.owners_of(1), Owners{kWest});
    EXPECT_EQ(zone.metrics(0).handoffs_total, 1U);
    EXPECT_EQ(zone.metrics(1).handoffs_total, 1U);
}

TEST(Handoff, PacingOnABorderDoesNotBounceTheOwner) {
    ZoneByHand zone(2, 1);
    const auto walker = zone.add(1, {49, 50, 0});
    zone.step();
    for (int i = 0; i < 20; ++i) {
        zone.step_to(*walker, {i % 2 == 0 ? 49 + kHysteresisMm : 40, 50, 0});
        ASSERT_EQ(zone.owners_of(1), Owners{kWest});
    }
    EXPECT_EQ(zone.metrics(0).handoffs_total, 0U);
}

TEST(Handoff, CrossingClientGetsAFrameInEveryTick) {
    ZoneByHand zone(2, 1);
    const auto walker = zone.add(1, {30, 50, 0});
    for (int x = 30; x < 70; x += 3) {
        zone.step_to(*walker, {x, 50, 0});
    }
    ASSERT_EQ(zone.metrics(0).handoffs_total, 1U);
    ASSERT_EQ(walker->frames.size(), 14U);
    for (std::size_t i = 0; i < walker->frames.size(); ++i) {
        EXPECT_EQ(walker->frames[i].tick, i + 1);
    }
}

TEST(Handoff, CrossingWatcherKeepsWhatItKnows) {
    ZoneByHand zone(2, 1);
    const auto walker = zone.add(1, {49, 50, 0});
    zone.add(2, {45, 50, 0});  // stays in the west
    zone.add(3, {57, 50, 0});  // stays in the east
    zone.step();
    EXPECT_EQ(entered_ids(walker->last_frame()), (Ids{2, 3}));
    zone.step_to(*walker, {53, 50, 0});
    ASSERT_EQ(zone.owners_of(1), Owners{kEast});
    EXPECT_TRUE(walker->last_frame().is_empty()) << walker->last_frame();
    zone.step_to(*walker, {56, 50, 0});
    EXPECT_EQ(walker->last_frame().leaves, leaves({{2, LeaveReason::out_of_range}}));
}

TEST(Handoff, WatchersOnBothSidesSeeACrossingAsOneMove) {
    ZoneByHand zone(2, 1);
    const auto west = zone.add(1, {45, 50, 0});
    const auto east = zone.add(2, {57, 50, 0});
    const auto walker = zone.add(3, {49, 50, 0});
    zone.step();
    zone.step_to(*walker, {51, 50, 0});
    zone.step_to(*walker, {53, 50, 0});
    ASSERT_EQ(zone.owners_of(3), Owners{kEast});
    for (const auto& watcher : {west, east}) {
        const std::vector<SentMove> crossing{
            {engine::EntityId{3}, {53, 50, 0}, engine::Position{51, 50, 0}}};
        EXPECT_EQ(watcher->last_frame().moves, crossing);
        EXPECT_TRUE(watcher->last_frame().enters.empty());
        EXPECT_TRUE(watcher->last_frame().leaves.empty());
    }
}

TEST(Handoff, CornerIsCrossedInOneTick) {
    ZoneByHand zone(2, 2);
    const auto walker = zone.add(1, {49, 49, 0});
    const auto watcher = zone.add(2, {55, 49, 0});
    zone.step();
    zone.step_to(*walker, {54, 54, 0});
    EXPECT_EQ(zone.owners_of(1), Owners{ShardId{3}});
    EXPECT_EQ(moved_ids(watcher->last_frame()), Ids{1});
    EXPECT_EQ(walker->last_frame().tick, 2U);
}

TEST(Handoff, JumpBetweenShardsThatDoNotTouchTakesOneTick) {
    ZoneByHand zone(4, 1);
    const auto jumper = zone.add(1, {5, 50, 0});
    const auto left_behind = zone.add(2, {8, 50, 0});
    const auto ahead = zone.add(3, {95, 50, 0});
    zone.step();
    zone.step_to(*jumper, {92, 50, 0});
    EXPECT_EQ(zone.owners_of(1), Owners{ShardId{3}});
    EXPECT_EQ(jumper->last_frame().leaves, leaves({{2, LeaveReason::out_of_range}}));
    EXPECT_EQ(entered_ids(jumper->last_frame()), Ids{3});
    EXPECT_EQ(left_behind->last_frame().leaves, leaves({{1, LeaveReason::out_of_range}}));
    EXPECT_EQ(entered_ids(ahead->last_frame()), Ids{1});
}

TEST(Handoff, EntityThatReturnsAtOnceIsTheSameEntity) {
    ZoneByHand zone(2, 1);
    const auto walker = zone.add(1, {40, 50, 0});
    const auto watcher = zone.add(2, {47, 50, 0});
    zone.step();
    for (int i = 0; i < 6; ++i) {
        zone.step_to(*walker, {i % 2 == 0 ? 55 : 44, 50, 0});
        EXPECT_EQ(moved_ids(watcher->last_frame()), Ids{1});
        EXPECT_TRUE(watcher->last_frame().enters.empty());
    }
    EXPECT_EQ(zone.metrics(0).handoffs_total + zone.metrics(1).handoffs_total, 6U);
}

TEST(Handoff, ViewAndLayersTravelAlong) {
    ZoneByHand zone(2, 1);
    const auto walker = zone.add(1, {40, 50, 0});
    const auto cloaked = zone.add(2, {60, 50, 0});
    walker->next.view = engine::View::circle(2, 2);
    walker->next.layers = {engine::kDefaultLayer, 4};
    cloaked->next.layers = {4, engine::kDefaultLayer};
    zone.step();
    zone.step_to(*walker, {57, 50, 0});
    EXPECT_TRUE(walker->last_frame().is_empty());
    zone.step_to(*walker, {58, 50, 0});
    EXPECT_EQ(entered_ids(walker->last_frame()), Ids{2});
}

TEST(Handoff, FacingTravelsAlong) {
    ZoneByHand zone(2, 1);
    const auto walker = zone.add(1, {40, 50, 0});
    zone.add(2, {60, 55, 0});
    zone.add(3, {60, 45, 0});
    walker->next.view = engine::View::sector(10, 10, 0, 0);
    walker->next.facing = engine::kQuarterTurn;
    zone.step();
    zone.step_to(*walker, {60, 50, 0});
    EXPECT_EQ(entered_ids(walker->last_frame()), Ids{2});
    walker->next.facing = static_cast<engine::Angle>(3 * engine::kQuarterTurn);
    zone.step();
    EXPECT_EQ(entered_ids(walker->last_frame()), Ids{3});
    EXPECT_EQ(walker->last_frame().leaves, leaves({{2, LeaveReason::out_of_range}}));
}

TEST(Handoff, FirstWishAfterACrossingMayBeForLayers) {
    ZoneByHand zone(2, 1);
    const auto walker = zone.add(1, {40, 50, 0});
    const auto watcher = zone.add(2, {49, 50, 0});
    zone.step();
    zone.step_to(*walker, {55, 50, 0});
    walker->next.layers = {4, 4};
    zone.step();
    EXPECT_EQ(watcher->last_frame().leaves, leaves({{1, LeaveReason::hidden}}));
}

TEST(Handoff, PortIsAskedOnceInEveryTickWhoeverOwnsIt) {
    ZoneByHand zone(2, 1);
    const auto walker = zone.add(1, {40, 50, 0});
    for (std::size_t tick = 1; tick <= 10; ++tick) {
        zone.step_to(*walker, {tick % 2 == 0 ? 30 : 70, 50, 0});
        EXPECT_EQ(walker->asked_count, tick);
    }
    EXPECT_EQ(zone.metrics(0).handoffs_total + zone.metrics(1).handoffs_total, 10U);
}

TEST(Handoff, LeavingInTheTickOfACrossingRemovesTheEntityOnce) {
    ZoneByHand zone(2, 1);
    const auto walker = zone.add(1, {40, 50, 0});
    const auto watcher = zone.add(2, {45, 50, 0});
    zone.step();
    walker->next.leave = true;
    zone.step_to(*walker, {60, 50, 0});
    EXPECT_EQ(walker->removed_count, 1U);
    EXPECT_TRUE(zone.owners_of(1).empty());
    EXPECT_EQ(watcher->last_frame().leaves, leaves({{1, LeaveReason::gone}}));
    zone.step();
    EXPECT_EQ(walker->removed_count, 1U);
}

}  // namespace
}  // namespace marchland::tests
