#include "shards/census.h"

#include "shards/zone_threads.h"
#include "tests/shards/zone_by_hand.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace marchland::tests {
namespace {

using namespace std::chrono_literals;
using shards::Census;
using shards::Counted;
using shards::ShardId;

Counted at(std::uint64_t id, std::int32_t x) {
    return {engine::EntityId{id}, {x, 0, 0}};
}

std::function<Census::Roll()> calls(engine::Tick from, std::vector<ShardId> shards) {
    return [roll = Census::Roll{from, std::move(shards)}] { return roll; };
}

/// More than any zone that is not broken needs.
constexpr auto kLong = 60s;

TEST(Census, HoldsWhatEachShardCountedFirst) {
    Census census;
    std::optional<std::vector<Counted>> all;
    std::thread asker([&] { all = census.take(calls(5, {ShardId{0}, ShardId{1}}), kLong); });
    while (!census.is_asked(5)) {
        std::this_thread::yield();
    }
    EXPECT_FALSE(census.is_asked(4));
    census.put_down(ShardId{1}, std::vector{at(7, 1), at(2, 2)});
    census.put_down(ShardId{1}, std::vector{at(9, 9)});
    census.put_down(ShardId{0}, std::vector{at(3, 3)});
    asker.join();
    EXPECT_EQ(all, (std::vector{at(2, 2), at(3, 3), at(7, 1)}));
    EXPECT_FALSE(census.is_asked(6));
}

TEST(Census, GivesUpOnAShardThatDoesNotCount) {
    Census census;
    EXPECT_EQ(census.take(calls(1, {ShardId{0}}), 1ms), std::nullopt);
    census.put_down(ShardId{0}, std::vector{at(1, 1)});
    EXPECT_FALSE(census.is_asked(1));
}

TEST(Census, DoesNotWaitForAShardThatIsRetiredBeforeItCounts) {
    SilentOutlet outlet;
    shards::Zone zone(small_world(), small_layout(2, 1), outlet);
    shards::Lockstep lockstep(zone);
    ASSERT_TRUE(zone.join({entity_at(1, {10, 50, 0}), std::make_shared<RecordingPort>()}));
    lockstep.step();
    lockstep.change_layout(small_layout(1, 1));
    for (const ShardId id : {ShardId{0}, ShardId{1}}) {
        lockstep.begin(id, 2);
    }
    for (const ShardId id : {ShardId{0}, ShardId{1}}) {
        lockstep.finish(id, 2);
    }
    ASSERT_TRUE(zone.shard(ShardId{1}).is_drained());
    auto counted = std::async(std::launch::async, [&] { return zone.census(kLong); });
    // Whether it was asked before or after: there is nobody left to wait for.
    EXPECT_TRUE(zone.retire(ShardId{1}));
    engine::Tick tick = 2;
    while (counted.wait_for(0ms) != std::future_status::ready) {
        ++tick;
        lockstep.begin(ShardId{0}, tick);
        lockstep.finish(ShardId{0}, tick);
    }
    EXPECT_EQ(counted.get().value().size(), 1U);
    EXPECT_EQ(zone.shard_count(), 1U);
}

TEST(Census, CountsEverybodyOfARunningZoneOnce) {
    const shards::ZoneOptions options = small_world();
    SilentOutlet outlet;
    shards::Zone zone(options, small_layout(2, 2), outlet);
    shards::ZoneThreads threads(zone, [](const std::string& what) { ADD_FAILURE() << what; });
    std::vector<Counted> expected;
    for (std::int32_t place = 1; place < 50; ++place) {
        const auto entity = entity_at(static_cast<std::uint64_t>(place), {2 * place, 2 * place, 0});
        expected.push_back({entity.id, entity.position});
        ASSERT_TRUE(zone.join({entity, std::make_shared<RecordingPort>()}));
    }
    threads.start();
    EXPECT_EQ(zone.census(kLong), expected);
    threads.stop();
}

}  // namespace
}  // namespace marchland::tests
