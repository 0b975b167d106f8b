#include "shards/border/reach.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <variant>
#include <vector>

namespace marchland::shards {
namespace {

using engine::Position;
using engine::Rect;

constexpr std::int32_t kLowest = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kHighest = std::numeric_limits<std::int32_t>::max();

Layout layout_of(Layout::Result result) {
    return std::get<Layout>(std::move(result));
}

std::vector<ShardId> members_of(const ShardSet& set) {
    std::vector<ShardId> members;
    set.for_each([&](ShardId shard) { members.push_back(shard); });
    return members;
}

/// By the definition: everybody but the owner whose region, grown by the reach, holds the place.
std::vector<ShardId> ghosts_by_definition(const Layout& layout, std::int64_t reach_mm,
                                          ShardId owner, Position at) {
    std::vector<ShardId> holders;
    for (std::size_t i = 0; i < layout.size(); ++i) {
        const auto shard = static_cast<ShardId>(i);
        if (shard != owner && layout.region(shard).area.grown_by(reach_mm).contains(at)) {
            holders.push_back(shard);
        }
    }
    return holders;
}

/// A world cut in two again and again: regions of any shape, down to strips of a millimetre.
Layout irregular_layout(const Rect& world, const std::vector<std::uint16_t>& cuts) {
    std::vector<Rect> parts{world};
    for (const std::uint16_t cut : cuts) {
        Rect& whole = parts[cut % parts.size()];
        const bool cuts_x = (cut & 0x100U) != 0;
        const std::int64_t low = cuts_x ? whole.min_x : whole.min_y;
        const std::int64_t high = cuts_x ? whole.max_x : whole.max_y;
        if (low == high) {
            continue;
        }
        Rect rest = whole;
        const std::int64_t last = low + (cut >> 4U) % (high - low);
        (cuts_x ? whole.max_x : whole.max_y) = last;
        (cuts_x ? rest.min_x : rest.min_y) = last + 1;
        parts.push_back(rest);
    }
    std::vector<Region> regions;
    for (const Rect& part : parts) {
        regions.push_back({std::to_string(regions.size()), part});
    }
    return layout_of(Layout::from_regions(world, std::move(regions)));
}

TEST(Reach, KeepsWhatIsWithinTheHysteresisOfTheRegion) {
    const Layout layout = layout_of(Layout::grid({0, 0, 99, 99}, 2, 2));
    const Reach reach(layout, 10, 3);
    EXPECT_TRUE(reach.keeps(ShardId{0}, {52, 52, 0}));
    EXPECT_FALSE(reach.keeps(ShardId{0}, {53, 52, 0}));
    EXPECT_FALSE(reach.keeps(ShardId{0}, {52, 53, 0}));
    EXPECT_TRUE(reach.keeps(ShardId{3}, {47, 47, 0}));
    EXPECT_FALSE(reach.keeps(ShardId{3}, {46, 47, 0}));
}

TEST(Reach, WithoutHysteresisAShardKeepsItsRegionOnly) {
    const Layout layout = layout_of(Layout::grid({0, 0, 99, 99}, 2, 1));
    const Reach reach(layout, 10, 0);
    EXPECT_TRUE(reach.keeps(ShardId{0}, {49, 0, 0}));
    EXPECT_FALSE(reach.keeps(ShardId{0}, {50, 0, 0}));
}

TEST(Reach, GhostsReachLeaveRadiusAndHysteresisPastTheBorder) {
    const Layout layout = layout_of(Layout::grid({0, 0, 99, 99}, 2, 1));
    const Reach reach(layout, 10, 3);
    EXPECT_TRUE(reach.ghosts_for(ShardId{0}, {36, 0, 0}).is_empty());
    EXPECT_EQ(members_of(reach.ghosts_for(ShardId{0}, {37, 0, 0})), std::vector{ShardId{1}});
    EXPECT_EQ(members_of(reach.ghosts_for(ShardId{0}, {52, 0, 0})), std::vector{ShardId{1}});
}

TEST(Reach, GhostsAreWantedByEveryShardUnderAViewWiderThanTheShards) {
    const Layout layout = layout_of(Layout::grid({0, 0, 99, 99}, 10, 1));
    const Reach reach(layout, 25, 0);
    EXPECT_EQ(members_of(reach.ghosts_for(ShardId{5}, {55, 0, 0})),
              (std::vector{ShardId{3}, ShardId{4}, ShardId{6}, ShardId{7}, ShardId{8}}));
}

TEST(Reach, HoldsAtTheEndsOfTheFrameWithTheLargestRadius) {
    const Layout layout = layout_of(Layout::grid({kLowest, kLowest, kHighest, kHighest}, 2, 2));
    const Reach reach(layout, kHighest, kHighest);
    EXPECT_TRUE(reach.keeps(ShardId{0}, {kHighest - 1, kHighest - 1, 0}));
    EXPECT_FALSE(reach.keeps(ShardId{0}, {kHighest, kHighest, 0}));
    EXPECT_EQ(members_of(reach.ghosts_for(ShardId{0}, {kLowest, kLowest, 0})),
              (std::vector{ShardId{1}, ShardId{2}, ShardId{3}}));
}

RC_GTEST_PROP(Reach, GhostsAreThoseOfTheDefinitionEverywhereThatAShardKeeps, ()) {
    const Rect world{-40, -30, 59, 49};
    const Layout layout = irregular_layout(
        world, *rc::gen::scale(0.3, rc::gen::arbitrary<std::vector<std::uint16_t>>()));
    const auto leave_radius_mm = *rc::gen::inRange<std::int32_t>(0, 60);
    const auto hysteresis_mm = *rc::gen::inRange<std::int32_t>(0, 12);
    const auto notify_mm = *rc::gen::inRange<std::int32_t>(0, 150);
    const Reach reach(layout, leave_radius_mm, hysteresis_mm);
    for (std::int32_t y = -30; y <= 49; y += 1) {
        for (std::int32_t x = -40; x <= 59; x += 1) {
            const ShardId home = layout.owner_of({x, y, 0});
            const ShardId other{static_cast<std::uint16_t>((to_number(home) + 1U) % layout.size())};
            for (const ShardId owner : {home, other}) {
                const Position at{x, y, 0};
                const bool keeps = layout.region(owner).area.grown_by(hysteresis_mm).contains(at);
                RC_ASSERT(reach.keeps(owner, at) == keeps);
                if (keeps) {
                    RC_ASSERT(members_of(reach.ghosts_for(owner, at)) ==
                              ghosts_by_definition(layout,
                                                   std::int64_t{leave_radius_mm} + hysteresis_mm,
                                                   owner, at));
                    RC_ASSERT(
                        members_of(reach.ghosts_for(owner, at, notify_mm)) ==
                        ghosts_by_definition(
                            layout,
                            std::int64_t{std::max(leave_radius_mm, notify_mm)} + hysteresis_mm,
                            owner, at));
                }
            }
        }
    }
}

}  // namespace
}  // namespace marchland::shards
