#include "shards/layout/balancer.h"

#include "tests/shards/zone_by_hand.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <variant>
#include <vector>

namespace marchland::shards {
namespace {

using engine::Rect;
using Loads = std::vector<std::uint64_t>;

/// On the small world of 100 * 100 mm.
BalancerOptions eager() {
    BalancerOptions options;
    options.interval_ms_min = 1;
    options.gain_percent_min = 5;
    options.step_mm_max = 100;
    options.side_mm_min = 10;
    return options;
}

Layout layout_of(std::vector<Region> regions) {
    return std::get<Layout>(Layout::from_regions({0, 0, 99, 99}, std::move(regions)));
}

const Region& region_named(const Layout& layout, const std::string& name) {
    for (const ShardId id : layout.shards()) {
        if (layout.region(id).name == name) {
            return layout.region(id);
        }
    }
    ADD_FAILURE() << "no " << name;
    return layout.region(layout.shards().front());
}

std::int64_t shortest_side(const Rect& area) {
    return std::min(area.max_x - area.min_x, area.max_y - area.min_y) + 1;
}

TEST(Balancer, MovesTheEdgeTowardsTheFullerShard) {
    const auto next = balance_step(tests::small_layout(2, 1), Loads{90, 10}, eager());
    ASSERT_TRUE(next);
    const Rect west = next->region(ShardId{0}).area;
    EXPECT_NEAR(static_cast<double>(west.max_x), 28, 3) << "90 * 28 / 50 is half of all";
    const auto back = balance_step(tests::small_layout(2, 1), Loads{10, 90}, eager());
    ASSERT_TRUE(back);
    EXPECT_NEAR(static_cast<double>(back->region(ShardId{0}).area.max_x), 71, 3);
}

TEST(Balancer, LeavesEvenShardsAlone) {
    EXPECT_FALSE(balance_step(tests::small_layout(2, 2), Loads{25, 25, 25, 25}, eager()));
    EXPECT_FALSE(balance_step(tests::small_layout(2, 2), Loads{0, 0, 0, 0}, eager()));
    EXPECT_FALSE(balance_step(tests::small_layout(1, 1), Loads{100}, eager()));
}

TEST(Balancer, MovesNothingForLessThanTheLeastGain) {
    BalancerOptions options = eager();
    options.gain_percent_min = 20;
    EXPECT_FALSE(balance_step(tests::small_layout(2, 1), Loads{55, 45}, options));
    EXPECT_TRUE(balance_step(tests::small_layout(2, 1), Loads{80, 20}, options));
}

TEST(Balancer, MovesNoFartherThanItsStep) {
    BalancerOptions options = eager();
    options.step_mm_max = 3;
    const auto next = balance_step(tests::small_layout(2, 1), Loads{90, 10}, options);
    ASSERT_TRUE(next);
    EXPECT_EQ(next->region(ShardId{0}).area.max_x, 46);
}

TEST(Balancer, MakesNoShardShorterThanTheLeastSide) {
    BalancerOptions options = eager();
    options.side_mm_min = 40;
    const auto next = balance_step(tests::small_layout(2, 1), Loads{1'000, 0}, options);
    ASSERT_TRUE(next);
    EXPECT_EQ(next->region(ShardId{0}).area.max_x, 39);
    options.side_mm_min = 50;
    EXPECT_FALSE(balance_step(tests::small_layout(2, 1), Loads{1'000, 0}, options));
}

TEST(Balancer, MovesAnEdgeBetweenSeveralShardsAsOnePiece) {
    const Layout layout = layout_of({{"a", {0, 0, 49, 69}},
                                     {"b", {0, 70, 49, 99}},
                                     {"c", {50, 0, 99, 29}},
                                     {"d", {50, 30, 99, 99}}});
    const auto next = balance_step(layout, Loads{100, 100, 0, 0}, eager());
    ASSERT_TRUE(next);
    EXPECT_LT(region_named(*next, "a").area.max_x, 49);
    EXPECT_EQ(region_named(*next, "a").area.max_x, region_named(*next, "b").area.max_x);
    EXPECT_EQ(region_named(*next, "c").area.min_x, region_named(*next, "a").area.max_x + 1);
    EXPECT_EQ(region_named(*next, "d").area.min_x, region_named(*next, "c").area.min_x);
}

/// No cut goes through from side to side here, and yet there are edges that can move.
TEST(Balancer, MovesAnEdgeOfAWindmill) {
    const Layout layout = layout_of({{"n", {0, 70, 69, 99}},
                                     {"e", {70, 30, 99, 99}},
                                     {"s", {30, 0, 99, 29}},
                                     {"w", {0, 0, 29, 69}},
                                     {"hub", {30, 30, 69, 69}}});
    const auto next = balance_step(layout, Loads{0, 100, 0, 0, 0}, eager());
    ASSERT_TRUE(next);
    EXPECT_LT(shortest_side(region_named(*next, "e").area), 30);
}

TEST(Balancer, StepsUntilACrowdIsShared) {
    tests::ZoneByHand zone(4, 1);
    std::vector<std::shared_ptr<tests::RecordingPort>> ports;
    for (std::uint64_t id = 1; id <= 40; ++id) {
        const auto x = static_cast<std::int32_t>(id * 24 / 40);
        ports.push_back(zone.add(id, {x, static_cast<std::int32_t>(id * 7 % 100), 0}));
    }
    BalancerOptions options = eager();
    options.side_mm_min = 2;
    options.step_mm_max = 5;
    Balancer balancer(options, zone.zone().options().tick_rate_hz);
    zone.step();
    ASSERT_EQ(zone.metrics(0).entities, 40U);
    for (int i = 0; i < 100; ++i) {
        if (auto next = balancer.propose(zone.zone())) {
            zone.change_layout(*std::move(next));
        }
        zone.step();
    }
    for (int shard = 0; shard < 4; ++shard) {
        EXPECT_LE(zone.metrics(shard).entities, 17U) << shard;
    }
    EXPECT_GT(zone.zone().layout_changes_total(), 3U);
    EXPECT_LT(zone.zone().layout_changes_total(), 60U) << "it comes to rest";
}

TEST(Balancer, WaitsItsIntervalBetweenTwoChanges) {
    tests::ZoneByHand zone(2, 1);
    for (std::uint64_t id = 1; id <= 30; ++id) {
        zone.add(id, {static_cast<std::int32_t>(id), 50, 0});
    }
    BalancerOptions options = eager();
    options.interval_ms_min = 250;  // five ticks
    options.step_mm_max = 1;
    Balancer balancer(options, zone.zone().options().tick_rate_hz);
    std::vector<engine::Tick> changes;
    for (int i = 0; i < 21; ++i) {
        const engine::Tick tick = zone.step();
        if (auto next = balancer.propose(zone.zone())) {
            zone.change_layout(*std::move(next));
            changes.push_back(tick);
        }
    }
    EXPECT_EQ(changes, (std::vector<engine::Tick>{5, 10, 15, 20}));
}

TEST(Balancer, IsOffByDefault) {
    tests::ZoneByHand zone(2, 1);
    zone.add(1, {10, 50, 0});
    Balancer balancer({}, 20);
    for (int i = 0; i < 50; ++i) {
        zone.step();
        EXPECT_FALSE(balancer.propose(zone.zone()));
    }
}

RC_GTEST_PROP(Balancer, StepIsALayoutThatKeepsNamesAndSides, ()) {
    const auto columns = *rc::gen::inRange<std::uint32_t>(1, 7);
    const auto rows = *rc::gen::inRange<std::uint32_t>(1, 7);
    Layout layout = tests::small_layout(columns, rows);
    BalancerOptions options = eager();
    options.side_mm_min = *rc::gen::inRange<std::int32_t>(1, 20);
    options.step_mm_max = *rc::gen::inRange<std::int32_t>(1, 30);
    options.gain_percent_min = 0;
    for (int i = 0; i < 10; ++i) {
        const auto loads =
            *rc::gen::container<Loads>(layout.size(), rc::gen::inRange<std::uint64_t>(0, 1'000));
        const auto next = balance_step(layout, loads, options);  // asserts that it tiles the world
        if (!next) {
            continue;
        }
        for (const ShardId id : layout.shards()) {
            const Region& before = layout.region(id);
            const Region& after = next->region(id);
            RC_ASSERT(before.name == after.name);
            RC_ASSERT(shortest_side(after.area) >=
                      std::min<std::int64_t>(options.side_mm_min, shortest_side(before.area)));
        }
        layout = *next;
    }
}

}  // namespace
}  // namespace marchland::shards
