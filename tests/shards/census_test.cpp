#include "shards/census.h"

#include "shards/zone_threads.h"
#include "tests/shards/zone_by_hand.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>

namespace marchland::tests {
namespace {

using namespace std::chrono_literals;
using shards::Census;
using shards::Counted;
using shards::ShardId;

Counted at(std::uint64_t id, std::int32_t x) {
    return {engine::EntityId{id}, {x, 0, 0}};
}

/// More than any zone that is not broken needs.
constexpr auto kLong = 60s;

TEST(Census, HoldsWhatEachShardCountedFirst) {
    Census census;
    std::optional<std::vector<Counted>> all;
    std::thread asker([&] { all = census.take(5, {ShardId{0}, ShardId{1}}, kLong); });
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
    EXPECT_EQ(census.take(1, {ShardId{0}}, 1ms), std::nullopt);
    census.put_down(ShardId{0}, std::vector{at(1, 1)});
    EXPECT_FALSE(census.is_asked(1));
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
