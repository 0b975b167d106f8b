// Why an episode ends: gone, out of range or hidden, in this order, however little of the map the
// watcher's shard can see.

#include "tests/shards/zone_by_hand.h"

#include <gtest/gtest.h>

namespace marchland::tests {
namespace {

using engine::LeaveReason;

using Ids = std::vector<std::uint64_t>;

TEST(LeaveReasons, GoneIsSentToAWatcherThatJumpedAwayInTheSameTick) {
    ZoneByHand zone(4, 1);
    const auto jumper = zone.add(1, {5, 50, 0});
    const auto leaver = zone.add(2, {8, 50, 0});
    const auto stayer = zone.add(3, {9, 50, 0});
    zone.step();
    leaver->next.leave = true;
    zone.step_to(*jumper, {95, 50, 0});
    EXPECT_EQ(jumper->last_frame().leaves,
              leaves({{2, LeaveReason::gone}, {3, LeaveReason::out_of_range}}));
    EXPECT_EQ(stayer->last_frame().leaves,
              leaves({{1, LeaveReason::out_of_range}, {2, LeaveReason::gone}}));
}

TEST(LeaveReasons, GoneIsSentToAWatcherThatSkippedFramesAndJumpedAway) {
    ZoneByHand zone(4, 1);
    const auto jumper = zone.add(1, {5, 50, 0});
    const auto leaver = zone.add(2, {8, 50, 0});
    zone.step();
    jumper->is_open = false;
    zone.step_to(*jumper, {95, 50, 0});
    leaver->next.leave = true;
    zone.step();
    zone.step();
    jumper->is_open = true;
    zone.step();
    EXPECT_EQ(jumper->last_frame().leaves, leaves({{2, LeaveReason::gone}}));
}

TEST(LeaveReasons, GoneIsStillKnownAfterTheLongestGapThatAClientMayHave) {
    shards::ZoneOptions options = small_world();
    options.frame_gap_ticks_max = 5;
    ZoneByHand zone(options, small_layout(4, 1));
    const auto jumper = zone.add(1, {5, 50, 0});
    const auto leaver = zone.add(2, {8, 50, 0});
    zone.step();
    jumper->is_open = false;
    leaver->next.leave = true;
    zone.step_to(*jumper, {95, 50, 0});
    for (int i = 0; i < 3; ++i) {
        zone.step();
    }
    jumper->is_open = true;
    zone.step();
    ASSERT_EQ(jumper->last_frame().tick, 6U);
    EXPECT_EQ(jumper->last_frame().leaves, leaves({{2, LeaveReason::gone}}));
}

TEST(LeaveReasons, OutOfRangeComesBeforeHidden) {
    ZoneByHand zone(2, 1);
    const auto watcher = zone.add(1, {45, 50, 0});
    const auto near = zone.add(2, {50, 50, 0});
    const auto far = zone.add(3, {51, 50, 0});
    zone.step();
    near->next.layers = {2, 1};
    far->next.layers = {2, 1};
    zone.step_to(*far, {90, 50, 0});
    EXPECT_EQ(watcher->last_frame().leaves,
              leaves({{2, LeaveReason::hidden}, {3, LeaveReason::out_of_range}}));
}

TEST(LeaveReasons, WatcherThatLooksAwayLearnsThatEverybodyIsOutOfRange) {
    ZoneByHand zone(2, 1);
    const auto watcher = zone.add(1, {48, 50, 0});
    zone.add(2, {52, 50, 0});
    zone.step();
    watcher->next.view = engine::View{};
    zone.step();
    EXPECT_EQ(watcher->last_frame().leaves, leaves({{2, LeaveReason::out_of_range}}));
}

TEST(Rejoining, SameIdIsAnotherEntityToWhoeverKnewTheOld) {
    ZoneByHand zone(2, 1);
    const auto watcher = zone.add(1, {45, 50, 0});
    const auto leaver = zone.add(2, {50, 50, 0});
    zone.step();
    leaver->next.leave = true;
    zone.step();
    EXPECT_EQ(watcher->last_frame().leaves, leaves({{2, LeaveReason::gone}}));
    zone.add(2, {44, 50, 0});
    zone.step();
    EXPECT_EQ(entered_ids(watcher->last_frame()), Ids{2});
}

TEST(Rejoining, WatcherThatSawNeitherIsSentBothInOneFrame) {
    ZoneByHand zone(2, 1);
    const auto watcher = zone.add(1, {45, 50, 0});
    const auto leaver = zone.add(2, {50, 50, 0});
    zone.step();
    watcher->is_open = false;
    leaver->next.leave = true;
    zone.step();
    zone.add(2, {44, 50, 0});
    zone.step();
    watcher->is_open = true;
    zone.step();
    EXPECT_EQ(watcher->last_frame().leaves, leaves({{2, LeaveReason::gone}}));
    EXPECT_EQ(entered_ids(watcher->last_frame()), Ids{2});
}

/// A port that joins again, far away, as soon as it may.
class RejoiningPort final : public RecordingPort {
public:
    explicit RejoiningPort(ZoneByHand& zone) : zone_(zone) {}

    std::shared_ptr<RecordingPort> second;

    void on_removed() override {
        RecordingPort::on_removed();
        second = zone_.add(2, {90, 50, 0});
    }

private:
    ZoneByHand& zone_;
};

TEST(Rejoining, IsAllowedElsewhereInTheTickOfLeaving) {
    ZoneByHand zone(2, 1);
    const auto watcher = zone.add(1, {45, 50, 0});
    const auto first = std::make_shared<RejoiningPort>(zone);
    ASSERT_TRUE(zone.zone().join({entity_at(2, {50, 50, 0}), first}));
    zone.step();
    first->next.leave = true;
    zone.step_to(*first, {40, 50, 0});
    EXPECT_EQ(watcher->last_frame().leaves, leaves({{2, LeaveReason::gone}}));
    zone.step();
    EXPECT_EQ(zone.owners_of(2), std::vector{shards::ShardId{1}});
    EXPECT_EQ(first->second->removed_count, 0U);
}

TEST(Rejoining, NewLifeKnowsNobodyAtFirst) {
    ZoneByHand zone(2, 1);
    const auto first = zone.add(1, {45, 50, 0});
    zone.add(2, {50, 50, 0});
    zone.step();
    first->next.leave = true;
    zone.step();
    const auto second = zone.add(1, {55, 50, 0});
    zone.step();
    EXPECT_EQ(entered_ids(second->last_frame()), Ids{2});
    EXPECT_EQ(first->removed_count, 1U);
    EXPECT_EQ(second->removed_count, 0U);
}

}  // namespace
}  // namespace marchland::tests
