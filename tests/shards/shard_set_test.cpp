#include "shards/ids.h"

#include <gtest/gtest.h>

#include <vector>

namespace marchland::shards {
namespace {

constexpr ShardId kFirst{0};
constexpr ShardId kLast{kShardsMax - 1};

std::vector<ShardId> shards_in(const ShardSet& set) {
    std::vector<ShardId> members;
    set.for_each([&](ShardId shard) { members.push_back(shard); });
    return members;
}

TEST(ShardSet, IsEmptyAtFirst) {
    const ShardSet set;
    EXPECT_TRUE(set.is_empty());
    EXPECT_TRUE(shards_in(set).empty());
}

TEST(ShardSet, HoldsEveryShardThatAZoneMayHave) {
    for (std::size_t i = 0; i < kShardsMax; ++i) {
        ShardSet set;
        set.add(static_cast<ShardId>(i));
        EXPECT_FALSE(set.is_empty());
        EXPECT_EQ(shards_in(set), std::vector{static_cast<ShardId>(i)});
    }
}

TEST(ShardSet, ForEachVisitsInAscendingOrderAcrossWords) {
    ShardSet set;
    for (const int number : {200, 64, 0, 63, 255, 128, 127}) {
        set.add(static_cast<ShardId>(number));
    }
    const std::vector expected{ShardId{0},   ShardId{63},  ShardId{64}, ShardId{127},
                               ShardId{128}, ShardId{200}, ShardId{255}};
    EXPECT_EQ(shards_in(set), expected);
}

TEST(ShardSet, RemoveTakesOutThatMemberOnly) {
    ShardSet set;
    set.add(kFirst);
    set.add(kLast);
    set.remove(kFirst);
    EXPECT_FALSE(set.contains(kFirst));
    EXPECT_TRUE(set.contains(kLast));
    set.remove(kLast);
    EXPECT_TRUE(set.is_empty());
}

TEST(ShardSet, WithoutKeepsWhatTheOtherDoesNotHold) {
    ShardSet left;
    left.add(kFirst);
    left.add(ShardId{70});
    ShardSet right;
    right.add(ShardId{70});
    right.add(kLast);
    EXPECT_EQ(shards_in(left.without(right)), std::vector{kFirst});
    EXPECT_EQ(shards_in(right.without(left)), std::vector{kLast});
    EXPECT_TRUE(left.without(left).is_empty());
}

}  // namespace
}  // namespace marchland::shards
