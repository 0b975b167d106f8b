#include "net/player_notices.h"

#include <gtest/gtest.h>

#include <vector>

namespace marchland::tests {

namespace {

using engine::EntityId;
using shards::Counted;
using shards::OwnPlayers;

constexpr Counted kOne{EntityId{1}, {10, 0, 0}};
constexpr Counted kTwo{EntityId{2}, {20, 0, 0}};

class PlayerPositionsTest : public testing::Test {
protected:
    std::vector<std::shared_ptr<const net::PlayersOfTick>> told_;
    net::PlayerPositions positions_{[this](const auto& players) { told_.push_back(players); }};
};

}  // namespace

TEST_F(PlayerPositionsTest, TellsATickOnceAllShardsOfTheLayoutHaveInAscendingId) {
    positions_.post({1, 2, true, false, {kTwo}});
    EXPECT_TRUE(told_.empty());
    positions_.post({1, 2, false, false, {}});  // of a shard that has no region any more
    EXPECT_TRUE(told_.empty());
    positions_.post({1, 2, true, false, {kOne}});
    ASSERT_EQ(told_.size(), 1U);
    EXPECT_EQ(told_[0]->tick, 1U);
    EXPECT_FALSE(told_[0]->border_stale);
    EXPECT_EQ(told_[0]->players, (std::vector{kOne, kTwo}));
}

TEST_F(PlayerPositionsTest, WaitsForNoLateShardAndSaysSo) {
    positions_.post({1, 2, true, false, {kOne}});
    positions_.post({2, 2, true, true, {kOne}});
    ASSERT_EQ(told_.size(), 1U);
    EXPECT_TRUE(told_[0]->border_stale);
    EXPECT_EQ(told_[0]->players, (std::vector{kOne}));
    positions_.post({1, 2, true, false, {kTwo}});  // too late
    positions_.post({2, 2, true, false, {kTwo}});
    ASSERT_EQ(told_.size(), 2U);
    EXPECT_TRUE(told_[1]->border_stale);
    EXPECT_EQ(told_[1]->players, (std::vector{kOne, kTwo}));
}

TEST_F(PlayerPositionsTest, TellsNobodyTwiceWhomTwoShardsHaveInOneTick) {
    positions_.post({1, 2, true, true, {kOne, kTwo}});
    positions_.post({1, 2, true, true, {kOne}});
    ASSERT_EQ(told_.size(), 1U);
    EXPECT_EQ(told_[0]->players.size(), 2U);
}

}  // namespace marchland::tests
