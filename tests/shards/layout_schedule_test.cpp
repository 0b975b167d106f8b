#include "shards/layout/layout_schedule.h"

#include <gtest/gtest.h>

#include <memory>
#include <variant>
#include <vector>

namespace marchland::shards {
namespace {

constexpr ShardId k0{0};
constexpr ShardId k1{1};
constexpr ShardId k2{2};

EpochPtr epoch_of(const LayoutEpoch* before, engine::Tick from, std::uint32_t columns) {
    return std::make_shared<const LayoutEpoch>(
        before, from, std::get<Layout>(Layout::grid({0, 0, 99, 99}, columns, 1)), 10, 3);
}

/// Two shards that have both run tick 4.
LayoutSchedule two_shards_at_4() {
    LayoutSchedule schedule(epoch_of(nullptr, engine::kNever, 2));
    for (const ShardId id : {k0, k1}) {
        schedule.start(id, 1);
        schedule.begin(id, 4);
    }
    return schedule;
}

TEST(LayoutSchedule, NewEpochBeginsAfterEveryTickThatAnyShardHasBegun) {
    LayoutSchedule schedule = two_shards_at_4();
    schedule.begin(k0, 7);
    EXPECT_EQ(schedule.next_start(1), 8U);
    EXPECT_EQ(schedule.next_start(2), 9U);
    schedule.add(epoch_of(schedule.newest().get(), 9, 1));
    EXPECT_EQ(schedule.next_start(1), 10U) << "one epoch for each tick";
}

TEST(LayoutSchedule, ShardThatIsLateRunsItsTickUnderTheEpochOfThatTick) {
    LayoutSchedule schedule = two_shards_at_4();
    schedule.add(epoch_of(schedule.newest().get(), 6, 1));
    EXPECT_EQ(schedule.begin(k0, 5)->number, 0U);
    EXPECT_EQ(schedule.begin(k0, 6)->number, 1U);
    EXPECT_EQ(schedule.begin(k0, 7)->number, 1U);
    EXPECT_EQ(schedule.begin(k1, 5)->number, 0U) << "the other is in tick 7";
    EXPECT_EQ(schedule.begin(k1, 8)->number, 1U);
}

TEST(LayoutSchedule, UpcomingIsWhatTheNextTickRunsUnder) {
    LayoutSchedule schedule = two_shards_at_4();
    schedule.add(epoch_of(schedule.newest().get(), 6, 1));
    EXPECT_EQ(schedule.upcoming()->number, 0U);
    schedule.begin(k0, 5);
    EXPECT_EQ(schedule.upcoming()->number, 1U);
}

TEST(LayoutSchedule, ShardIsNeededByTheLayoutThatItRunsUnderAndByEveryOneToCome) {
    LayoutSchedule schedule = two_shards_at_4();
    schedule.add(epoch_of(schedule.newest().get(), 6, 1));
    EXPECT_TRUE(schedule.is_needed(k1));
    schedule.begin(k1, 6);
    EXPECT_FALSE(schedule.is_needed(k1));
    schedule.add(epoch_of(schedule.newest().get(), 8, 2));
    schedule.add(epoch_of(schedule.newest().get(), 9, 1));
    EXPECT_TRUE(schedule.is_needed(k1)) << "for one tick, the eighth";
    schedule.begin(k1, 9);
    EXPECT_FALSE(schedule.is_needed(k1));
    EXPECT_TRUE(schedule.is_needed(k0));
}

TEST(LayoutSchedule, RunningAreThoseWhoseFirstTickHasComeAndThatHaveNotEnded) {
    LayoutSchedule schedule = two_shards_at_4();
    schedule.start(k2, 7);
    EXPECT_EQ(schedule.running_in(6), (std::vector{k0, k1}));
    EXPECT_EQ(schedule.running_in(7), (std::vector{k0, k1, k2}));
    schedule.end(k0);
    EXPECT_EQ(schedule.running_in(7), (std::vector{k1, k2}));
}

TEST(LayoutSchedule, ForgetsEpochsThatNobodyCanBeginATickInAnyMore) {
    LayoutSchedule schedule = two_shards_at_4();
    std::weak_ptr<const LayoutEpoch> first = schedule.newest();
    schedule.add(epoch_of(schedule.newest().get(), 6, 2));
    schedule.begin(k0, 6);
    EXPECT_FALSE(first.expired()) << "shard 1 may still run tick 5";
    schedule.begin(k1, 7);
    EXPECT_TRUE(first.expired());
}

TEST(LayoutScheduleDeathTest, EpochThatBeginsInATickThatHasBegunIsABrokenPromise) {
    LayoutSchedule schedule = two_shards_at_4();
    EXPECT_DEATH(schedule.add(epoch_of(schedule.newest().get(), 4, 1)), "newest_begun_");
}

}  // namespace
}  // namespace marchland::shards
