#include "tools/bench/reference.h"
#include "tools/bench/workload.h"
#include "tests/tools/bench_run.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

namespace marchland::bench {
namespace {

constexpr Workload kSmall{.name = "small",
                          .summary = "",
                          .entities = 200,
                          .side_mm = 100'000,
                          .hot_side_mm = 10'000,
                          .warm_up_ticks = 1,
                          .ticks = 1,
                          .moves = 1};

std::vector<engine::Position> copy(std::span<const engine::Position> positions) {
    return {positions.begin(), positions.end()};
}

std::int64_t squared_mm(engine::Position a, engine::Position b) {
    const std::int64_t dx = a.x - b.x;
    const std::int64_t dy = a.y - b.y;
    return dx * dx + dy * dy;
}

TEST(Movement, StepIsExactlyTheStepAndInsideItsArea) {
    Movement movement(kSmall, 7);
    const engine::Rect map{0, 0, 100'000, 100'000};
    const engine::Rect hot{45'000, 45'000, 55'000, 55'000};
    for (int tick = 0; tick < 200; ++tick) {
        const auto before = copy(movement.positions());
        const auto after = movement.advance_tick();
        for (std::size_t i = 0; i < after.size(); ++i) {
            ASSERT_EQ(squared_mm(before[i], after[i]), std::int64_t{kStepMm} * kStepMm);
            ASSERT_TRUE((i % 2 == 0 ? hot : map).contains(after[i])) << "tick " << tick;
        }
    }
}

TEST(Movement, FastWalkersGoTenStepsInOneDirection) {
    Workload fast = kSmall;
    fast.steps_per_tick = 10;
    Movement movement(fast, 7);
    for (int tick = 0; tick < 50; ++tick) {
        const auto before = copy(movement.positions());
        const auto after = movement.advance_tick();
        for (std::size_t i = 0; i < after.size(); ++i) {
            ASSERT_EQ(squared_mm(before[i], after[i]), std::int64_t{kStepMm} * kStepMm * 100);
        }
    }
}

TEST(Movement, GoesTheSameWayFromTheSameSeed) {
    Movement one(kSmall, 7);
    Movement same(kSmall, 7);
    Movement other(kSmall, 8);
    for (int tick = 0; tick < 5; ++tick) {
        const auto positions = copy(one.advance_tick());
        EXPECT_EQ(positions, copy(same.advance_tick()));
        EXPECT_NE(positions, copy(other.advance_tick()));
    }
}

TEST(Movement, IsTheSameInEveryBuild) {
    // Figures of different builds are compared: their counts must be of the same movement.
    Movement movement(workload_called("E"), 1);
    std::uint64_t hash = 0;
    for (int tick = 0; tick < 10; ++tick) {
        for (const engine::Position at : movement.advance_tick()) {
            hash = hash * 1'000'003 + static_cast<std::uint64_t>(at.x) * 31 +
                   static_cast<std::uint64_t>(at.y);
        }
    }
    EXPECT_EQ(hash, 1'364'754'099'111'889'082U);
}

TEST(Movement, TeleportGoesAnywhere) {
    Movement movement(workload_called("teleport"), 1);
    const auto before = copy(movement.positions());
    const auto after = movement.advance_tick();
    std::size_t far = 0;
    for (std::size_t i = 0; i < after.size(); ++i) {
        if (squared_mm(before[i], after[i]) > std::int64_t{kRadiusMm} * kRadiusMm) ++far;
    }
    EXPECT_GT(far, after.size() * 9 / 10);
}

TEST(Movement, SingleMovesTakeTurnsBetweenTheHalves) {
    Movement movement(kSmall, 7);
    const auto before = copy(movement.positions());
    std::set<std::uint32_t> movers;
    std::uint32_t even = 0;
    for (const Move& move : movement.advance_some(200)) {
        movers.insert(move.entity);
        even += move.entity % 2 == 0 ? 1 : 0;
        EXPECT_EQ(squared_mm(before[move.entity], move.to), std::int64_t{kStepMm} * kStepMm);
    }
    EXPECT_EQ(movers.size(), 200U) << "nobody moves twice before everyone has moved";
    EXPECT_EQ(even, 100U);
}

TEST(Walker, StaysInItsAreaAndGoesAQuarterOfAMetre) {
    const engine::Rect area{0, 0, 2'000, 2'000};
    Walker walker(area, Gait::walk, 3);
    for (int step = 0; step < 1'000; ++step) {
        const engine::Position from = walker.at();
        const engine::Position to = walker.step();
        const std::int64_t dx = to.x - from.x;
        const std::int64_t dy = to.y - from.y;
        ASSERT_EQ(dx * dx + dy * dy, 250 * 250);
        ASSERT_TRUE(area.contains(to));
    }
}

TEST(Workload, HasTheDensityThatItIsNamedFor) {
    const struct {
        const char* name;
        double k;
    } expected[] = {{"A", 20},        {"B", 101},      {"D", 440},         {"E", 20},
                    {"teleport", 20}, {"fast", 20},    {"thousand", 1000}, {"hysteresis", 12},
                    {"crowd", 855},   {"quiet", 11},   {"rectangle", 20},  {"sector", 6.7},
                    {"sphere", 20},   {"beacon", 20.2}};
    for (const auto& [name, k] : expected) {
        const Movement movement(workload_called(name), 1);
        const auto reference = make_tick_reference(workload_called(name), movement.positions());
        const double measured = static_cast<double>(reference->visible_pairs()) /
                                static_cast<double>(movement.positions().size());
        EXPECT_NEAR(measured, k, k * 0.03) << name;
    }
}

TEST(Workload, MapsHaveTheDensityThatTheyAreMadeFor) {
    for (const double k : {5.0, 100.0, 1'000.0}) {
        const Workload workload{.entities = 5'000, .side_mm = side_mm_for(5'000, k)};
        const auto reference = make_tick_reference(workload, Movement(workload, 1).positions());
        EXPECT_NEAR(static_cast<double>(reference->visible_pairs()) / workload.entities, k,
                    k * 0.05);
    }
}

}  // namespace
}  // namespace marchland::bench
