#include "shards/local_carrier.h"

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

/// A batch that can be told from others by the id in it.
Carrier::Outgoing batch_to(ShardId to, ShardId from, engine::Tick tick, std::uint64_t mark) {
    Carrier::Outgoing outgoing{to, {}};
    outgoing.batch.from = from;
    outgoing.batch.tick = tick;
    outgoing.batch.ghosts_went.push_back(engine::EntityId{mark});
    return outgoing;
}

void publish(Carrier& carrier, ShardId from, engine::Tick tick,
             std::vector<Carrier::Outgoing> batches) {
    carrier.publish(from, tick, batches, true);
}

std::vector<std::uint64_t> marks_for(Carrier& carrier, ShardId self, engine::Tick tick) {
    std::vector<BorderBatch> collected;
    carrier.collect(self, tick, collected);
    std::vector<std::uint64_t> marks;
    for (const BorderBatch& batch : collected) {
        marks.push_back(to_number(batch.ghosts_went.at(0)));
    }
    return marks;
}

constexpr std::size_t kTicksBehindMax = 50;

TEST(LocalCarrier, BringsEachBatchToItsReceiverOnce) {
    LocalCarrier carrier(3, kTicksBehindMax);
    publish(carrier, kA, 1, {batch_to(kB, kA, 1, 10), batch_to(kC, kA, 1, 20)});
    EXPECT_EQ(marks_for(carrier, kB, 1), std::vector<std::uint64_t>{10});
    EXPECT_EQ(marks_for(carrier, kC, 1), std::vector<std::uint64_t>{20});
    EXPECT_TRUE(marks_for(carrier, kA, 1).empty());
    EXPECT_TRUE(marks_for(carrier, kB, 1).empty());
}

TEST(LocalCarrier, PublishLeavesTheListEmptyForTheNextTick) {
    LocalCarrier carrier(2, kTicksBehindMax);
    std::vector<Carrier::Outgoing> batches;
    batches.push_back(batch_to(kB, kA, 1, 1));
    carrier.publish(kA, 1, batches, true);
    EXPECT_TRUE(batches.empty());
    EXPECT_GE(batches.capacity(), 1U);
}

TEST(LocalCarrier, CollectKeepsTheOrderOfArrivalAcrossSendersAndTicks) {
    LocalCarrier carrier(3, kTicksBehindMax);
    publish(carrier, kB, 1, {batch_to(kA, kB, 1, 1)});
    publish(carrier, kC, 1, {batch_to(kA, kC, 1, 2)});
    publish(carrier, kC, 2, {batch_to(kA, kC, 2, 3)});
    publish(carrier, kB, 2, {batch_to(kA, kB, 2, 4)});
    EXPECT_EQ(marks_for(carrier, kA, 2), (std::vector<std::uint64_t>{1, 2, 3, 4}));
}

TEST(LocalCarrier, CollectLeavesBatchesOfLaterTicksWaiting) {
    LocalCarrier carrier(3, kTicksBehindMax);
    publish(carrier, kB, 1, {batch_to(kA, kB, 1, 1)});
    publish(carrier, kB, 2, {batch_to(kA, kB, 2, 2)});
    publish(carrier, kC, 1, {batch_to(kA, kC, 1, 3)});
    publish(carrier, kB, 3, {batch_to(kA, kB, 3, 4)});
    EXPECT_EQ(marks_for(carrier, kA, 1), (std::vector<std::uint64_t>{1, 3}));
    EXPECT_EQ(marks_for(carrier, kA, 3), (std::vector<std::uint64_t>{2, 4}));
}

TEST(LocalCarrier, CollectAppendsToWhatIsThere) {
    LocalCarrier carrier(2, kTicksBehindMax);
    publish(carrier, kB, 1, {batch_to(kA, kB, 1, 1)});
    std::vector<BorderBatch> collected(1);
    carrier.collect(kA, 1, collected);
    EXPECT_EQ(collected.size(), 2U);
}

// The first and the last receiver of a publish call look in turn, while it runs. Whoever looks
// second may never see less: else news about an entity could overtake older news by way of a third
// shard. Many receivers in between make the call long enough to be looked into.
TEST(LocalCarrier, BatchesOfOnePublishBecomeVisibleTogether) {
    constexpr std::uint16_t kShards = 200;
    constexpr engine::Tick kTicks = 500;
    constexpr ShardId kFirst{1};
    constexpr ShardId kLast{kShards - 1};
    LocalCarrier carrier(kShards, kTicksBehindMax);
    const std::jthread publisher([&] {
        for (engine::Tick tick = 1; tick <= kTicks; ++tick) {
            std::vector<Carrier::Outgoing> batches;
            for (std::uint16_t to = 1; to < kShards; ++to) {
                batches.push_back(batch_to(static_cast<ShardId>(to), kA, tick, tick));
            }
            carrier.publish(kA, tick, batches, true);
        }
    });
    std::uint64_t newest_of_first = 0;
    std::uint64_t newest_of_last = 0;
    while (newest_of_last < kTicks) {
        for (const std::uint64_t mark : marks_for(carrier, kFirst, kTicks)) {
            newest_of_first = mark;
        }
        for (const std::uint64_t mark : marks_for(carrier, kLast, kTicks)) {
            newest_of_last = mark;
        }
        ASSERT_GE(newest_of_last, newest_of_first);
    }
}

TEST(LocalCarrier, AwaitReturnsAtOnceWhenEveryShardHasPublished) {
    LocalCarrier carrier(3, kTicksBehindMax);
    for (const ShardId shard : {kA, kB, kC}) {
        publish(carrier, shard, 1, {});
    }
    EXPECT_EQ(carrier.await(1, in_a_while()), 0U);
    EXPECT_EQ(carrier.await(1, kLongPast), 0U);
}

TEST(LocalCarrier, AwaitWithADeadlineAlreadyPassedCountsTheMissingShards) {
    LocalCarrier carrier(3, kTicksBehindMax);
    EXPECT_EQ(carrier.await(1, kLongPast), 3U);
    publish(carrier, kB, 1, {});
    EXPECT_EQ(carrier.await(1, kLongPast), 2U);
    EXPECT_EQ(carrier.await(2, kLongPast), 3U);
}

TEST(LocalCarrier, ShardThatIsAheadIsNotMissing) {
    LocalCarrier carrier(2, kTicksBehindMax);
    publish(carrier, kA, 1, {});
    publish(carrier, kB, 5, {});
    EXPECT_EQ(carrier.await(1, kLongPast), 0U);
}

TEST(LocalCarrier, ShardThatIsNotWholeCountsAsMissingButIsNotWaitedFor) {
    LocalCarrier carrier(2, kTicksBehindMax);
    std::vector<Carrier::Outgoing> none;
    carrier.publish(kA, 2, none, false);
    publish(carrier, kB, 2, {});
    const auto far_off = std::chrono::steady_clock::now() + std::chrono::hours(1);
    EXPECT_EQ(carrier.await(2, far_off), 1U);
    EXPECT_EQ(carrier.await(1, far_off), 1U) << "nor was it before";
    publish(carrier, kA, 3, {});
    publish(carrier, kB, 3, {});
    EXPECT_EQ(carrier.await(3, far_off), 0U);
    EXPECT_EQ(carrier.await(2, far_off), 1U) << "for who is late";
}

TEST(LocalCarrier, ShardThatIsNotWholeIsNotInTheTicksThatItSkipsNext) {
    LocalCarrier carrier(2, kTicksBehindMax);
    std::vector<Carrier::Outgoing> none;
    carrier.publish(kA, 2, none, false);
    publish(carrier, kB, 2, {});
    for (const engine::Tick tick : {5, 8}) {
        publish(carrier, kA, tick, {});
        publish(carrier, kB, tick, {});
    }
    const auto far_off = std::chrono::steady_clock::now() + std::chrono::hours(1);
    EXPECT_EQ(carrier.await(4, far_off), 1U);
    EXPECT_EQ(carrier.await(5, far_off), 0U);
    EXPECT_EQ(carrier.await(7, far_off), 0U) << "it was whole in 5";
}

TEST(LocalCarrier, CollectTellsUpToWhichTickNothingIsToCome) {
    LocalCarrier carrier(2, kTicksBehindMax);
    std::vector<BorderBatch> collected;
    publish(carrier, kA, 7, {});
    publish(carrier, kB, 4, {});
    EXPECT_EQ(carrier.collect(kA, 7, collected), 4U);
    EXPECT_EQ(carrier.collect(kA, 3, collected), 3U) << "later ones wait";
}

TEST(LocalCarrier, AwaitEndsWhenTheLastShardPublishes) {
    LocalCarrier carrier(2, kTicksBehindMax);
    publish(carrier, kA, 1, {});
    const std::jthread late([&] { publish(carrier, kB, 1, {batch_to(kA, kB, 1, 7)}); });
    EXPECT_EQ(carrier.await(1, in_a_while()), 0U);
    EXPECT_EQ(marks_for(carrier, kA, 1), std::vector<std::uint64_t>{7});
}

TEST(LocalCarrier, AwaitEndsAtItsDeadlineWhenAShardStaysAway) {
    LocalCarrier carrier(2, kTicksBehindMax);
    publish(carrier, kA, 1, {});
    const Clock::time_point deadline = Clock::now() + 5ms;
    EXPECT_EQ(carrier.await(1, deadline), 1U);
    EXPECT_GE(Clock::now(), deadline);
}

TEST(LocalCarrier, ShardThatMissedAGateIsNotWaitedForBeforeItIsInTimeAgain) {
    LocalCarrier carrier(2, kTicksBehindMax);
    publish(carrier, kA, 1, {});
    EXPECT_EQ(carrier.await(1, Clock::now() + 5ms), 1U);
    publish(carrier, kA, 2, {});
    const Clock::time_point deadline = in_a_while();
    EXPECT_EQ(carrier.await(2, deadline), 1U);
    publish(carrier, kB, 1, {});
    publish(carrier, kA, 3, {});
    EXPECT_EQ(carrier.await(3, deadline), 1U) << "what it published was late";
    EXPECT_LT(Clock::now(), deadline) << "nobody waited";
    publish(carrier, kB, 3, {});
    publish(carrier, kA, 4, {});
    const std::jthread on_time([&] { publish(carrier, kB, 4, {}); });
    EXPECT_EQ(carrier.await(4, in_a_while()), 0U) << "its last tick was in time";
}

TEST(LocalCarrier, CloseWakesWhoeverWaits) {
    LocalCarrier carrier(2, kTicksBehindMax);
    const std::jthread closer([&] { carrier.close(); });
    EXPECT_EQ(carrier.await(1, in_a_while()), 2U);
}

TEST(LocalCarrier, CloseEndsEveryLaterWaitAtOnce) {
    LocalCarrier carrier(2, kTicksBehindMax);
    carrier.close();
    EXPECT_EQ(carrier.await(9, in_a_while()), 2U);
}

TEST(LocalCarrier, RecycledBatchComesBackEmptyWithItsMemory) {
    LocalCarrier carrier(2, kTicksBehindMax);
    BorderBatch used;
    used.ghosts_went.resize(50);
    used.ghosts_moved.resize(70);
    carrier.recycle(std::move(used));
    const BorderBatch fresh = carrier.fresh_batch();
    EXPECT_TRUE(fresh.is_empty());
    EXPECT_GE(fresh.ghosts_went.capacity(), 50U);
    EXPECT_GE(fresh.ghosts_moved.capacity(), 70U);
    EXPECT_EQ(carrier.fresh_batch().ghosts_went.capacity(), 0U);
}

TEST(LocalCarrier, MailboxOfAShardThatStandsStillIsBounded) {
    LocalCarrier carrier(2, kTicksBehindMax);
    const auto publish_without_end = [&] {
        for (engine::Tick tick = 1; tick <= 10 * kTicksBehindMax; ++tick) {
            publish(carrier, kA, tick, {batch_to(kB, kA, tick, tick)});
        }
    };
    EXPECT_THROW(publish_without_end(), std::runtime_error);
}

TEST(LocalCarrier, AdmittedShardIsWaitedForFromItsFirstTickOn) {
    LocalCarrier carrier(1, kTicksBehindMax);
    carrier.admit(kC, 5);
    publish(carrier, kA, 5, {batch_to(kC, kA, 5, 50)});
    EXPECT_EQ(carrier.await(4, kLongPast), 0U);
    EXPECT_EQ(carrier.await(5, kLongPast), 1U);
    publish(carrier, kC, 5, {});
    EXPECT_EQ(carrier.await(5, kLongPast), 0U);
    EXPECT_EQ(marks_for(carrier, kC, 5), std::vector<std::uint64_t>{50});
}

TEST(LocalCarrier, DismissedShardIsNotWaitedForAnyMore) {
    LocalCarrier carrier(2, kTicksBehindMax);
    publish(carrier, kA, 1, {});
    auto waiting = std::thread([&] { EXPECT_EQ(carrier.await(1, in_a_while()), 0U); });
    EXPECT_TRUE(carrier.dismiss(kB));
    waiting.join();
    carrier.admit(kB, 9);
    EXPECT_EQ(carrier.await(9, kLongPast), 2U);
}

TEST(LocalCarrier, ShardThatHasNotCollectedEverythingIsNotDismissed) {
    LocalCarrier carrier(2, kTicksBehindMax);
    publish(carrier, kA, 2, {batch_to(kB, kA, 2, 20)});
    marks_for(carrier, kB, 1);
    EXPECT_FALSE(carrier.dismiss(kB));
    EXPECT_EQ(carrier.await(2, kLongPast), 1U) << "it still takes part";
    marks_for(carrier, kB, 2);
    EXPECT_TRUE(carrier.dismiss(kB));
}

TEST(LocalCarrierDeathTest, BatchForAShardThatTakesNoPartIsABrokenPromise) {
    LocalCarrier carrier(2, kTicksBehindMax);
    ASSERT_TRUE(carrier.dismiss(kB));
    EXPECT_DEATH(publish(carrier, kA, 1, {batch_to(kB, kA, 1, 10)}), "takes_part");
}

TEST(LocalCarrierDeathTest, TickThatIsPublishedTwiceIsABrokenPromise) {
    LocalCarrier carrier(2, kTicksBehindMax);
    publish(carrier, kA, 3, {});
    EXPECT_DEATH(publish(carrier, kA, 3, {}), "LocalCarrier|published_");
}

}  // namespace
}  // namespace marchland::shards
