#include "tools/bots/scenario.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace marchland::bots {
namespace {

constexpr std::int32_t kLowest = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kHighest = std::numeric_limits<std::int32_t>::max();

constexpr World kMap{{-443'000, -443'000, 0}, {443'000, 443'000, 50'000}, engine::Dimensions::two};
constexpr World kSpace{
    {-443'000, -443'000, -9'000}, {443'000, 443'000, 50'000}, engine::Dimensions::three};
constexpr World kWholeRange{
    {kLowest, kLowest, kLowest}, {kHighest, kHighest, kHighest}, engine::Dimensions::three};
constexpr World kPoint{{7, 7, 7}, {7, 7, 7}, engine::Dimensions::three};

constexpr std::int32_t kStepMm = 250;

double distance_mm(engine::Position a, engine::Position b) {
    const double dx = static_cast<double>(a.x) - b.x;
    const double dy = static_cast<double>(a.y) - b.y;
    const double dz = static_cast<double>(a.z) - b.z;
    return std::sqrt(dx * dx + dy * dy + dz * dz);
}

std::vector<engine::Position> walk(Scenario scenario, const World& world, std::uint64_t seed,
                                   int steps) {
    Walker walker(scenario, world, kStepMm, seed);
    std::vector<engine::Position> way{walker.position()};
    for (int i = 0; i < steps; ++i) {
        way.push_back(walker.advance());
    }
    return way;
}

class EachScenario : public testing::TestWithParam<Scenario> {};

TEST_P(EachScenario, StaysInTheWorld) {
    for (const World& world : {kMap, kSpace, kWholeRange, kPoint}) {
        for (std::uint64_t seed = 0; seed < 40; ++seed) {
            for (const engine::Position& position : walk(GetParam(), world, seed, 500)) {
                ASSERT_TRUE(world.contains(position))
                    << seed << ": " << position.x << ' ' << position.y << ' ' << position.z;
            }
        }
    }
}

TEST_P(EachScenario, WalksTheSameWayForTheSameSeed) {
    EXPECT_EQ(walk(GetParam(), kSpace, 42, 1'000), walk(GetParam(), kSpace, 42, 1'000));
}

TEST_P(EachScenario, WalksAnotherWayForAnotherSeed) {
    EXPECT_NE(walk(GetParam(), kMap, 1, 10), walk(GetParam(), kMap, 2, 10));
}

TEST_P(EachScenario, KeepsItsHeightInAFlatZone) {
    const auto way = walk(GetParam(), kMap, 3, 1'000);
    for (const engine::Position& position : way) {
        ASSERT_EQ(position.z, way.front().z);
    }
}

TEST_P(EachScenario, WalksNoFurtherThanAStepUnlessItJumps) {
    const auto way = walk(GetParam(), kSpace, 5, 3'000);
    int jumps = 0;
    for (std::size_t i = 1; i < way.size(); ++i) {
        // Rounding to whole millimetres may add less than one on each axis.
        jumps += distance_mm(way[i - 1], way[i]) > kStepMm + 1.0 ? 1 : 0;
    }
    if (GetParam() == Scenario::teleport) {
        EXPECT_GT(jumps, 10);
        EXPECT_LT(jumps, 90);
    } else {
        EXPECT_EQ(jumps, 0);
    }
}

TEST_P(EachScenario, IsFoundByItsName) {
    EXPECT_EQ(scenario_of(name_of(GetParam())), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Walker, EachScenario,
                         testing::Values(Scenario::roam, Scenario::crowd, Scenario::market,
                                         Scenario::border, Scenario::teleport),
                         [](const auto& scenario) { return std::string(name_of(scenario.param)); });

TEST(Scenarios, UnknownNameIsNone) {
    EXPECT_EQ(scenario_of("riot"), std::nullopt);
}

TEST(Scenarios, RoamersSpreadOverTheWholeMap) {
    std::vector<int> quadrants(4);
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        const engine::Position at = Walker(Scenario::roam, kMap, kStepMm, seed).position();
        ++quadrants[(at.x < 0 ? 0U : 1U) + (at.y < 0 ? 0U : 2U)];
    }
    for (const int count : quadrants) {
        EXPECT_GT(count, 60);
    }
}

TEST(Scenarios, CrowdMeetsInTheMiddleAndPartsAgain) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        double nearest_mm = 1e9;
        double furthest_after_mm = 0;
        for (const engine::Position& at : walk(Scenario::crowd, kMap, seed, 4'000)) {
            const double from_middle_mm = distance_mm(at, {0, 0, at.z});
            nearest_mm = std::min(nearest_mm, from_middle_mm);
            furthest_after_mm =
                nearest_mm < 3'000 ? std::max(furthest_after_mm, from_middle_mm) : 0;
        }
        EXPECT_LT(nearest_mm, 3'000);
        EXPECT_GT(furthest_after_mm, 10'000);
    }
}

TEST(Scenarios, WhoeverIsAtTheMarketStaysInOneOfFourShards) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        for (const engine::Position& at : walk(Scenario::market, kMap, seed, 2'000)) {
            EXPECT_LT(std::max(at.x, at.y), -110'000);
        }
    }
}

TEST(Scenarios, EveryBorderPacerCrossesALineOfTheQuarters) {
    constexpr std::int32_t kLines[] = {-221'500, 0, 221'500};
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const auto way = walk(Scenario::border, kMap, seed, 2'000);
        int crossings = 0;
        for (std::size_t i = 1; i < way.size(); ++i) {
            for (const std::int32_t line : kLines) {
                crossings += (way[i - 1].x < line) != (way[i].x < line) ? 1 : 0;
                crossings += (way[i - 1].y < line) != (way[i].y < line) ? 1 : 0;
            }
        }
        EXPECT_GT(crossings, 5) << seed;
    }
}

}  // namespace
}  // namespace marchland::bots
