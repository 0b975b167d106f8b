#include "shards/zone_query.h"

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
using shards::Counted;
using shards::ShardId;
using shards::ZoneQuery;

Counted at(std::uint64_t id, std::int32_t x) {
    return {engine::EntityId{id}, {x, 0, 0}};
}

std::function<ZoneQuery::Roll()> calls(engine::Tick from, std::vector<ShardId> shards) {
    return [roll = ZoneQuery::Roll{from, std::move(shards)}] { return roll; };
}

/// More than any zone that is not broken needs.
constexpr auto kLong = 60s;

TEST(ZoneQuery, HoldsWhatEachShardCountedFirst) {
    ZoneQuery zone_query;
    EXPECT_FALSE(zone_query.is_asked(5));
    zone_query.ask({}, calls(5, {ShardId{0}, ShardId{1}}));
    EXPECT_TRUE(zone_query.is_asked(5));
    EXPECT_FALSE(zone_query.is_asked(4));
    zone_query.put_down({ShardId{1}, 5, {at(7, 1), at(2, 2)}});
    EXPECT_FALSE(zone_query.question_to(ShardId{1}));
    EXPECT_TRUE(zone_query.question_to(ShardId{0}));
    EXPECT_FALSE(zone_query.take());
    zone_query.put_down({ShardId{1}, 6, {at(9, 9)}});
    zone_query.put_down({ShardId{0}, 6, {at(3, 3)}});
    EXPECT_FALSE(zone_query.is_asked(6));
    EXPECT_EQ(all_of(zone_query.take().value()), (std::vector{at(2, 2), at(3, 3), at(7, 1)}));
}

TEST(ZoneQuery, GivesUpOnAShardThatDoesNotCount) {
    ZoneQuery zone_query;
    zone_query.ask({}, calls(1, {ShardId{0}}));
    EXPECT_FALSE(zone_query.wait(1ms));
    zone_query.put_down({ShardId{0}, 1, {at(1, 1)}});
    EXPECT_FALSE(zone_query.is_asked(1));
}

TEST(ZoneQuery, DoesNotWaitForAShardThatIsRetiredBeforeItCounts) {
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
    auto counted = std::async(std::launch::async, [&] { return zone.zone_query({}, kLong); });
    // Whether it was asked before or after: there is nobody left to wait for.
    EXPECT_TRUE(zone.retire(ShardId{1}));
    engine::Tick tick = 2;
    while (counted.wait_for(0ms) != std::future_status::ready) {
        ++tick;
        lockstep.begin(ShardId{0}, tick);
        lockstep.finish(ShardId{0}, tick);
    }
    EXPECT_EQ(all_of(counted.get().value()).size(), 1U);
    EXPECT_EQ(zone.shard_count(), 1U);
}

TEST(ZoneQuery, CountsEverybodyOfARunningZoneOnce) {
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
    EXPECT_EQ(all_of(zone.zone_query({}, kLong).value()), expected);
    threads.stop();
}

TEST(ZoneQuery, OfTheMapIsASampleThatStaysAndWhereEntitiesWereHandedOver) {
    ZoneByHand zone(2, 1);
    const auto walker = zone.add(1, {49, 50, 0});
    for (std::uint64_t id = 2; id < 42; ++id) {
        zone.add(id, {10, 10, 0});
    }
    zone.step();
    const auto sample = [&] {
        zone.zone().ask_for_map({4, true});
        zone.step();
        return zone.zone().take_for_map().value();
    };
    const auto first = sample();
    EXPECT_EQ(all_of(first).size(), 11U);  // of 41
    EXPECT_EQ(all_of(sample()), all_of(first));
    const engine::Tick crossed = zone.step_to(*walker, {60, 50, 0});
    std::vector<shards::Crossing> crossings;
    for (const shards::ShardAnswer& count : sample()) {
        EXPECT_EQ(count.ticks_us.size(), 2U);
        crossings.insert(crossings.end(), count.crossings.begin(), count.crossings.end());
    }
    ASSERT_EQ(crossings.size(), 1U);
    EXPECT_EQ(crossings[0].tick, crossed);
    EXPECT_EQ(crossings[0].at, (engine::Position{60, 50, 0}));
    EXPECT_EQ(crossings[0].to, kEast);
    for (const shards::ShardAnswer& count : sample()) {
        EXPECT_TRUE(count.crossings.empty());
    }
}

TEST(ZoneQuery, TellsOfEntitiesAllThatTheirOwnersKnow) {
    ZoneByHand zone(2, 1);
    zone.add(1, {45, 50, 0});
    zone.add(2, {51, 50, 0});  // over the border
    zone.add(3, {45, 58, 0});
    zone.add(4, {5, 50, 0});
    zone.step();
    const auto ask = [&](std::vector<engine::EntityId> ids) {
        zone.zone().ask_about(std::move(ids));
        EXPECT_FALSE(zone.zone().take_about());
        zone.step();
        std::vector<shards::EntityReport> reports;
        const auto answers = zone.zone().take_about().value();
        for (const shards::ShardAnswer& answer : answers) {
            EXPECT_TRUE(answer.counted.empty());
            reports.insert(reports.end(), answer.entities.begin(), answer.entities.end());
        }
        return reports;
    };
    const auto reports = ask({engine::EntityId{1}, engine::EntityId{99}, engine::EntityId{2}});
    ASSERT_EQ(reports.size(), 2U);  // of two shards
    EXPECT_EQ(reports[1].entity.id, engine::EntityId{2});
    EXPECT_EQ(reports[0].entity.position, (engine::Position{45, 50, 0}));
    EXPECT_EQ(reports[0].ghosts, std::vector{kEast});
    EXPECT_EQ(reports[0].in_view, (std::vector{engine::EntityId{2}, engine::EntityId{3}}));
    EXPECT_EQ(reports[0].in_view_count, 2U);
    EXPECT_TRUE(ask({engine::EntityId{99}}).empty());
}

}  // namespace
}  // namespace marchland::tests
