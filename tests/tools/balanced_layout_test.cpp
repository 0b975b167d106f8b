#include "tools/layout/balanced_layout.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace marchland::layout {
namespace {

using engine::Position;
using engine::Rect;
using shards::kShardsMax;
using shards::Layout;
using shards::ShardId;

constexpr Rect kWorld{0, 0, 999, 999};

std::vector<std::size_t> counts_in(const Layout& layout, const std::vector<Position>& positions) {
    std::vector<std::size_t> counts(layout.size());
    for (const Position& at : positions) {
        ++counts[to_number(layout.owner_of(at))];
    }
    return counts;
}

std::int64_t shortest_side(const Layout& layout) {
    std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
    for (const ShardId id : layout.shards()) {
        const Rect& area = layout.region(id).area;
        shortest = std::min({shortest, area.max_x - area.min_x + 1, area.max_y - area.min_y + 1});
    }
    return shortest;
}

TEST(BalancedLayout, OfPositionsThatCanBePartedHasEquallyManyInEachShard) {
    std::vector<Position> positions;
    for (std::int32_t i = 0; i < 600; ++i) {
        positions.push_back({i % 30 * 7 + i % 7, i / 30 * 11 + i % 11, 0});  // all in a corner
    }
    for (const std::size_t shards : {1U, 2U, 3U, 4U, 6U, 8U}) {
        const Layout layout = balanced_layout(kWorld, positions, {shards, 1});
        const auto counts = counts_in(layout, positions);
        ASSERT_EQ(counts.size(), shards);
        EXPECT_GE(*std::ranges::min_element(counts), 600 / shards * 9 / 10) << shards;
        EXPECT_LE(*std::ranges::max_element(counts), 600 / shards * 11 / 10 + 1) << shards;
    }
}

TEST(BalancedLayout, CutsHalfwayBetweenThePositionsThatItParts) {
    const Layout layout = balanced_layout(kWorld, {{100, 500, 0}, {300, 500, 0}}, {2, 1});
    EXPECT_EQ(layout.region(ShardId{0}).area, (Rect{0, 0, 199, 999}));
    EXPECT_EQ(layout.region(ShardId{1}).area, (Rect{200, 0, 999, 999}));
}

TEST(BalancedLayout, CutsAlongTheAxisThatDividesMoreEvenly) {
    const Layout layout =
        balanced_layout(kWorld, {{5, 1, 0}, {5, 2, 0}, {5, 8, 0}, {5, 9, 0}}, {2, 1});
    EXPECT_EQ(layout.region(ShardId{0}).area, (Rect{0, 0, 999, 4}));
}

/// Two crowds of 200 and 100: parted by owners alone, the cut goes through the larger one, and
/// makes ghosts of it.
TEST(BalancedLayout, PartsCrowdsWhereFewHaveGhosts) {
    std::vector<Position> positions;
    for (std::int32_t i = 0; i < 300; ++i) {
        positions.push_back({(i < 200 ? 300 : 800) + i % 40, 500 + i % 7, 0});
    }
    EXPECT_EQ(counts_in(balanced_layout(kWorld, positions, {2, 1, 0}), positions),
              (std::vector<std::size_t>{150, 150}));
    EXPECT_EQ(counts_in(balanced_layout(kWorld, positions, {2, 1, 100}), positions),
              (std::vector<std::size_t>{200, 100}));
}

/// All have ghosts wherever the cut is.
TEST(BalancedLayout, OfOneCrowdGivesEachShardHalfOfItsShareAtLeast) {
    std::vector<Position> positions;
    for (std::int32_t i = 0; i < 400; ++i) {
        positions.push_back({500 + i % 20, 500 + i / 20, 0});
    }
    const auto counts = counts_in(balanced_layout(kWorld, positions, {2, 1, 100}), positions);
    EXPECT_GE(*std::ranges::min_element(counts), 100U);
}

TEST(BalancedLayout, WithoutPositionsDividesTheGround) {
    const Layout layout = balanced_layout(kWorld, {}, {4, 1});
    for (const ShardId id : layout.shards()) {
        const Rect& area = layout.region(id).area;
        EXPECT_EQ((area.max_x - area.min_x + 1) * (area.max_y - area.min_y + 1), 250'000);
    }
}

TEST(BalancedLayout, CrowdOnOnePointStaysTogether) {
    const std::vector<Position> crowd(100, Position{500, 500, 0});
    const auto counts = counts_in(balanced_layout(kWorld, crowd, {4, 100}), crowd);
    EXPECT_EQ(*std::ranges::max_element(counts), 100U);
}

TEST(BalancedLayout, FitsExactlyAsManyShardsAsThereIsRoomFor) {
    EXPECT_TRUE(can_balance(kWorld, {9, 333}));
    EXPECT_FALSE(can_balance(kWorld, {10, 333}));
    EXPECT_FALSE(can_balance(kWorld, {9, 334}));
    EXPECT_FALSE(can_balance(kWorld, {kShardsMax + 1, 1}));
    const Layout layout = balanced_layout(kWorld, {{1, 1, 0}, {2, 2, 0}}, {9, 333});
    EXPECT_EQ(layout.size(), 9U);
    EXPECT_GE(shortest_side(layout), 333);
}

TEST(BalancedLayout, HoldsOverAllOfInt32) {
    constexpr std::int32_t kLowest = std::numeric_limits<std::int32_t>::min();
    constexpr std::int32_t kHighest = std::numeric_limits<std::int32_t>::max();
    const Rect world{kLowest, kLowest, kHighest, kHighest};
    const Layout layout =
        balanced_layout(world, {{kLowest, kLowest, 0}, {kHighest, kHighest, 0}}, {kShardsMax, 1});
    EXPECT_EQ(layout.size(), kShardsMax);
}

RC_GTEST_PROP(BalancedLayout, KeepsToItsLimitsAndToNoOrderOfThePositions, ()) {
    const auto width = *rc::gen::inRange<std::int64_t>(1, 300);
    const auto height = *rc::gen::inRange<std::int64_t>(1, 300);
    const Rect world{-20, 7, -20 + width - 1, 7 + height - 1};
    std::vector<Position> positions =
        *rc::gen::container<std::vector<Position>>(rc::gen::build<Position>(
            rc::gen::set(&Position::x, rc::gen::map(rc::gen::inRange<std::int64_t>(0, width),
                                                    [](std::int64_t x) {
                                                        return static_cast<std::int32_t>(x - 20);
                                                    })),
            rc::gen::set(&Position::y, rc::gen::map(rc::gen::inRange<std::int64_t>(0, height),
                                                    [](std::int64_t y) {
                                                        return static_cast<std::int32_t>(y + 7);
                                                    }))));
    const BalanceLimits limits{*rc::gen::inRange<std::size_t>(1, 40),
                               *rc::gen::inRange<std::int64_t>(1, 60),
                               *rc::gen::inRange<std::int64_t>(0, 60)};
    const auto room = (width / limits.side_mm_min) * (height / limits.side_mm_min);
    RC_ASSERT(can_balance(world, limits) == (room >= static_cast<std::int64_t>(limits.shards)));
    RC_PRE(can_balance(world, limits));
    const Layout layout = balanced_layout(world, positions, limits);
    RC_ASSERT(layout.size() == limits.shards);
    RC_ASSERT(shortest_side(layout) >= limits.side_mm_min);
    std::ranges::reverse(positions);
    const Layout again = balanced_layout(world, positions, limits);
    for (const ShardId id : layout.shards()) {
        RC_ASSERT(layout.region(id) == again.region(id));
    }
}

}  // namespace
}  // namespace marchland::layout
