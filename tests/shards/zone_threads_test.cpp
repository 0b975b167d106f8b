// A zone in real time. Nothing here measures time: tests wait for events, with a limit that only a
// broken zone reaches.

#include "shards/zone_threads.h"

#include "tests/shards/event_count.h"
#include "tests/shards/zone_by_hand.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <stdexcept>
#include <string>

namespace marchland::tests {
namespace {

using namespace std::chrono_literals;

/// Tells the test of its ticks; can be made to leave, to throw, or to hold its shard up.
class TickPort final : public RecordingPort {
public:
    EventCount asked;
    EventCount framed;
    EventCount removed;
    std::atomic<bool> leaves{false};
    std::atomic<bool> throws{false};
    std::atomic<bool> holds_up{false};

    void release() {
        holds_up = false;
        holds_up.notify_all();
    }
    void take_inputs(shards::Inputs& into) override {
        if (throws) {
            throw std::runtime_error("the port broke");
        }
        asked.add();
        holds_up.wait(true);
        RecordingPort::take_inputs(into);
        into.leave = leaves;
    }
    void on_removed() override {
        RecordingPort::on_removed();
        removed.add();
    }
    bool put_frame(const engine::Frame& frame, const engine::EntityStore& entities,
                   const shards::FrameFlags& flags) override {
        const bool has_content = RecordingPort::put_frame(frame, entities, flags);
        framed.add();
        return has_content;
    }
};

/// Fast ticks, so that the tests are.
shards::ZoneOptions fast_world() {
    shards::ZoneOptions options = small_world();
    options.tick_rate_hz = 128;
    return options;
}

/// One port in each of two shards, and the threads that run them.
struct TwoShardsOnThreads {
    explicit TwoShardsOnThreads(const shards::ZoneOptions& options = fast_world())
        : zone(options, small_layout(2, 1), outlet), threads(zone, [this](const std::string& what) {
              failure = what;
              failed.add();
          }) {
        has_joined = zone.join({entity_at(1, {46, 50, 0}), west}) &&
                     zone.join({entity_at(2, {52, 50, 0}), east});
    }

    SilentOutlet outlet;
    std::shared_ptr<TickPort> west = std::make_shared<TickPort>();
    std::shared_ptr<TickPort> east = std::make_shared<TickPort>();
    std::string failure;
    EventCount failed;
    shards::Zone zone;
    shards::ZoneThreads threads;
    bool has_joined = false;
};

TEST(ZoneThreads, TickEveryShardUntilTheyAreStopped) {
    TwoShardsOnThreads run;
    ASSERT_TRUE(run.has_joined);
    run.threads.start();
    EXPECT_TRUE(run.west->framed.wait_for(5));
    EXPECT_TRUE(run.east->framed.wait_for(5));
    run.threads.stop();
    const std::size_t frames = run.west->frames.size();
    EXPECT_EQ(run.west->frames.front().tick, 1U);
    EXPECT_EQ(run.zone.shard(shards::ShardId{0}).metrics().tick, run.west->frames.back().tick);
    run.threads.stop();
    EXPECT_EQ(run.west->frames.size(), frames) << "no tick after stop";
    EXPECT_EQ(run.failure, "");
}

TEST(ZoneThreads, DestructorStopsThem) {
    const auto port = std::make_shared<TickPort>();
    SilentOutlet outlet;
    shards::Zone zone(fast_world(), small_layout(2, 2), outlet);
    ASSERT_TRUE(zone.join({entity_at(1, {10, 10, 0}), port}));
    {
        shards::ZoneThreads threads(zone, [](const std::string&) {});
        threads.start();
        EXPECT_TRUE(port->framed.wait_for(2));
    }
    EXPECT_EQ(port.use_count(), 2) << "the zone and the test hold it, and no thread";
}

TEST(ZoneThreads, StopEndsAWaitForATickThatIsFarAway) {
    shards::ZoneOptions options = fast_world();
    options.tick_rate_hz = 1;
    SilentOutlet outlet;
    shards::Zone zone(options, small_layout(2, 1), outlet);
    shards::ZoneThreads threads(zone, [](const std::string&) {});
    threads.start();
    threads.stop();
    EXPECT_LE(zone.shard(shards::ShardId{0}).metrics().tick, 1U);
}

TEST(ZoneThreads, StopEndsAWaitAtTheGate) {
    shards::ZoneOptions options = fast_world();
    options.border_wait_ms_max = 3'600'000;
    TwoShardsOnThreads run(options);
    ASSERT_TRUE(run.has_joined);
    run.west->holds_up = true;
    run.threads.start();
    ASSERT_TRUE(run.west->asked.wait_for(1));
    ASSERT_TRUE(run.east->asked.wait_for(1));
    auto stopped = std::async(std::launch::async, [&] { run.threads.stop(); });
    EXPECT_TRUE(run.east->framed.wait_for(1)) << "the east is let through the gate";
    run.west->release();
    EXPECT_EQ(stopped.wait_for(EventCount::kFarTooLong), std::future_status::ready);
}

TEST(ZoneThreads, TickNumbersFollowTheClockAndNeverRepeat) {
    TwoShardsOnThreads run;
    ASSERT_TRUE(run.has_joined);
    const auto begin = std::chrono::steady_clock::now();
    run.threads.start();
    ASSERT_TRUE(run.west->framed.wait_for(20));
    run.threads.stop();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    engine::Tick last = engine::kNever;
    for (const SentFrame& frame : run.west->frames) {
        EXPECT_GT(frame.tick, last);
        last = frame.tick;
    }
    // Tick t is due at start + t / rate: never earlier, however fast the machine.
    EXPECT_LE(static_cast<double>(last), took.count() * run.zone.options().tick_rate_hz);
}

TEST(ZoneThreads, CrossingEntityIsFramedOnTheOtherThread) {
    TwoShardsOnThreads run;
    ASSERT_TRUE(run.has_joined);
    run.west->next.move = engine::Position{60, 50, 0};
    run.threads.start();
    EXPECT_TRUE(run.west->framed.wait_for(10));
    run.threads.stop();
    EXPECT_EQ(run.zone.shard(shards::ShardId{1}).owned_ids().size(), 2U);
    EXPECT_TRUE(run.zone.shard(shards::ShardId{0}).owned_ids().empty());
}

TEST(ZoneThreads, EntitiesJoinAndLeaveWhileTheZoneRuns) {
    constexpr std::uint64_t kJoiners = 8;
    TwoShardsOnThreads run;
    ASSERT_TRUE(run.has_joined);
    run.threads.start();
    const auto visit = [&](std::uint64_t first_id) {
        for (std::uint64_t id = first_id; id < first_id + kJoiners; ++id) {
            const auto port = std::make_shared<TickPort>();
            const auto x = static_cast<std::int32_t>(45 + id % 10);  // on both sides of the border
            EXPECT_TRUE(run.zone.join({entity_at(id, {x, 50, 0}), port}));
            EXPECT_TRUE(port->framed.wait_for(1));
            port->leaves = true;
            EXPECT_TRUE(port->removed.wait_for(1));
        }
    };
    auto elsewhere = std::async(std::launch::async, visit, std::uint64_t{100});
    visit(200);
    elsewhere.wait();
    run.threads.stop();
    EXPECT_EQ(run.zone.entity_count(), 2U);
}

TEST(ZoneThreads, LateShardIsWaitedForUntilTheLimitAndNoLonger) {
    shards::ZoneOptions options = fast_world();
    options.border_wait_ms_max = 1;
    TwoShardsOnThreads run(options);
    ASSERT_TRUE(run.has_joined);
    run.west->holds_up = true;
    run.threads.start();
    EXPECT_TRUE(run.east->framed.wait_for(5)) << "the east goes on alone";
    run.west->release();
    EXPECT_TRUE(run.west->framed.wait_for(3));
    run.threads.stop();
    EXPECT_TRUE(run.east->frames.at(0).border_stale);
    EXPECT_GT(run.zone.shard(shards::ShardId{1}).metrics().stale_border_ticks_total, 0U);
    EXPECT_GT(run.zone.shard(shards::ShardId{0}).metrics().ticks_late_total, 0U);
}

TEST(ZoneThreads, LateShardGoesOnWithTheTickThatIsDue) {
    shards::ZoneOptions options = fast_world();
    options.border_wait_ms_max = 1;
    TwoShardsOnThreads run(options);
    ASSERT_TRUE(run.has_joined);
    run.west->holds_up = true;
    run.threads.start();
    ASSERT_TRUE(run.east->framed.wait_for(10));
    run.west->release();
    ASSERT_TRUE(run.west->framed.wait_for(2));
    run.threads.stop();
    EXPECT_EQ(run.west->frames.at(0).tick, 1U);
    EXPECT_GE(run.west->frames.at(1).tick, run.east->frames.at(9).tick)
        << "the ticks that passed meanwhile are not made up for";
}

TEST(ZoneThreads, PortThatThrowsStopsTheZoneAndIsReportedOnce) {
    TwoShardsOnThreads run;
    ASSERT_TRUE(run.has_joined);
    run.threads.start();
    ASSERT_TRUE(run.west->framed.wait_for(2));
    run.west->throws = true;
    run.east->throws = true;
    ASSERT_TRUE(run.failed.wait_for(1));
    run.threads.stop();
    EXPECT_NE(run.failure.find("the port broke"), std::string::npos) << run.failure;
    EXPECT_FALSE(run.failed.wait_for(2, 0s)) << "reported once, though both shards failed";
}

TEST(ZoneThreads, ShardThatStandsStillStopsTheZoneAlsoWhereNothingIsSentToIt) {
    shards::ZoneOptions options = fast_world();
    options.shard_stall_ms_max = 50;
    TwoShardsOnThreads run(options);
    ASSERT_TRUE(run.has_joined);
    run.west->holds_up = true;
    run.threads.start();
    ASSERT_TRUE(run.failed.wait_for(1));
    EXPECT_NE(run.failure.find("'c0r0': it stands still in tick"), std::string::npos)
        << run.failure;
    EXPECT_FALSE(run.threads.stop_within(1ms)) << "the shard is still in its tick";
    run.west->release();
    EXPECT_TRUE(run.threads.stop_within(EventCount::kFarTooLong));
    EXPECT_FALSE(run.failed.wait_for(2, 0s)) << "reported once";
}

TEST(ZoneThreads, NewLayoutIsInForceInOneTickAndNobodyIsLost) {
    TwoShardsOnThreads run;
    ASSERT_TRUE(run.has_joined);
    run.threads.start();
    ASSERT_TRUE(run.west->framed.wait_for(2));
    const engine::Tick from = run.threads.change_layout(small_layout(4, 4));
    ASSERT_TRUE(run.west->framed.wait_for(10));
    ASSERT_TRUE(run.east->framed.wait_for(10));
    run.threads.change_layout(small_layout(1, 1));
    for (std::size_t frames = 11; frames < 1'000 && run.zone.shard_count() > 1; ++frames) {
        ASSERT_TRUE(run.west->framed.wait_for(frames));
    }
    ASSERT_EQ(run.zone.shard_count(), 1U);
    // Whoever is on the way to another shard when the zone stops has no owner.
    ASSERT_TRUE(run.west->framed.wait_for(run.west->framed.count() + 1));
    ASSERT_TRUE(run.east->framed.wait_for(run.east->framed.count() + 1));
    run.threads.stop();
    EXPECT_GT(from, 2U);
    EXPECT_EQ(run.zone.shard(shards::ShardId{0}).owned_ids().size(), 2U);
    EXPECT_EQ(run.failure, "");
}

TEST(ZoneThreads, ThreadsOfRetiredShardsEnd) {
    TwoShardsOnThreads run;
    ASSERT_TRUE(run.has_joined);
    run.threads.start();
    run.threads.change_layout(small_layout(8, 8));
    ASSERT_TRUE(run.west->framed.wait_for(5));
    run.threads.change_layout(small_layout(1, 1));
    for (std::size_t frames = 5; frames < 1'000 && run.zone.shard_count() > 1; ++frames) {
        ASSERT_TRUE(run.west->framed.wait_for(frames));
    }
    EXPECT_EQ(run.zone.shard_count(), 1U);
    run.threads.stop();
}

TEST(ZoneThreads, EntitiesJoinAndLeaveWhileTheLayoutChanges) {
    constexpr std::uint64_t kJoiners = 40;
    TwoShardsOnThreads run;
    ASSERT_TRUE(run.has_joined);
    run.threads.start();
    auto visits = std::async(std::launch::async, [&] {
        for (std::uint64_t id = 100; id < 100 + kJoiners; ++id) {
            const auto port = std::make_shared<TickPort>();
            const auto x = static_cast<std::int32_t>(id * 37 % 100);
            EXPECT_TRUE(run.zone.join({entity_at(id, {x, 50, 0}), port}));
            EXPECT_TRUE(port->asked.wait_for(1));
            port->leaves = true;
            EXPECT_TRUE(port->removed.wait_for(1));
        }
    });
    std::uint32_t change = 0;
    while (visits.wait_for(0s) != std::future_status::ready) {
        run.threads.change_layout(small_layout(1 + change % 7, 1 + change % 3));
        ++change;
        ASSERT_TRUE(run.west->framed.wait_for(2 * change));
    }
    run.threads.stop();
    EXPECT_GT(change, 3U);
    EXPECT_EQ(run.zone.entity_count(), 2U);
    EXPECT_EQ(run.failure, "");
}

TEST(ZoneThreads, ShardThatIsHeldUpWhileTheLayoutChangesTwiceHandsOverWhenItIsBack) {
    shards::ZoneOptions options = fast_world();
    options.border_wait_ms_max = 1;
    TwoShardsOnThreads run(options);
    ASSERT_TRUE(run.has_joined);
    run.threads.start();
    ASSERT_TRUE(run.west->framed.wait_for(1));
    run.west->holds_up = true;
    ASSERT_TRUE(run.east->framed.wait_for(5));
    run.threads.change_layout(small_layout(3, 3));
    ASSERT_TRUE(run.east->framed.wait_for(15));
    run.threads.change_layout(small_layout(1, 2));
    ASSERT_TRUE(run.east->framed.wait_for(25));
    run.west->release();
    ASSERT_TRUE(run.west->framed.wait_for(20));
    ASSERT_TRUE(run.east->framed.wait_for(45));
    run.threads.stop();
    std::size_t owned = 0;
    for (const shards::ShardId id : run.zone.running_shards()) {
        owned += run.zone.shard(id).owned_ids().size();
    }
    EXPECT_EQ(owned, 2U);
    EXPECT_EQ(run.failure, "");
}

}  // namespace
}  // namespace marchland::tests
