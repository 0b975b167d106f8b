#include "shards/border/local_transport.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace marchland::shards {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr ShardId kA{0};
constexpr ShardId kB{1};
constexpr ShardId kC{2};

/// Long enough that a test which runs into it has failed for certain.
Clock::time_point in_a_while() {
    return Clock::now() + 60s;
}

constexpr Clock::time_point kLongPast{};

/// A batch that differs from others by the id in it.
BorderTransport::Outgoing batch_to(ShardId to, ShardId from, engine::Tick tick,
                                   std::uint64_t mark) {
    BorderTransport::Outgoing outgoing{to, {}};
    outgoing.batch.from = from;
    outgoing.batch.tick = tick;
    outgoing.batch.ghosts_went.push_back(engine::EntityId{mark});
    return outgoing;
}

void publish(BorderTransport& transport, ShardId from, engine::Tick tick,
             std::vector<BorderTransport::Outgoing> batches) {
    transport.publish(from, tick, batches, true);
}

std::vector<std::uint64_t> marks_for(BorderTransport& transport, ShardId self, engine::Tick tick) {
    std::vector<BorderBatch> collected;
    transport.collect(self, tick, collected);
    std::vector<std::uint64_t> marks;
    for (const BorderBatch& batch : collected) {
        marks.push_back(to_number(batch.ghosts_went.at(0)));
    }
    return marks;
}

constexpr std::size_t kTicksBehindMax = 50;

std::size_t count_late(const MissingBatches& missing) {
    std::size_t count = 0;
    missing.late.for_each([&](ShardId) { ++count; });
    return count;
}

TEST(LocalTransport, BringsEachBatchToItsReceiverOnce) {
    LocalTransport transport(3, kTicksBehindMax);
    publish(transport, kA, 1, {batch_to(kB, kA, 1, 10), batch_to(kC, kA, 1, 20)});
    EXPECT_EQ(marks_for(transport, kB, 1), std::vector<std::uint64_t>{10});
    EXPECT_EQ(marks_for(transport, kC, 1), std::vector<std::uint64_t>{20});
    EXPECT_TRUE(marks_for(transport, kA, 1).empty());
    EXPECT_TRUE(marks_for(transport, kB, 1).empty());
}

TEST(LocalTransport, PublishLeavesTheListEmptyForTheNextTick) {
    LocalTransport transport(2, kTicksBehindMax);
    std::vector<BorderTransport::Outgoing> batches;
    batches.push_back(batch_to(kB, kA, 1, 1));
    transport.publish(kA, 1, batches, true);
    EXPECT_TRUE(batches.empty());
    EXPECT_GE(batches.capacity(), 1U);
}

TEST(LocalTransport, CollectKeepsTheOrderOfArrivalAcrossSendersAndTicks) {
    LocalTransport transport(3, kTicksBehindMax);
    publish(transport, kB, 1, {batch_to(kA, kB, 1, 1)});
    publish(transport, kC, 1, {batch_to(kA, kC, 1, 2)});
    publish(transport, kC, 2, {batch_to(kA, kC, 2, 3)});
    publish(transport, kB, 2, {batch_to(kA, kB, 2, 4)});
    EXPECT_EQ(marks_for(transport, kA, 2), (std::vector<std::uint64_t>{1, 2, 3, 4}));
}

TEST(LocalTransport, CollectLeavesBatchesOfLaterTicksWaiting) {
    LocalTransport transport(3, kTicksBehindMax);
    publish(transport, kB, 1, {batch_to(kA, kB, 1, 1)});
    publish(transport, kB, 2, {batch_to(kA, kB, 2, 2)});
    publish(transport, kC, 1, {batch_to(kA, kC, 1, 3)});
    publish(transport, kB, 3, {batch_to(kA, kB, 3, 4)});
    EXPECT_EQ(marks_for(transport, kA, 1), (std::vector<std::uint64_t>{1, 3}));
    EXPECT_EQ(marks_for(transport, kA, 3), (std::vector<std::uint64_t>{2, 4}));
}

TEST(LocalTransport, CollectAppendsToWhatIsThere) {
    LocalTransport transport(2, kTicksBehindMax);
    publish(transport, kB, 1, {batch_to(kA, kB, 1, 1)});
    std::vector<BorderBatch> collected(1);
    transport.collect(kA, 1, collected);
    EXPECT_EQ(collected.size(), 2U);
}

// The first and the last receiver of a publish call look in turn, while it runs. Whoever looks
// second may never see less: else a change of an entity could overtake an older one by way of a
// third shard. Many receivers in between make the call long enough to be looked into.
TEST(LocalTransport, BatchesOfOnePublishBecomeVisibleTogether) {
    constexpr std::uint16_t kShards = 200;
    constexpr engine::Tick kTicks = 500;
    constexpr ShardId kFirst{1};
    constexpr ShardId kLast{kShards - 1};
    LocalTransport transport(kShards, kTicksBehindMax);
    const std::jthread publisher([&] {
        for (engine::Tick tick = 1; tick <= kTicks; ++tick) {
            std::vector<BorderTransport::Outgoing> batches;
            for (std::uint16_t to = 1; to < kShards; ++to) {
                batches.push_back(batch_to(static_cast<ShardId>(to), kA, tick, tick));
            }
            transport.publish(kA, tick, batches, true);
        }
    });
    std::uint64_t newest_of_first = 0;
    std::uint64_t newest_of_last = 0;
    while (newest_of_last < kTicks) {
        for (const std::uint64_t mark : marks_for(transport, kFirst, kTicks)) {
            newest_of_first = mark;
        }
        for (const std::uint64_t mark : marks_for(transport, kLast, kTicks)) {
            newest_of_last = mark;
        }
        ASSERT_GE(newest_of_last, newest_of_first);
    }
}

TEST(LocalTransport, AwaitReturnsAtOnceWhenEveryShardHasPublished) {
    LocalTransport transport(3, kTicksBehindMax);
    for (const ShardId shard : {kA, kB, kC}) {
        publish(transport, shard, 1, {});
    }
    EXPECT_TRUE(transport.await(1, in_a_while()).is_none());
    EXPECT_TRUE(transport.await(1, kLongPast).is_none());
}

TEST(LocalTransport, AwaitWithADeadlineAlreadyPassedCountsTheMissingShards) {
    LocalTransport transport(3, kTicksBehindMax);
    EXPECT_EQ(count_late(transport.await(1, kLongPast)), 3U);
    publish(transport, kB, 1, {});
    EXPECT_EQ(count_late(transport.await(1, kLongPast)), 2U);
    EXPECT_EQ(count_late(transport.await(2, kLongPast)), 3U);
}

TEST(LocalTransport, ShardThatIsAheadIsNotMissing) {
    LocalTransport transport(2, kTicksBehindMax);
    publish(transport, kA, 1, {});
    for (engine::Tick tick = 1; tick <= 5; ++tick) {
        publish(transport, kB, tick, {});
    }
    EXPECT_TRUE(transport.await(1, kLongPast).is_none());
}

/// Its entities may go on meanwhile in ways that were not sent to others.
TEST(LocalTransport, ShardThatSkippedTheTickIsMissingInItAndNotWaitedFor) {
    LocalTransport transport(2, kTicksBehindMax);
    for (const engine::Tick tick : {1, 4, 5, 200}) {
        publish(transport, kA, tick, {});
    }
    for (const engine::Tick tick : {2, 3, 130}) {
        const MissingBatches missing = transport.await(tick, kLongPast);
        EXPECT_TRUE(missing.late.contains(kA)) << tick;
    }
    EXPECT_FALSE(transport.await(200, kLongPast).late.contains(kA));
    LocalTransport other(1, kTicksBehindMax);
    publish(other, kA, 3, {});
    EXPECT_EQ(count_late(other.await(2, in_a_while())), 1U);
    EXPECT_EQ(count_late(other.await(3, in_a_while())), 0U);
}

TEST(LocalTransport, ShardThatIsNotWholeIsReportedButIsNotWaitedFor) {
    LocalTransport transport(2, kTicksBehindMax);
    std::vector<BorderTransport::Outgoing> none;
    transport.publish(kA, 2, none, false);
    publish(transport, kB, 2, {});
    const auto far_off = std::chrono::steady_clock::now() + std::chrono::hours(1);
    EXPECT_FALSE(transport.await(2, far_off).is_whole);
    EXPECT_FALSE(transport.await(1, far_off).is_whole) << "nor was it before";
    publish(transport, kA, 3, {});
    publish(transport, kB, 3, {});
    EXPECT_TRUE(transport.await(3, far_off).is_none());
    EXPECT_FALSE(transport.await(2, far_off).is_whole) << "for who is late";
}

TEST(LocalTransport, ShardThatIsNotWholeIsNotInTheTicksThatItSkipsNext) {
    LocalTransport transport(2, kTicksBehindMax);
    std::vector<BorderTransport::Outgoing> none;
    transport.publish(kA, 2, none, false);
    publish(transport, kB, 2, {});
    for (const engine::Tick tick : {5, 8}) {
        publish(transport, kA, tick, {});
        publish(transport, kB, tick, {});
    }
    const auto far_off = std::chrono::steady_clock::now() + std::chrono::hours(1);
    EXPECT_FALSE(transport.await(4, far_off).is_whole);
    EXPECT_TRUE(transport.await(5, far_off).is_none());
    EXPECT_TRUE(transport.await(7, far_off).is_whole) << "it was in 5";
}

/// A batch that hands somebody over.
BorderTransport::Outgoing handoff_to(ShardId to, ShardId from, engine::Tick tick) {
    BorderTransport::Outgoing outgoing = batch_to(to, from, tick, 1);
    outgoing.batch.handoffs.emplace_back();
    engine::Entity& entity = outgoing.batch.handoffs.back().entity;
    entity.position = entity.shown = {7, 8, 9};
    entity.velocity = {20, 0, 0};
    entity.moved_tick = tick;
    return outgoing;
}

TEST(LocalTransport, WhoIsHandedOverTooLateHasNoOwnerUntilThatIsRead) {
    LocalTransport transport(3, kTicksBehindMax);
    for (const ShardId on_time : {kB, kC}) {
        publish(transport, on_time, 1, {});
        publish(transport, on_time, 2, {});
    }
    std::vector<BorderTransport::Outgoing> late;
    late.push_back(handoff_to(kB, kA, 1));
    transport.publish(kA, 1, late, true);
    publish(transport, kA, 2, {});
    const MissingBatches missing = transport.await(2, kLongPast);
    EXPECT_EQ(missing.unowned, (engine::Rect{7, 8, 27, 8})) << "B published tick 2 without it";
    EXPECT_TRUE(missing.late.is_empty());
    for (const ShardId shard : {kA, kB, kC}) {
        std::vector<BorderBatch> collected;
        transport.collect(shard, 2, collected);
        publish(transport, shard, 3, {});
    }
    EXPECT_TRUE(transport.await(3, kLongPast).is_none());
}

TEST(LocalTransport, TicksWithoutAnOwnerAreRememberedForWhoeverIsStillToRunThem) {
    LocalTransport transport(3, kTicksBehindMax);
    for (engine::Tick tick = 1; tick <= 6; ++tick) {
        publish(transport, kB, tick, {});
    }
    publish(transport, kC, 1, {});
    for (const engine::Tick tick : {engine::Tick{1}, engine::Tick{4}}) {
        std::vector<BorderTransport::Outgoing> late;
        late.push_back(handoff_to(kB, kA, tick));
        transport.publish(kA, tick, late, true);
    }
    publish(transport, kA, 6, {});
    for (engine::Tick tick = 2; tick <= 6; ++tick) {
        publish(transport, kC, tick, {});
        EXPECT_TRUE(transport.await(tick, kLongPast).unowned) << tick;
    }
}

TEST(LocalTransport, WhoIsHandedOverHasNoOwnerInATickThatIsPublishedBeforeThatIsRead) {
    LocalTransport transport(2, kTicksBehindMax);
    std::vector<BorderTransport::Outgoing> batches;
    batches.push_back(handoff_to(kB, kA, 1));
    transport.publish(kA, 1, batches, true);
    publish(transport, kA, 2, {});
    publish(transport, kB, 1, {});
    EXPECT_TRUE(transport.await(1, kLongPast).is_none());
    publish(transport, kB, 2, {});  // it skipped the second half of its tick 1
    EXPECT_TRUE(transport.await(2, kLongPast).unowned);
}

TEST(LocalTransport, CollectTellsUpToWhichTickNothingIsToCome) {
    LocalTransport transport(2, kTicksBehindMax);
    std::vector<BorderBatch> collected;
    publish(transport, kA, 7, {});
    publish(transport, kB, 4, {});
    EXPECT_EQ(transport.collect(kA, 7, collected), 4U);
    EXPECT_EQ(transport.collect(kA, 3, collected), 3U) << "later ones wait";
}

TEST(LocalTransport, AwaitEndsWhenTheLastShardPublishes) {
    LocalTransport transport(2, kTicksBehindMax);
    publish(transport, kA, 1, {});
    const std::jthread late([&] { publish(transport, kB, 1, {batch_to(kA, kB, 1, 7)}); });
    EXPECT_TRUE(transport.await(1, in_a_while()).is_none());
    EXPECT_EQ(marks_for(transport, kA, 1), std::vector<std::uint64_t>{7});
}

TEST(LocalTransport, AwaitEndsAtItsDeadlineWhenAShardStaysAway) {
    LocalTransport transport(2, kTicksBehindMax);
    publish(transport, kA, 1, {});
    const Clock::time_point deadline = Clock::now() + 5ms;
    EXPECT_EQ(count_late(transport.await(1, deadline)), 1U);
    EXPECT_GE(Clock::now(), deadline);
}

TEST(LocalTransport, ShardThatMissedAGateIsNotWaitedForBeforeItIsInTimeAgain) {
    LocalTransport transport(2, kTicksBehindMax);
    publish(transport, kA, 1, {});
    EXPECT_EQ(count_late(transport.await(1, Clock::now() + 5ms)), 1U);
    publish(transport, kA, 2, {});
    const Clock::time_point deadline = in_a_while();
    EXPECT_EQ(count_late(transport.await(2, deadline)), 1U);
    publish(transport, kB, 1, {});
    publish(transport, kA, 3, {});
    EXPECT_EQ(count_late(transport.await(3, deadline)), 1U) << "what it published was late";
    EXPECT_LT(Clock::now(), deadline) << "nobody waited";
    publish(transport, kB, 3, {});
    publish(transport, kA, 4, {});
    const std::jthread on_time([&] { publish(transport, kB, 4, {}); });
    EXPECT_TRUE(transport.await(4, in_a_while()).is_none()) << "its last tick was in time";
}

TEST(LocalTransport, CloseWakesWhoeverWaits) {
    LocalTransport transport(2, kTicksBehindMax);
    const std::jthread closer([&] { transport.close(); });
    EXPECT_EQ(count_late(transport.await(1, in_a_while())), 2U);
}

TEST(LocalTransport, CloseEndsEveryLaterWaitAtOnce) {
    LocalTransport transport(2, kTicksBehindMax);
    transport.close();
    EXPECT_EQ(count_late(transport.await(9, in_a_while())), 2U);
}

TEST(LocalTransport, RecycledBatchComesBackEmptyWithItsMemory) {
    LocalTransport transport(2, kTicksBehindMax);
    BorderBatch used;
    used.ghosts_went.resize(50);
    used.ghosts_moved.resize(70);
    transport.recycle(std::move(used));
    const BorderBatch fresh = transport.fresh_batch();
    EXPECT_TRUE(fresh.ghosts_went.empty() && fresh.ghosts_moved.empty());
    EXPECT_GE(fresh.ghosts_went.capacity(), 50U);
    EXPECT_GE(fresh.ghosts_moved.capacity(), 70U);
    EXPECT_EQ(transport.fresh_batch().ghosts_went.capacity(), 0U);
}

TEST(LocalTransport, MailboxOfAShardThatStandsStillIsBounded) {
    LocalTransport transport(2, kTicksBehindMax);
    const auto publish_without_end = [&] {
        for (engine::Tick tick = 1; tick <= 10 * kTicksBehindMax; ++tick) {
            publish(transport, kA, tick, {batch_to(kB, kA, tick, tick)});
        }
    };
    EXPECT_THROW(publish_without_end(), std::runtime_error);
}

TEST(LocalTransport, AdmittedShardIsWaitedForFromItsFirstTickOn) {
    LocalTransport transport(1, kTicksBehindMax);
    transport.admit(kC, 5);
    publish(transport, kA, 4, {});
    publish(transport, kA, 5, {batch_to(kC, kA, 5, 50)});
    EXPECT_TRUE(transport.await(4, kLongPast).is_none());
    EXPECT_EQ(count_late(transport.await(5, kLongPast)), 1U);
    publish(transport, kC, 5, {});
    EXPECT_TRUE(transport.await(5, kLongPast).is_none());
    EXPECT_EQ(marks_for(transport, kC, 5), std::vector<std::uint64_t>{50});
}

TEST(LocalTransport, DismissedShardIsNotWaitedForAnyMore) {
    LocalTransport transport(2, kTicksBehindMax);
    publish(transport, kA, 1, {});
    auto waiting = std::thread([&] { EXPECT_TRUE(transport.await(1, in_a_while()).is_none()); });
    EXPECT_TRUE(transport.dismiss(kB));
    waiting.join();
    transport.admit(kB, 9);
    EXPECT_EQ(count_late(transport.await(9, kLongPast)), 2U);
}

TEST(LocalTransport, ShardThatHasNotCollectedEverythingIsNotDismissed) {
    LocalTransport transport(2, kTicksBehindMax);
    publish(transport, kA, 2, {batch_to(kB, kA, 2, 20)});
    marks_for(transport, kB, 1);
    EXPECT_FALSE(transport.dismiss(kB));
    EXPECT_EQ(count_late(transport.await(2, kLongPast)), 1U) << "it still takes part";
    marks_for(transport, kB, 2);
    EXPECT_TRUE(transport.dismiss(kB));
}

TEST(LocalTransportDeathTest, BatchForAShardThatTakesNoPartIsABrokenPromise) {
    LocalTransport transport(2, kTicksBehindMax);
    ASSERT_TRUE(transport.dismiss(kB));
    EXPECT_DEATH(publish(transport, kA, 1, {batch_to(kB, kA, 1, 10)}), "takes_part");
}

TEST(LocalTransportDeathTest, TickThatIsPublishedTwiceIsABrokenPromise) {
    LocalTransport transport(2, kTicksBehindMax);
    publish(transport, kA, 3, {});
    EXPECT_DEATH(publish(transport, kA, 3, {}), "LocalCarrier|published_");
}

}  // namespace
}  // namespace marchland::shards
