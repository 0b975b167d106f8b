// How late clients are sent moves, and owners entities: what the metrics say about it.

#include "shards/shard_metrics.h"
#include "tests/shards/zone_by_hand.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

namespace marchland::tests {
namespace {

using shards::ShardId;
using shards::UpdateStaleness;

std::uint64_t sent(ZoneByHand& zone, int shard, std::size_t ticks) {
    return zone.metrics(shard).moves_sent_total.at(ticks);
}

TEST(Staleness, IsNoTickWhenTheFrameIsOfTheTickOfTheMove) {
    ZoneByHand zone(1, 1);
    zone.add(1, {50, 50, 0});
    const auto walker = zone.add(2, {52, 50, 0});
    zone.step();
    zone.step_to(*walker, {53, 50, 0});
    EXPECT_EQ(sent(zone, 0, 0), 1U);
}

TEST(Staleness, IsTheTicksForWhichTheClientTookNoFrame) {
    ZoneByHand zone(1, 1);
    const auto watcher = zone.add(1, {50, 50, 0});
    const auto walker = zone.add(2, {52, 50, 0});
    zone.step();
    watcher->is_open = false;
    zone.step_to(*walker, {53, 50, 0});
    zone.step();
    zone.step();
    EXPECT_EQ(sent(zone, 0, 0), 0U);
    watcher->is_open = true;
    zone.step();
    EXPECT_EQ(sent(zone, 0, 3), 1U);
    EXPECT_EQ(sent(zone, 0, 0), 0U);
}

TEST(Staleness, HandoverTakesNoTickUnlessAShardIsLate) {
    ZoneByHand zone(2, 1);
    const auto walker = zone.add(1, {45, 50, 0});
    zone.step();
    zone.step_to(*walker, {60, 50, 0});
    EXPECT_EQ(zone.metrics(0).handoffs_total, 1U);
    EXPECT_EQ(zone.metrics(1).handoff_ticks_max, 0U);

    const auto other = zone.add(2, {45, 50, 0});
    zone.step();
    other->next.move = engine::Position{60, 50, 0};
    zone.step_with_late({{ShardId{0}}});
    zone.step();
    EXPECT_EQ(zone.metrics(1).handoff_ticks_max, 1U);
}

TEST(Staleness, PercentileIsOfAllMoves) {
    UpdateStaleness moves;
    EXPECT_EQ(moves.ticks_at(99), 0U);
    moves.add(0, 90);
    moves.add(2, 9);
    moves.add(1'000, 1);
    EXPECT_EQ(moves.ticks_at(90), 0U);
    EXPECT_EQ(moves.ticks_at(99), 2U);
    EXPECT_EQ(moves.ticks_at(100), UpdateStaleness::kTicksMax);
}

TEST(Overload, GivesEachClientAFrameEverySecondTickHalfOfThemInEach) {
    ZoneByHand zone(1, 1);
    const auto odd = zone.add(1, {50, 50, 0});
    const auto even = zone.add(2, {51, 50, 0});
    const auto mover = zone.add(4, {52, 50, 0});
    zone.step();
    zone.set_pace({100, 1, 0, 2});
    for (std::int32_t x = 53; x < 57; ++x) {
        const std::size_t before = odd->frames.size() + even->frames.size();
        zone.step_to(*mover, {x, 50, 0});
        EXPECT_EQ(odd->frames.size() + even->frames.size(), before + 1);
    }
    EXPECT_EQ(odd->frames.size(), 3U);
    EXPECT_EQ(even->frames.size(), 3U);
    zone.set_pace({});
    zone.step();
    for (const auto& client : {odd, even}) {
        EXPECT_EQ(client->frames.size(), 4U);
        const auto& sent =
            client->frames.back().moves.empty() ? client->frames.at(2) : client->frames.back();
        EXPECT_EQ(sent.moves.back().position, (engine::Position{56, 50, 0}));
        EXPECT_FALSE(client->last_frame().is_keyframe || client->last_frame().messages_lost);
    }
}

TEST(Overload, LowersBudgetsWhereThereAreSome) {
    shards::ZoneOptions options = small_world();
    options.crowd.frame_bytes_max = 1'000;
    ZoneByHand zone(options, small_layout(1, 1));
    zone.set_pace({100, 1, 70});
    const auto client = zone.add(1, {50, 50, 0});
    zone.add(2, {52, 50, 0});
    zone.add(3, {51, 50, 0});
    zone.add(4, {53, 50, 0});
    zone.step();
    EXPECT_EQ(entered_ids(client->last_frame()), std::vector<std::uint64_t>{3});
    EXPECT_TRUE(client->last_frame().is_filling);
    zone.set_pace({});
    zone.step();
    EXPECT_EQ(entered_ids(client->last_frame()), (std::vector<std::uint64_t>{2, 4}));
    EXPECT_FALSE(client->last_frame().is_filling);
}

}  // namespace
}  // namespace marchland::tests
