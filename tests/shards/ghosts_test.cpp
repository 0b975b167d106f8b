// Copies of foreign entities along a border: they come, follow and go with their originals. Two
// shards meet between x = 49 and x = 50, the reach is 13 mm: a ghost for the east is wanted from
// x = 37 on.

#include "tests/shards/zone_by_hand.h"

#include <gtest/gtest.h>

namespace marchland::tests {
namespace {

using engine::LeaveReason;

using Ids = std::vector<std::uint64_t>;

constexpr int kReachMm = kLeaveRadiusMm + kHysteresisMm;
constexpr int kFirstGhostX = 50 - kReachMm;

TEST(Ghosts, AreHeldExactlyWithinTheReach) {
    ZoneByHand zone(2, 1);
    const auto walker = zone.add(1, {kFirstGhostX - 1, 50, 0});
    zone.step();
    EXPECT_EQ(zone.metrics(1).ghosts, 0U);
    zone.step_to(*walker, {kFirstGhostX, 50, 0});
    EXPECT_EQ(zone.metrics(1).ghosts, 1U);
    zone.step_to(*walker, {kFirstGhostX - 1, 50, 0});
    EXPECT_EQ(zone.metrics(1).ghosts, 0U);
}

TEST(Ghosts, ReachAsFarAsAWatcherThatItsShardStillKeeps) {
    ZoneByHand zone(2, 1);
    const auto watcher = zone.add(1, {60, 50, 0});
    zone.add(2, {kFirstGhostX + 2, 50, 0});
    zone.step();
    zone.step_to(*watcher, {50 - kHysteresisMm, 50, 0});
    ASSERT_EQ(zone.owners_of(1), std::vector{shards::ShardId{1}});
    EXPECT_EQ(entered_ids(watcher->last_frame()), Ids{2});
}

TEST(Ghosts, OfWhoeverIsSeenFromAfarAreWhereverAWatcherMayBeInRange) {
    ZoneByHand zone(10, 1);  // strips of 10 mm
    const auto watcher = zone.add(1, {50, 50, 0});
    engine::Entity dragon = entity_at(2, {5, 50, 0});
    dragon.notify = {40, 45};
    const auto wings = zone.add(dragon);
    zone.step();
    EXPECT_EQ(zone.metrics(5).ghosts, 1U);  // from x = 50, where 47 is still kept
    EXPECT_EQ(zone.metrics(7).ghosts, 0U);
    EXPECT_TRUE(watcher->last_frame().is_empty());
    zone.step_to(*wings, {10, 50, 0});
    EXPECT_EQ(entered_ids(watcher->last_frame()), Ids{2});
    zone.step_to(*wings, {5, 50, 0});
    EXPECT_EQ(moved_ids(watcher->last_frame()), Ids{2});
    zone.step_to(*wings, {4, 50, 0});
    EXPECT_EQ(watcher->last_frame().leaves, leaves({{2, LeaveReason::out_of_range}}));
}

TEST(Ghosts, ComeAndGoWithANotificationRange) {
    ZoneByHand zone(10, 1);
    const auto watcher = zone.add(1, {50, 50, 0});
    const auto dragon = zone.add(2, {5, 50, 0});
    zone.step();
    EXPECT_EQ(zone.metrics(5).ghosts, 0U);
    dragon->next.notify = {50, 50};
    zone.step();
    EXPECT_EQ(entered_ids(watcher->last_frame()), Ids{2});
    dragon->next.notify = engine::NotifyRange{};
    zone.step();
    EXPECT_EQ(watcher->last_frame().leaves, leaves({{2, LeaveReason::out_of_range}}));
    EXPECT_EQ(zone.metrics(5).ghosts, 0U);
}

TEST(Ghosts, HearOfANotificationRangeThatChangesWhereTheyAre) {
    ZoneByHand zone(2, 1);
    const auto watcher = zone.add(1, {55, 50, 0});
    const auto dragon = zone.add(2, {42, 50, 0});
    zone.step();
    ASSERT_EQ(zone.metrics(1).ghosts, 1U);
    EXPECT_TRUE(watcher->last_frame().is_empty());
    dragon->next.notify = {13, 13};
    zone.step();
    EXPECT_EQ(entered_ids(watcher->last_frame()), Ids{2});
    dragon->next.notify = {12, 12};
    zone.step();
    EXPECT_EQ(watcher->last_frame().leaves, leaves({{2, LeaveReason::out_of_range}}));
}

TEST(Ghosts, EntityInACornerHasAGhostInEachOtherShard) {
    ZoneByHand zone(2, 2);
    zone.add(1, {49, 49, 0});
    zone.step();
    EXPECT_EQ(zone.metrics(0).ghosts, 0U);
    for (const int shard : {1, 2, 3}) {
        EXPECT_EQ(zone.metrics(shard).ghosts, 1U);
    }
}

TEST(Ghosts, ShardsNarrowerThanAViewHoldGhostsFromBeyondTheirNeighbours) {
    ZoneByHand zone(25, 1);  // strips of 4 mm
    const auto watcher = zone.add(1, {50, 50, 0});
    for (std::uint64_t id = 2; id < 22; ++id) {
        zone.add(id, {static_cast<std::int32_t>(38 + id), 50, 0});
    }
    zone.step();
    // Those at 42 to 58, within the enter radius of 8; it stands at 50 itself, with number 12.
    EXPECT_EQ(entered_ids(watcher->last_frame()),
              (Ids{4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}));
}

TEST(Ghosts, GoWhenTheirOriginalJumpsAway) {
    ZoneByHand zone(4, 1);
    const auto jumper = zone.add(1, {24, 50, 0});
    zone.step();
    ASSERT_EQ(zone.metrics(1).ghosts, 1U);
    zone.step_to(*jumper, {99, 50, 0});
    for (const int shard : {0, 1, 2, 3}) {
        EXPECT_EQ(zone.metrics(shard).ghosts, 0U) << "shard " << shard;
    }
}

TEST(Ghosts, GoWhenTheirOriginalLeavesTheZone) {
    ZoneByHand zone(2, 2);
    const auto leaver = zone.add(1, {50, 50, 0});
    zone.step();
    leaver->next.leave = true;
    zone.step();
    for (const int shard : {0, 1, 2, 3}) {
        EXPECT_EQ(zone.metrics(shard).ghosts, 0U) << "shard " << shard;
        EXPECT_EQ(zone.metrics(shard).entities, 0U) << "shard " << shard;
    }
    EXPECT_EQ(zone.zone().entity_count(), 0U);
}

TEST(Ghosts, OldOwnerKeepsAGhostOfWhatItHandedOverOnlyWithinItsReach) {
    ZoneByHand zone(2, 1);
    const auto walker = zone.add(1, {45, 50, 0});
    zone.step();
    zone.step_to(*walker, {49 + kReachMm, 50, 0});
    EXPECT_EQ(zone.metrics(0).ghosts, 1U);
    EXPECT_EQ(zone.metrics(0).entities, 0U);
    zone.step_to(*walker, {50 + kReachMm, 50, 0});
    EXPECT_EQ(zone.metrics(0).ghosts, 0U);
}

TEST(Ghosts, ChangeOfLayersIsSeenAcrossTheBorderInItsTick) {
    ZoneByHand zone(2, 1);
    const auto west = zone.add(1, {46, 50, 0});
    const auto east = zone.add(2, {52, 50, 0});
    zone.step();
    ASSERT_EQ(entered_ids(east->last_frame()), Ids{1});
    west->next.layers = {2, engine::kDefaultLayer};
    zone.step();
    EXPECT_EQ(east->last_frame().leaves, leaves({{1, LeaveReason::hidden}}));
    EXPECT_TRUE(west->last_frame().is_empty());
    west->next.layers = {engine::kDefaultLayer, engine::kDefaultLayer};
    zone.step();
    EXPECT_EQ(entered_ids(east->last_frame()), Ids{1});
}

TEST(Ghosts, CarryKindAndStateAcrossTheBorder) {
    ZoneByHand zone(2, 1);
    const auto east = zone.add(1, {52, 50, 0});
    engine::Entity giant = entity_at(2, {48, 50, 0});
    giant.kind = 7;
    giant.state = engine::with(nullptr, std::vector{engine::StateWrite{0, std::int64_t{9}}}, 1);
    zone.add(giant);
    zone.step();
    const std::vector<SentEnter> expected{
        {giant.id, 7, giant.position, engine::writes_of(giant.state)}};
    EXPECT_EQ(east->last_frame().enters, expected);
}

TEST(Ghosts, MoveToWhereTheOriginalIsAlreadyIsNoMove) {
    ZoneByHand zone(2, 1);
    const auto west = zone.add(1, {46, 50, 0});
    const auto east = zone.add(2, {52, 50, 0});
    zone.step();
    zone.step_to(*west, {46, 50, 0});
    EXPECT_TRUE(east->last_frame().is_empty()) << east->last_frame();
}

}  // namespace
}  // namespace marchland::tests
