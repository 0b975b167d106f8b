// Shards keep who left, and what was sent, for as many ticks as they run themselves. One that skips
// ticks may hand a slow client to one that has forgotten what this client was never sent.

#include "tests/shards/zone_by_hand.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace marchland::tests {
namespace {

using engine::LeaveReason;
using shards::ShardId;

using Ids = std::vector<std::uint64_t>;

void run_tick(ZoneByHand& zone, engine::Tick tick, const std::vector<ShardId>& ids) {
    for (const ShardId id : ids) {
        zone.begin(id, tick);
    }
    for (const ShardId id : ids) {
        zone.finish(id, tick);
    }
}

/// A shard remembers five ticks. Number 2 leaves in tick 2, in the east, with words for number 1,
/// who takes no frame then; in tick 10 number 1 crosses into the east and takes one. In between the
/// west runs no tick.
class SkippedTicks : public testing::Test {
protected:
    static constexpr engine::Tick kCrossing = 10;

    static shards::ZoneOptions forgetful_world() {
        shards::ZoneOptions options = small_world();
        options.frame_gap_ticks_max = 5;
        return options;
    }

    /// Up to the crossing. `first`: of those that only the east runs.
    void run_east_from(engine::Tick first) {
        for (engine::Tick tick = first; tick < kCrossing; ++tick) {
            run(tick, {kEast});
        }
    }

    void run(engine::Tick tick, const std::vector<ShardId>& ids) { run_tick(zone, tick, ids); }

    void say_farewell() {
        leaver->next.messages.push_back({0, std::make_shared<const std::vector<std::byte>>(5)});
        leaver->next.leave = true;
    }

    void cross() {
        slow->is_open = true;
        slow->next.move = engine::Position{60, 50, 0};
    }

    ZoneByHand zone{forgetful_world(), small_layout(2, 1)};
    std::shared_ptr<RecordingPort> slow = zone.add(1, {45, 50, 0});
    std::shared_ptr<RecordingPort> leaver = zone.add(2, {52, 50, 0});
    std::shared_ptr<RecordingPort> stayer = zone.add(3, {62, 50, 0});
};

TEST_F(SkippedTicks, WhoeverMissedWhatIsForgottenIsSentAllAnewAndLearnsThatMessagesWereLost) {
    zone.step();
    ASSERT_EQ(entered_ids(slow->last_frame()), Ids{2});
    slow->is_open = false;
    say_farewell();
    run_east_from(2);
    cross();
    run(kCrossing, {kWest, kEast});
    ASSERT_EQ(zone.owners_of(1), std::vector{kEast});
    EXPECT_TRUE(slow->last_frame().is_keyframe) << slow->last_frame();
    EXPECT_TRUE(slow->last_frame().leaves.empty());
    EXPECT_EQ(entered_ids(slow->last_frame()), Ids{3});
    EXPECT_TRUE(slow->last_frame().messages_lost);
    run(kCrossing + 1, {kWest, kEast});
    EXPECT_TRUE(slow->last_frame().is_empty()) << slow->last_frame();
}

TEST_F(SkippedTicks, WhoeverNeverTookAFrameLearnsThatMessagesWereLost) {
    zone.step();
    const auto newcomer = zone.add(4, {40, 20, 0});
    newcomer->is_open = false;
    leaver->next.messages.push_back({0, std::make_shared<const std::vector<std::byte>>(5)});
    run(2, {kWest, kEast});
    run_east_from(3);
    newcomer->is_open = true;
    newcomer->next.move = engine::Position{60, 20, 0};
    run(kCrossing, {kWest, kEast});
    EXPECT_TRUE(newcomer->last_frame().messages_lost) << newcomer->last_frame();
}

TEST_F(SkippedTicks, ANewShardIsSentWhatOthersHaveForgotten) {
    zone.step();
    slow->is_open = false;
    say_farewell();
    run_east_from(2);
    cross();
    zone.change_layout(small_layout(4, 1));
    const std::vector<ShardId> all{kWest, kEast, ShardId{2}, ShardId{3}};
    run(kCrossing, all);
    ASSERT_EQ(zone.owners_of(1), std::vector{ShardId{2}});
    EXPECT_TRUE(slow->last_frame().is_keyframe) << slow->last_frame();
    EXPECT_TRUE(slow->last_frame().leaves.empty());
    EXPECT_TRUE(slow->last_frame().messages_lost);
    run(kCrossing + 1, all);
    EXPECT_FALSE(slow->last_frame().is_keyframe) << "it was sent";
    EXPECT_FALSE(slow->last_frame().messages_lost);
}

TEST_F(SkippedTicks, WhatIsStillRememberedIsSentAsAlways) {
    for (int i = 0; i < 4; ++i) {
        zone.step();
    }
    slow->is_open = false;
    run(5, {kEast});
    say_farewell();
    run_east_from(6);
    cross();
    run(kCrossing, {kWest, kEast});
    EXPECT_FALSE(slow->last_frame().is_keyframe);
    EXPECT_EQ(slow->last_frame().leaves, leaves({{2, LeaveReason::gone}}));
    EXPECT_EQ(slow->last_frame().messages.size(), 1U);
    EXPECT_FALSE(slow->last_frame().messages_lost);
}

TEST_F(SkippedTicks, NothingIsForgottenForTicksThatNobodyRan) {
    zone.step();
    slow->is_open = false;
    say_farewell();
    zone.step();
    slow->is_open = true;
    zone.step_over_to(50);
    EXPECT_EQ(slow->last_frame().leaves, leaves({{2, LeaveReason::gone}}));
    EXPECT_EQ(slow->last_frame().messages.size(), 1U);
    EXPECT_FALSE(slow->last_frame().messages_lost);
}

/// The west, which tells new shards all that it remembers, is late: the east tells who left from
/// there.
TEST_F(SkippedTicks, ANewShardIsSentWhoLeftTicksThatNobodyRanAgo) {
    const auto watcher = zone.add(4, {58, 50, 0});
    zone.step();
    ASSERT_EQ(entered_ids(watcher->last_frame()), (Ids{2, 3}));
    watcher->is_open = false;
    leaver->next.leave = true;
    zone.step();
    zone.change_layout(small_layout(4, 1));
    watcher->is_open = true;
    run(50, {kEast, ShardId{2}, ShardId{3}});
    ASSERT_EQ(zone.owners_of(4), std::vector{ShardId{2}});
    EXPECT_EQ(watcher->last_frame().leaves, leaves({{2, LeaveReason::gone}}));
}

TEST(FirstTickOfALayout, IsStaleWithoutWhatAShardThatSkippedItHadToTellInIt) {
    ZoneByHand zone(2, 1);
    const auto watcher = zone.add(1, {70, 50, 0});
    zone.add(2, {47, 50, 0});
    zone.step();
    zone.change_layout(small_layout(4, 1));
    watcher->next.move = engine::Position{55, 50, 0};
    run_tick(zone, 3, {kWest});
    run_tick(zone, 2, {kEast, ShardId{2}, ShardId{3}});
    ASSERT_EQ(zone.owners_of(1), std::vector{ShardId{2}});
    EXPECT_TRUE(watcher->last_frame().enters.empty());
    EXPECT_TRUE(watcher->last_frame().border_stale) << "number 2 is in view, and not known there";
    run_tick(zone, 3, {kEast, ShardId{2}, ShardId{3}});
    EXPECT_EQ(entered_ids(watcher->last_frame()), Ids{2});
    run_tick(zone, 4, {kWest, kEast, ShardId{2}, ShardId{3}});
    EXPECT_FALSE(watcher->last_frame().border_stale);
}

TEST(FirstTickOfALayout, IsMissedByNobodyWhereNobodyRanIt) {
    ZoneByHand zone(2, 1);
    const auto watcher = zone.add(1, {51, 50, 0});
    zone.step();
    EXPECT_EQ(zone.change_layout(small_layout(4, 1)), 2U);
    zone.step_over_to(5);
    ASSERT_EQ(watcher->last_frame().tick, 5U);
    EXPECT_FALSE(watcher->last_frame().border_stale);
}

TEST(FirstTickOfALayout, IsMissedByNobodyWhereNobodyRanTheLayoutBefore) {
    ZoneByHand zone(2, 1);
    const auto watcher = zone.add(1, {51, 50, 0});
    zone.step();
    zone.change_layout(small_layout(1, 2));
    EXPECT_EQ(zone.change_layout(small_layout(2, 1)), 3U);
    zone.step_over_to(5);
    ASSERT_EQ(watcher->last_frame().tick, 5U);
    EXPECT_FALSE(watcher->last_frame().border_stale);
}

}  // namespace
}  // namespace marchland::tests
