// What a shard does with its clients: slow ones, those that are given up, those that find the zone
// full, and how frames leave the shard.

#include "tests/shards/zone_by_hand.h"

#include <gtest/gtest.h>

#include <map>
#include <thread>

namespace marchland::tests {
namespace {

using engine::LeaveReason;

using Ids = std::vector<std::uint64_t>;

TEST(Join, OfWhoeverIsCountedIsInTheNextTick) {
    ZoneByHand zone(2, 1);
    for (std::uint64_t id = 1; id <= 200; ++id) {
        const auto port = std::make_shared<RecordingPort>();
        std::thread door([&] {
            EXPECT_TRUE(zone.zone().join({entity_at(id, {45, 50, 0}), port, false}));
        });
        while (zone.zone().entity_count() < id) {
        }
        zone.step();
        door.join();
        ASSERT_EQ(port->asked_count, 1U) << id;
    }
}

TEST(SlowClient, GetsTheWholeDifferenceInItsNextFrame) {
    ZoneByHand zone(2, 1);
    const auto watcher = zone.add(1, {45, 50, 0});
    const auto stayer = zone.add(2, {51, 50, 0});
    const auto leaver = zone.add(3, {52, 50, 0});
    zone.step();
    watcher->is_open = false;
    zone.step_to(*stayer, {52, 50, 0});
    leaver->next.leave = true;
    zone.add(4, {44, 50, 0});
    zone.step();
    EXPECT_EQ(watcher->frames.size(), 1U);
    watcher->is_open = true;
    zone.step();
    ASSERT_EQ(watcher->frames.size(), 2U);
    EXPECT_EQ(watcher->last_frame().leaves, leaves({{3, LeaveReason::gone}}));
    EXPECT_EQ(entered_ids(watcher->last_frame()), Ids{4});
    const std::vector<SentMove> whole_position{{engine::EntityId{2}, {52, 50, 0}, std::nullopt}};
    EXPECT_EQ(watcher->last_frame().moves, whole_position);
}

TEST(SlowClient, IsNotSentWhoCameAndWentInBetween) {
    ZoneByHand zone(2, 1);
    const auto watcher = zone.add(1, {45, 50, 0});
    zone.step();
    watcher->is_open = false;
    const auto visitor = zone.add(2, {51, 50, 0});
    zone.step();
    visitor->next.leave = true;
    zone.step();
    watcher->is_open = true;
    zone.step();
    EXPECT_TRUE(watcher->last_frame().is_empty()) << watcher->last_frame();
}

TEST(SlowClient, LosesNothingWhenItCrossesABorderMeanwhile) {
    ZoneByHand zone(2, 1);
    const auto watcher = zone.add(1, {45, 50, 0});
    zone.add(2, {40, 50, 0});
    zone.step();
    watcher->is_open = false;
    zone.step_to(*watcher, {60, 50, 0});
    zone.step_to(*watcher, {70, 50, 0});
    watcher->is_open = true;
    zone.step();
    EXPECT_EQ(watcher->last_frame().leaves, leaves({{2, LeaveReason::out_of_range}}));
}

TEST(SlowClient, IsCountedAsSkipped) {
    ZoneByHand zone(1, 1);
    zone.add(1, {1, 1, 0})->is_open = false;
    zone.add(2, {90, 90, 0});
    zone.step();
    zone.step();
    EXPECT_EQ(zone.metrics(0).frames_skipped_total, 2U);
}

TEST(SlowClient, IsNotCountedAsSkippedWhileNobodyIsThere) {
    ZoneByHand zone(1, 1);
    const auto lost = zone.add(1, {1, 1, 0});
    lost->is_open = false;
    lost->has_nobody = true;
    zone.step();
    zone.step();
    EXPECT_EQ(zone.metrics(0).frames_skipped_total, 0U);
}

TEST(SlowClient, IsGivenUpAfterTheLongestGapAndNotATickBefore) {
    shards::ZoneOptions options = small_world();
    options.frame_gap_ticks_max = 5;
    ZoneByHand zone(options, small_layout(2, 1));
    const auto slow = zone.add(1, {45, 50, 0});
    const auto watcher = zone.add(2, {50, 50, 0});
    zone.step();
    slow->is_open = false;
    for (int i = 0; i < 5; ++i) {
        zone.step();
        EXPECT_EQ(slow->removed_count, 0U);
    }
    zone.step();
    EXPECT_EQ(slow->removed_count, 1U);
    EXPECT_EQ(watcher->last_frame().leaves, leaves({{1, LeaveReason::gone}}));
    EXPECT_EQ(zone.zone().entity_count(), 1U);
}

TEST(SlowClient, GapGoesOnAcrossABorder) {
    shards::ZoneOptions options = small_world();
    options.frame_gap_ticks_max = 5;
    ZoneByHand zone(options, small_layout(2, 1));
    const auto slow = zone.add(1, {45, 50, 0});
    zone.step();
    slow->is_open = false;
    for (int i = 0; i < 6; ++i) {
        zone.step_to(*slow, {i % 2 == 0 ? 60 : 40, 50, 0});
    }
    EXPECT_EQ(slow->removed_count, 1U);
}

TEST(SlowClient, ThatTakesNoFramesAtAllIsNeverGivenUp) {
    shards::ZoneOptions options = small_world();
    options.frame_gap_ticks_max = 2;
    ZoneByHand zone(options, small_layout(1, 1));
    const auto marker = zone.add(entity_at(1, {45, 50, 0}), false);
    const auto watcher = zone.add(2, {46, 50, 0});
    for (int i = 0; i < 10; ++i) {
        zone.step();
    }
    EXPECT_EQ(marker->removed_count, 0U);
    EXPECT_TRUE(marker->frames.empty());
    EXPECT_EQ(entered_ids(watcher->frames.at(0)), Ids{1});
}

TEST(Joining, IsRefusedWhenTheZoneIsFullAndTakenAgainWhenOneLeft) {
    shards::ZoneOptions options = small_world();
    options.entities_max = 2;
    ZoneByHand zone(options, small_layout(2, 1));
    const auto first = zone.add(1, {10, 10, 0});
    ASSERT_NE(first, nullptr);
    ASSERT_NE(zone.add(2, {90, 10, 0}), nullptr);
    EXPECT_EQ(zone.add(3, {50, 10, 0}), nullptr);
    zone.step();
    EXPECT_EQ(zone.add(3, {50, 10, 0}), nullptr);
    first->next.leave = true;
    zone.step();
    EXPECT_NE(zone.add(3, {50, 10, 0}), nullptr);
    EXPECT_EQ(zone.zone().entity_count(), 2U);
}

TEST(Joining, IsRefusedWhileTooManyThatLeftAreRemembered) {
    shards::ZoneOptions options = small_world();
    options.departures_max = 4;  // of which services have half
    options.frame_gap_ticks_max = 3;
    ZoneByHand zone(options, small_layout(2, 1));
    const auto one = zone.add(1, {10, 10, 0});
    const auto other = zone.add(2, {90, 10, 0});
    zone.step();
    one->next.leave = true;
    zone.step();
    EXPECT_NE(zone.add(3, {50, 10, 0}), nullptr);
    other->next.leave = true;
    zone.step();
    EXPECT_EQ(zone.add(4, {50, 10, 0}), nullptr);
    for (int i = 0; i < 3; ++i) {
        zone.step();
    }
    // The first one's leaving is more than three ticks ago.
    EXPECT_NE(zone.add(4, {50, 10, 0}), nullptr);
}

TEST(Joining, IsLeftToPlayersWhileHalfAsManyAreRemembered) {
    shards::ZoneOptions options = small_world();
    options.departures_max = 2;
    ZoneByHand zone(options, small_layout(2, 1));
    const auto one = zone.add(1, {10, 10, 0});
    zone.step();
    one->next.leave = true;
    zone.step();
    EXPECT_EQ(zone.add(2, {50, 10, 0}), nullptr) << "a service's";
    const auto player = std::make_shared<RecordingPort>();
    player->is_of_player = true;
    engine::Entity entity;
    entity.id = engine::EntityId{2};
    EXPECT_TRUE(zone.zone().join({entity, player}));
}

TEST(Joining, WishesThatCameBeforeTheFirstTickCountInIt) {
    ZoneByHand zone(2, 1);
    const auto watcher = zone.add(1, {95, 50, 0});
    const auto joiner = zone.add(2, {5, 50, 0});
    zone.step_to(*joiner, {90, 50, 0});
    EXPECT_EQ(entered_ids(watcher->last_frame()), Ids{2});
    EXPECT_EQ(zone.owners_of(2), std::vector{shards::ShardId{1}});
}

TEST(Joining, LeavingBeforeTheFirstTickIsSeenByNobody) {
    ZoneByHand zone(2, 1);
    const auto watcher = zone.add(1, {45, 50, 0});
    const auto joiner = zone.add(2, {46, 50, 0});
    joiner->next.leave = true;
    zone.step();
    EXPECT_EQ(joiner->removed_count, 1U);
    EXPECT_TRUE(joiner->frames.empty());
    EXPECT_TRUE(watcher->last_frame().is_empty());
    EXPECT_TRUE(zone.owners_of(2).empty());
}

TEST(Joining, NewIdsAreNeverGivenTwice) {
    ZoneByHand zone(1, 1);
    const engine::EntityId first = zone.zone().new_id();
    EXPECT_NE(first, zone.zone().new_id());
}

/// Remembers which ports came through which I/O thread.
class IoThreadOutlet final : public shards::FrameOutlet {
public:
    [[nodiscard]] std::uint32_t io_thread_count() const override { return 3; }
    void post(std::uint32_t io_thread,
              std::span<const std::shared_ptr<shards::EntityPort>> ports) override {
        ++post_count;
        for (const auto& port : ports) {
            posted[io_thread].push_back(port.get());
        }
    }

    std::size_t post_count = 0;
    std::map<std::uint32_t, std::vector<const shards::EntityPort*>> posted;
};

TEST(Emitting, PortsWithSomethingToSendGoOutOnceByTheirLane) {
    IoThreadOutlet outlet;
    shards::Zone zone(small_world(), small_layout(1, 1), outlet);
    shards::Lockstep lockstep(zone);
    std::vector<std::shared_ptr<RecordingPort>> ports;
    const std::vector<std::uint32_t> io_threads{2, 0, 2};
    for (std::size_t i = 0; i < io_threads.size(); ++i) {
        ports.push_back(std::make_shared<RecordingPort>(io_threads[i]));
        // The last one stands apart and sees nobody: its frame is empty.
        const engine::Position at = i < 2 ? engine::Position{1, 1, 0} : engine::Position{90, 90, 0};
        ASSERT_TRUE(zone.join({entity_at(i, at), ports.back()}));
    }
    lockstep.step();
    EXPECT_EQ(outlet.post_count, 2U);
    EXPECT_EQ(outlet.posted[2], std::vector<const shards::EntityPort*>{ports[0].get()});
    EXPECT_EQ(outlet.posted[0], std::vector<const shards::EntityPort*>{ports[1].get()});
    lockstep.step();
    EXPECT_EQ(outlet.post_count, 2U) << "nothing changed, so nothing is sent";
}

}  // namespace
}  // namespace marchland::tests
