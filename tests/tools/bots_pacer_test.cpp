#include "tools/bots/director.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <numeric>
#include <vector>

namespace marchland::bots {
namespace {

using namespace std::chrono_literals;

constexpr Instant kStart{1h};

std::vector<std::uint64_t> due(Pacer& pacer, Clock::duration after) {
    std::vector<std::uint64_t> players;
    pacer.take_due(kStart + after, [&](std::uint64_t player) { players.push_back(player); });
    return players;
}

TEST(PacerTest, NobodyIsDueAtTheStart) {
    Pacer pacer(10, 50ms, kStart);
    EXPECT_TRUE(due(pacer, 0ms).empty());
}

TEST(PacerTest, TurnsAreSpreadEvenlyOverTheInterval) {
    Pacer pacer(10, 50ms, kStart);
    EXPECT_EQ(due(pacer, 5ms), std::vector<std::uint64_t>({0}));
    EXPECT_TRUE(due(pacer, 9ms).empty());
    EXPECT_EQ(due(pacer, 20ms), std::vector<std::uint64_t>({1, 2, 3}));
}

TEST(PacerTest, EveryPlayerHasOneTurnInEveryInterval) {
    Pacer pacer(7, 50ms, kStart);
    std::vector<int> turns(7);
    for (int interval = 1; interval <= 20; ++interval) {
        for (const std::uint64_t player : due(pacer, interval * 50ms)) {
            ++turns[player];
        }
        EXPECT_EQ(turns, std::vector<int>(7, interval));
    }
    EXPECT_EQ(pacer.skipped(), 0U);
}

TEST(PacerTest, WhatIsMoreThanAnIntervalBehindIsSkippedAndCounted) {
    Pacer pacer(10, 50ms, kStart);
    EXPECT_EQ(due(pacer, 500ms).size(), 10U);
    EXPECT_EQ(pacer.skipped(), 90U);
    EXPECT_EQ(due(pacer, 505ms), std::vector<std::uint64_t>({0}));
}

TEST(PacerTest, GoesOnWithoutDriftAfterAMonth) {
    Pacer pacer(100'000, 50ms, kStart);
    (void)due(pacer, 24h * 31);
    EXPECT_EQ(due(pacer, 24h * 31 + 25ms).size(), 50'000U);
}

}  // namespace
}  // namespace marchland::bots
