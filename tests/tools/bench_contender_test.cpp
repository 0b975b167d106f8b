#include "tools/bench/hash_grid_contender.h"
#include "tools/bench/movement.h"
#include "tools/bench/reference_count.h"
#include "tools/bench/space_contender.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace marchland::bench {
namespace {

/// So small that views overlap the edges, so crowded that much happens.
Workload crowd(Motion motion) {
    return {.name = "crowd",
            .summary = "",
            .entities = 120,
            .side_mm = 300'000,
            .hot_side_mm = 60'000,
            .motion = motion,
            .warm_up_ticks = 1,
            .ticks = 1,
            .moves = 1};
}

using Pair = std::pair<std::uint32_t, std::uint32_t>;  ///< watcher, target

/// Every pair there is, as a set: what the references must agree with.
std::set<Pair> visible_pairs(std::span<const engine::Position> at) {
    std::set<Pair> pairs;
    for (std::uint32_t a = 0; a < at.size(); ++a) {
        for (std::uint32_t b = 0; b < at.size(); ++b) {
            if (a != b && engine::is_within(at[a], at[b], kRadiusMm, engine::Dimensions::two)) {
                pairs.insert({a, b});
            }
        }
    }
    return pairs;
}

/// The events between two moments.
EventTotals events_between(const std::vector<engine::Position>& from,
                           const std::vector<engine::Position>& to) {
    const std::set<Pair> before = visible_pairs(from);
    const std::set<Pair> after = visible_pairs(to);
    EventTotals totals;
    for (const Pair& pair : after) {
        if (!before.contains(pair)) {
            totals.add(pair.first, EventKind::enter, 1, pair.second);
        } else if (from[pair.second] != to[pair.second]) {
            totals.add(pair.first, EventKind::move, 1, pair.second);
        }
    }
    for (const Pair& pair : before) {
        if (!after.contains(pair)) totals.add(pair.first, EventKind::leave, 1, pair.second);
    }
    return totals;
}

std::vector<engine::Position> copy(std::span<const engine::Position> positions) {
    return {positions.begin(), positions.end()};
}

class Contest : public testing::TestWithParam<Motion> {
protected:
    const Workload workload_ = crowd(GetParam());
};

TEST_P(Contest, TicksAreCountedByAllAlike) {
    Movement movement(workload_, 3);
    auto before = copy(movement.positions());
    TickReference reference(before);
    HashGridContender hash_grid(before);
    SpaceContender space("grid_cross_list", workload_, before);
    for (int tick = 0; tick < 30; ++tick) {
        const auto now = copy(movement.advance_all());
        const EventTotals expected = events_between(before, now);
        ASSERT_GT(expected.move, 0U);
        ASSERT_EQ(reference.advance(now), expected) << "tick " << tick;
        ASSERT_EQ(reference.visible_pairs(), visible_pairs(now).size());
        ASSERT_EQ(hash_grid.run_tick(now), expected) << "tick " << tick;
        ASSERT_EQ(space.run_tick(now), expected) << "tick " << tick;
        before = now;
    }
}

TEST_P(Contest, SingleMovesAreCountedByAllAlike) {
    Movement movement(workload_, 4);
    auto at = copy(movement.positions());
    MoveReference reference(at);
    HashGridContender hash_grid(at);
    SpaceContender space("grid_cross_list", workload_, at);
    for (int batch = 0; batch < 10; ++batch) {
        const auto moves = movement.advance_some(25);
        EventTotals expected;
        for (const Move& move : moves) {
            auto after = at;
            after[move.entity] = move.to;
            expected += events_between(at, after);
            at = after;
        }
        ASSERT_EQ(reference.advance(moves), expected) << "batch " << batch;
        ASSERT_EQ(hash_grid.run_moves(moves), expected) << "batch " << batch;
        ASSERT_EQ(space.run_moves(moves), expected) << "batch " << batch;
    }
}

TEST_P(Contest, WhoStandsStillIsNoMove) {
    const Movement movement(workload_, 5);
    const auto at = copy(movement.positions());
    TickReference reference(at);
    HashGridContender hash_grid(at);
    SpaceContender space("grid_cross_list", workload_, at);
    EXPECT_EQ(reference.advance(at), EventTotals{});
    EXPECT_EQ(hash_grid.run_tick(at), EventTotals{});
    EXPECT_EQ(space.run_tick(at), EventTotals{});
}

TEST(Contender, BoundOfAViewIsInside) {
    const Workload pair{.name = "pair", .summary = "", .entities = 2, .side_mm = 200'000};
    // 30 and 40 are the sides of a right angle with 50 across.
    const std::vector<engine::Position> outside = {{0, 0, 0}, {30'000, 40'001, 0}};
    const std::vector<engine::Position> bound = {{0, 0, 0}, {30'000, 40'000, 0}};
    TickReference reference(outside);
    HashGridContender hash_grid(outside);
    SpaceContender space("grid_cross_list", pair, outside);
    EventTotals expected;
    expected.add(0, EventKind::enter, 1, 1);
    expected.add(1, EventKind::enter, 1, 0);
    EXPECT_EQ(reference.advance(bound), expected);
    EXPECT_EQ(hash_grid.run_tick(bound), expected);
    EXPECT_EQ(space.run_tick(bound), expected);
}

INSTANTIATE_TEST_SUITE_P(Motions, Contest, testing::Values(Motion::walk, Motion::teleport),
                         [](const testing::TestParamInfo<Motion>& motion) {
                             return motion.param == Motion::walk ? "Walk" : "Teleport";
                         });

TEST(EventTotals, ChecksumTellsWatchersKindsAndTargetsApart) {
    const auto one = [](std::uint32_t watcher, EventKind kind, std::uint32_t target) {
        EventTotals totals;
        totals.add(watcher, kind, 1, target);
        return totals.checksum;
    };
    const std::set<std::uint64_t> checksums = {
        one(1, EventKind::enter, 2), one(2, EventKind::enter, 1), one(1, EventKind::leave, 2),
        one(1, EventKind::move, 2),  one(1, EventKind::enter, 3), one(0, EventKind::enter, 0)};
    EXPECT_EQ(checksums.size(), 6U);
    EXPECT_FALSE(checksums.contains(0));
}

}  // namespace
}  // namespace marchland::bench
