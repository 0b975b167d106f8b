// A new layout at run time: in force in one tick for all shards, and nothing that a client notices.

#include "tests/shards/zone_by_hand.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace marchland::tests {
namespace {

using engine::LeaveReason;
using engine::Tick;
using shards::Layout;
using shards::Region;
using shards::ShardId;

using Ids = std::vector<std::uint64_t>;
using Shards = std::vector<ShardId>;

constexpr ShardId k0{0};
constexpr ShardId k1{1};
constexpr ShardId k2{2};

/// Strips of the small world from west to east, each with the x that it begins at.
Layout strips(std::vector<std::pair<std::string, std::int64_t>> begins) {
    std::vector<Region> regions;
    for (std::size_t i = 0; i < begins.size(); ++i) {
        const std::int64_t end = i + 1 < begins.size() ? begins[i + 1].second : 100;
        regions.push_back({begins[i].first, {begins[i].second, 0, end - 1, 99}});
    }
    return std::get<Layout>(Layout::from_regions(small_world().world, std::move(regions)));
}

ZoneByHand zone_of(Layout layout) {
    return {small_world(), std::move(layout)};
}

TEST(LayoutChange, IsInForceInTheNextTickForAllShards) {
    ZoneByHand zone = zone_of(strips({{"west", 0}, {"east", 50}}));
    zone.add(1, {40, 50, 0});
    zone.step();
    ASSERT_EQ(zone.owners_of(1), Shards{k0});
    EXPECT_EQ(zone.change_layout(strips({{"west", 0}, {"east", 20}})), 2U);
    EXPECT_EQ(zone.owners_of(1), Shards{k0}) << "nothing happens between two ticks";
    EXPECT_EQ(zone.step(), 2U);
    EXPECT_EQ(zone.owners_of(1), Shards{k1});
    EXPECT_EQ(zone.metrics(0).handoffs_total, 1U);
    EXPECT_EQ(zone.zone().layout_changes_total(), 1U);
}

TEST(LayoutChange, ClientIsFramedByItsNewOwnerInThatTickAndTheFrameIsEmpty) {
    ZoneByHand zone = zone_of(strips({{"west", 0}, {"east", 50}}));
    const auto watcher = zone.add(1, {40, 50, 0});
    zone.add(2, {36, 50, 0});
    zone.add(3, {44, 50, 0});
    zone.step();
    ASSERT_EQ(entered_ids(watcher->last_frame()), (Ids{2, 3}));
    zone.change_layout(strips({{"west", 0}, {"middle", 38}, {"east", 42}}));
    zone.step();
    EXPECT_EQ(watcher->last_frame().tick, 2U);
    EXPECT_TRUE(watcher->last_frame().is_empty()) << watcher->last_frame();
    EXPECT_FALSE(watcher->last_frame().border_stale);
}

TEST(LayoutChange, WhoStaysWithinTheHysteresisIsNotHandedOver) {
    ZoneByHand zone = zone_of(strips({{"west", 0}, {"east", 50}}));
    zone.add(1, {48, 50, 0});
    zone.add(2, {49, 50, 0});
    zone.step();
    zone.change_layout(strips({{"west", 0}, {"east", 46}}));
    zone.step();
    EXPECT_EQ(zone.owners_of(1), Shards{k0}) << "48 is the third millimetre of the east";
    EXPECT_EQ(zone.owners_of(2), Shards{k1});
}

TEST(LayoutChange, GhostsThatNobodyNeedsAnyMoreGo) {
    ZoneByHand zone = zone_of(strips({{"west", 0}, {"east", 50}}));
    zone.add(1, {45, 50, 0});
    zone.add(2, {55, 50, 0});
    zone.step();
    ASSERT_EQ(zone.metrics(0).ghosts + zone.metrics(1).ghosts, 2U);
    zone.change_layout(strips({{"west", 0}, {"east", 75}}));
    zone.step();
    EXPECT_EQ(zone.owners_of(2), Shards{k0});
    EXPECT_EQ(zone.metrics(0).ghosts + zone.metrics(1).ghosts, 0U);
}

TEST(LayoutChange, AddedShardRunsFromThatTickOn) {
    ZoneByHand zone = zone_of(strips({{"all", 0}}));
    const auto watcher = zone.add(1, {90, 50, 0});
    zone.step();
    zone.change_layout(strips({{"all", 0}, {"east", 50}}));
    zone.step();
    EXPECT_EQ(zone.zone().running_shards(), (Shards{k0, k1}));
    EXPECT_EQ(zone.owners_of(1), Shards{k1});
    EXPECT_FALSE(watcher->last_frame().border_stale);
    EXPECT_EQ(zone.metrics(1).tick, 2U);
}

TEST(LayoutChange, ShardWithoutARegionHandsOverAllItOwnsAndIsGone) {
    ZoneByHand zone = zone_of(strips({{"west", 0}, {"middle", 30}, {"east", 60}}));
    const auto inside = zone.add(1, {45, 50, 0});
    zone.add(2, {58, 50, 0});
    zone.step();
    zone.change_layout(strips({{"west", 0}, {"east", 45}}));
    zone.step();
    EXPECT_EQ(zone.owners_of(1), Shards{k2});
    zone.step();
    EXPECT_EQ(zone.zone().running_shards(), (Shards{k0, k2}));
    EXPECT_EQ(zone.metrics(1).entities, 0U);
    EXPECT_EQ(zone.metrics(1).ghosts, 0U);
    EXPECT_EQ(zone.metrics(1).handoffs_total, 2U) << "its counts outlive it";
    EXPECT_EQ(inside->frames.size(), 3U);
}

TEST(LayoutChange, IdOfARetiredShardServesAgain) {
    ZoneByHand zone = zone_of(strips({{"west", 0}, {"middle", 30}, {"east", 60}}));
    const auto walker = zone.add(1, {45, 50, 0});
    zone.step();
    for (int i = 0; i < 10; ++i) {
        zone.change_layout(strips({{"west", 0}, {"east", 45}}));
        zone.step();
        zone.step();
        ASSERT_EQ(zone.zone().running_shards(), (Shards{k0, k2}));
        zone.change_layout(strips({{"west", 0}, {"new", 40}, {"east", 60}}));
        zone.step();
        ASSERT_EQ(zone.zone().running_shards(), (Shards{k0, k1, k2}));
        ASSERT_EQ(zone.owners_of(1), Shards{k1});
    }
    EXPECT_EQ(walker->frames.size(), 31U);
}

TEST(LayoutChange, ShardThatIsWantedAgainBeforeItIsDrainedGoesOn) {
    ZoneByHand zone = zone_of(strips({{"west", 0}, {"east", 50}}));
    const auto walker = zone.add(1, {60, 50, 0});
    zone.step();
    zone.change_layout(strips({{"west", 0}}));
    zone.step_with_late({k0});
    zone.change_layout(strips({{"west", 0}, {"east", 50}}));
    zone.step();
    EXPECT_EQ(zone.owners_of(1), Shards{k1});
    EXPECT_EQ(zone.zone().running_shards(), (Shards{k0, k1}));
    EXPECT_EQ(walker->frames.size(), 3U);
}

TEST(LayoutChange, JoinBeforeItReachesWhoeverOwnsThePlaceAfterwards) {
    ZoneByHand zone = zone_of(strips({{"west", 0}, {"east", 50}}));
    zone.step();
    const auto early = zone.add(1, {60, 50, 0});  // posted to the east, which is about to go
    zone.change_layout(strips({{"west", 0}}));
    const auto late = zone.add(2, {61, 50, 0});
    zone.step();
    EXPECT_EQ(zone.owners_of(1), Shards{k0});
    EXPECT_EQ(zone.owners_of(2), Shards{k0});
    EXPECT_EQ(entered_ids(early->last_frame()), Ids{2});
    EXPECT_EQ(entered_ids(late->last_frame()), Ids{1});
    EXPECT_EQ(early->last_frame().tick, 2U);
}

TEST(LayoutChange, SeveralBetweenTwoTicksTakeEffectOneTickAfterTheOther) {
    ZoneByHand zone = zone_of(strips({{"west", 0}, {"east", 50}}));
    const auto walker = zone.add(1, {60, 50, 0});
    zone.step();
    EXPECT_EQ(zone.change_layout(strips({{"west", 0}})), 2U);
    EXPECT_EQ(zone.change_layout(strips({{"west", 0}, {"third", 40}, {"east", 80}})), 3U);
    zone.add(2, {50, 50, 0});
    zone.step();
    EXPECT_EQ(zone.owners_of(1), Shards{k0});
    EXPECT_EQ(zone.owners_of(2), Shards{k0}) << "a join does not wait for a layout to come";
    zone.step();
    EXPECT_EQ(zone.owners_of(1), zone.owners_of(2));
    EXPECT_EQ(zone.zone().layout().region(zone.owners_of(1).at(0)).name, "third");
    EXPECT_EQ(walker->frames.size(), 3U);
}

TEST(LayoutChange, NewShardKnowsWhoLeftTheZoneBeforeItsTime) {
    ZoneByHand zone = zone_of(strips({{"west", 0}, {"east", 50}}));
    const auto slow = zone.add(1, {80, 50, 0});
    const auto leaver = zone.add(2, {82, 50, 0});
    zone.step();
    ASSERT_EQ(entered_ids(slow->last_frame()), Ids{2});
    slow->is_open = false;
    leaver->next.leave = true;
    zone.step();
    zone.change_layout(strips({{"west", 0}, {"east", 50}, {"far", 70}}));
    slow->is_open = true;
    zone.step();
    ASSERT_EQ(zone.owners_of(1), Shards{k2});
    EXPECT_EQ(slow->last_frame().leaves, leaves({{2, LeaveReason::gone}}));
}

TEST(LayoutChange, ShardThatIsNoMoreLeavesNoGaugeBehind) {
    ZoneByHand zone = zone_of(strips({{"west", 0}, {"east", 50}}));
    zone.add(1, {80, 50, 0});
    zone.step();
    zone.metrics(1).time_scale_percent = 60;
    zone.metrics(1).ring_slowdown = 4;
    zone.metrics(1).ghosts = 7;
    zone.change_layout(strips({{"west", 0}}));
    zone.step();
    zone.step();
    ASSERT_EQ(zone.zone().shard_count(), 1U);
    EXPECT_EQ(zone.metrics(1).time_scale_percent, 100U);
    EXPECT_EQ(zone.metrics(1).ring_slowdown, 1U);
    EXPECT_EQ(zone.metrics(1).ghosts, 0U);
    EXPECT_EQ(zone.metrics(1).handoffs_total, 1U) << "totals stay";
}

TEST(LayoutChange, NewShardReceivesADepartureThatALateShardSentToTheOldLayout) {
    ZoneByHand zone = zone_of(strips({{"west", 0}, {"east", 50}}));
    const auto slow = zone.add(1, {45, 50, 0});
    const auto leaver = zone.add(2, {52, 50, 0});
    zone.step();
    ASSERT_EQ(entered_ids(slow->last_frame()), Ids{2});
    slow->is_open = false;
    slow->next.move = engine::Position{10, 50, 0};
    leaver->next.leave = true;
    zone.step_with_late({k1});  // the departure is on its way to the west alone
    zone.change_layout(strips({{"far", 0}, {"west", 20}, {"east", 50}}));
    zone.step();
    ASSERT_EQ(zone.owners_of(1), Shards{k2});
    zone.step();
    slow->is_open = true;
    zone.step();
    EXPECT_EQ(slow->last_frame().leaves, leaves({{2, LeaveReason::gone}}));
}

// The west hands over late, under the layout of its tick, to a shard that has no business there any
// more when it learns of it.
TEST(LayoutChange, WatcherThatComesToTheWrongShardGetsNoFrameThereAndLosesNothing) {
    ZoneByHand zone = zone_of(strips({{"west", 0}, {"east", 50}}));
    const auto watcher = zone.add(1, {48, 50, 0});
    zone.add(2, {56, 50, 0});
    zone.step();
    ASSERT_EQ(entered_ids(watcher->last_frame()), Ids{2});
    watcher->next.move = engine::Position{54, 50, 0};
    zone.step_with_late({k0});
    zone.change_layout(strips({{"west", 0}, {"third", 20}, {"east", 90}}));
    zone.step();
    EXPECT_EQ(zone.owners_of(1), Shards{k1}) << "the east owns what was handed to it";
    zone.step();
    EXPECT_EQ(zone.owners_of(1), Shards{k2});
    for (const SentFrame& frame : watcher->frames) {
        EXPECT_TRUE(frame.leaves.empty()) << frame;
        EXPECT_NE(frame.tick, 3U);
    }
    EXPECT_EQ(watcher->last_frame().tick, 4U);
}

TEST(LayoutChange, LateShardKeepsARetiringOneUntilItHasSentItsLastBatch) {
    ZoneByHand zone = zone_of(strips({{"west", 0}, {"middle", 40}, {"east", 60}}));
    const auto walker = zone.add(1, {39, 50, 0});
    zone.step();
    walker->next.move = engine::Position{50, 50, 0};
    zone.step_with_late({k0});  // to the middle, which learns of it in the next tick
    zone.change_layout(strips({{"west", 0}, {"east", 45}}));
    zone.step();
    EXPECT_EQ(zone.owners_of(1), Shards{k1});
    zone.step();
    EXPECT_EQ(zone.owners_of(1), Shards{k2});
    zone.step();
    EXPECT_EQ(zone.zone().running_shards(), (Shards{k0, k2}));
}

TEST(LayoutChange, WhoseShardsCannotBeStartedChangesNothing) {
    ZoneByHand zone = zone_of(strips({{"west", 0}, {"east", 50}}));
    zone.step();
    const Layout other = strips({{"a", 0}, {"b", 10}, {"c", 20}});
    const auto fail = [](const shards::Zone::Newcomers& newcomers) {
        throw std::length_error(std::to_string(newcomers.size()));
    };
    EXPECT_THROW(zone.zone().change_layout(other, 1, fail), std::length_error);
    zone.step();
    EXPECT_EQ(zone.zone().running_shards(), (Shards{k0, k1}));
    EXPECT_EQ(zone.zone().layout_changes_total(), 0U);
    EXPECT_EQ(zone.change_layout(other), 3U) << "and another change may follow";
}

TEST(LayoutChange, FromOneShardToTheMostAndBack) {
    ZoneByHand zone = zone_of(strips({{"all", 0}}));
    const auto walker = zone.add(1, {99, 99, 0});
    zone.add(2, {95, 95, 0});
    zone.step();
    zone.change_layout(small_layout(16, 16));
    zone.step();
    EXPECT_EQ(zone.zone().shard_count(), shards::kShardsMax);
    zone.change_layout(strips({{"all", 0}}));
    zone.step();
    zone.step();
    EXPECT_EQ(zone.zone().shard_count(), 1U);
    EXPECT_EQ(zone.zone().entity_count(), 2U);
    EXPECT_EQ(entered_ids(walker->frames.at(0)), Ids{2});
    for (std::size_t i = 1; i < walker->frames.size(); ++i) {
        EXPECT_TRUE(walker->frames[i].is_empty());
    }
}

}  // namespace
}  // namespace marchland::tests
