// What every index promises (engine/index/index.h), tried on every kind of index_kinds() and every
// ground.

#include "tests/engine/found_in.h"
#include "tests/engine/ground.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace marchland::engine::testing {
namespace {

class IndexConformance : public ::testing::TestWithParam<IndexKind> {
protected:
    [[nodiscard]] static std::unique_ptr<Index> make(const Rect& bounds, std::int32_t cell_mm) {
        return GetParam().make({"", bounds, Dimensions::two, cell_mm});
    }
    /// Four columns, three rows; the last column and the last row are cut short by the edge.
    [[nodiscard]] static std::unique_ptr<Index> make_small() { return make({0, 0, 34, 24}, 10); }
};

TEST_P(IndexConformance, EmptyIndexHoldsNothing) {
    const auto index = make_small();
    EXPECT_EQ(index->size(), 0U);
    EXPECT_EQ(found_in(*index, kEverything), Numbers{});
}

TEST_P(IndexConformance, BothEndsOfAnAreaAreInclusive) {
    const auto index = make_small();
    index->insert(Slot{1}, {10, 10});
    EXPECT_EQ(found_in(*index, {10, 10, 10, 10}), Numbers{1});
    EXPECT_EQ(found_in(*index, {0, 0, 10, 10}), Numbers{1});
    EXPECT_EQ(found_in(*index, {10, 10, 34, 24}), Numbers{1});
    EXPECT_EQ(found_in(*index, {0, 0, 9, 24}), Numbers{});
    EXPECT_EQ(found_in(*index, {0, 0, 34, 9}), Numbers{});
    EXPECT_EQ(found_in(*index, {11, 0, 34, 24}), Numbers{});
    EXPECT_EQ(found_in(*index, {0, 11, 34, 24}), Numbers{});
}

TEST_P(IndexConformance, EveryMillimetreOfTheMapIsFoundOnceAndOnlyThere) {
    const auto index = make_small();
    std::uint32_t next = 0;
    for (std::int32_t y = 0; y <= 24; ++y) {
        for (std::int32_t x = 0; x <= 34; ++x) {
            index->insert(Slot{next++}, {x, y});
        }
    }
    for (std::uint32_t slot = 0; slot < next; ++slot) {
        const std::int64_t x = slot % 35;
        const std::int64_t y = slot / 35;
        ASSERT_EQ(found_in(*index, {x, y, x, y}), Numbers{slot});
    }
    EXPECT_EQ(found_in(*index, kEverything).size(), next);
}

TEST_P(IndexConformance, AppendsToWhatIsThere) {
    const auto index = make_small();
    index->insert(Slot{1}, {3, 3});
    std::vector<Slot> out{Slot{7}};
    index->query(kEverything, out);
    EXPECT_EQ(out, (std::vector<Slot>{Slot{7}, Slot{1}}));
}

TEST_P(IndexConformance, ManyStandAtOnePoint) {
    const auto index = make_small();
    for (std::uint32_t slot = 0; slot < 300; ++slot) {
        index->insert(Slot{slot}, {20, 20});
    }
    EXPECT_EQ(found_in(*index, {20, 20, 20, 20}).size(), 300U);
    for (std::uint32_t slot = 0; slot < 299; ++slot) {
        index->erase(Slot{slot}, {20, 20});
    }
    EXPECT_EQ(found_in(*index, {20, 20, 20, 20}), Numbers{299});
}

TEST_P(IndexConformance, ACrowdThatWandersIsWhereItIsAndNowhereElse) {
    const auto index = make_small();
    const std::vector<Position> stations{{5, 5}, {25, 15}, {34, 24}, {5, 5}, {0, 24}};
    constexpr std::uint32_t kCrowd = 250;
    for (std::uint32_t slot = 0; slot < kCrowd; ++slot) {
        index->insert(Slot{slot}, stations.front());
    }
    for (std::size_t station = 1; station < stations.size(); ++station) {
        const Position from = stations[station - 1];
        const Position to = stations[station];
        for (std::uint32_t slot = 0; slot < kCrowd; ++slot) {
            index->move(Slot{slot}, from, to);
        }
        EXPECT_EQ(found_in(*index, {to.x, to.y, to.x, to.y}).size(), kCrowd);
        EXPECT_EQ(found_in(*index, kEverything).size(), kCrowd);
    }
}

TEST_P(IndexConformance, AreaBesideTheMapHoldsNothing) {
    const auto index = make_small();
    index->insert(Slot{1}, {0, 0});
    index->insert(Slot{2}, {34, 24});
    EXPECT_EQ(found_in(*index, {-10, -10, -1, -1}), Numbers{});
    EXPECT_EQ(found_in(*index, {35, 0, 99, 24}), Numbers{});
    EXPECT_EQ(found_in(*index, {0, 25, 34, 99}), Numbers{});
}

TEST_P(IndexConformance, AreaThatEndsBeforeItBeginsHoldsNothing) {
    const auto index = make_small();
    index->insert(Slot{1}, {15, 15});
    EXPECT_EQ(found_in(*index, {16, 15, 14, 15}), Numbers{});
    EXPECT_EQ(found_in(*index, {15, 30, 15, 0}), Numbers{});
}

TEST_P(IndexConformance, AMovedSlotIsWhereItWentAndNotWhereItWas) {
    const auto index = make_small();
    index->insert(Slot{1}, {3, 3});
    index->move(Slot{1}, {3, 3}, {4, 3});
    EXPECT_EQ(found_in(*index, {3, 3, 3, 3}), Numbers{});
    EXPECT_EQ(found_in(*index, {4, 3, 4, 3}), Numbers{1});
    index->move(Slot{1}, {4, 3}, {34, 24});
    EXPECT_EQ(found_in(*index, {4, 3, 4, 3}), Numbers{});
    EXPECT_EQ(found_in(*index, {34, 24, 34, 24}), Numbers{1});
    EXPECT_EQ(index->size(), 1U);
}

TEST_P(IndexConformance, AnErasedSlotCanBeInsertedAgain) {
    const auto index = make_small();
    index->insert(Slot{5}, {3, 3});
    index->erase(Slot{5}, {3, 3});
    EXPECT_EQ(index->size(), 0U);
    index->insert(Slot{5}, {30, 3});
    EXPECT_EQ(found_in(*index, kEverything), Numbers{5});
}

TEST_P(IndexConformance, HoldsTheCornersOfTheLargestMap) {
    const auto index = make({kMin, kMin, kMax, kMax}, 1);
    index->insert(Slot{0}, {kMin, kMin});
    index->insert(Slot{1}, {kMin, kMax});
    index->insert(Slot{2}, {kMax, kMin});
    index->insert(Slot{3}, {kMax, kMax});
    EXPECT_EQ(found_in(*index, kEverything), (Numbers{0, 1, 2, 3}));
    EXPECT_EQ(found_in(*index, square_around({kMax, kMax}, kMax)), Numbers{3});
    EXPECT_EQ(found_in(*index, square_around({0, 0}, kMax)), Numbers{3});
    EXPECT_EQ(found_in(*index, square_around({-1, -1}, kMax)), Numbers{0});
}

TEST_P(IndexConformance, WalkVisitsEachSlotOnceWithItsPlace) {
    const auto index = make_small();
    std::map<Slot, std::pair<std::int32_t, std::int32_t>> expected;
    for (std::uint32_t slot = 0; slot < 200; ++slot) {
        const auto x = static_cast<std::int32_t>(slot % 11);
        index->insert(Slot{slot}, {x, 2});
        expected[Slot{slot}] = {x, 2};
    }
    std::map<Slot, std::pair<std::int32_t, std::int32_t>> walked;
    std::size_t visits = 0;
    index->walk([&](Slot slot, Position at) {
        walked[slot] = {at.x, at.y};
        ++visits;
    });
    EXPECT_EQ(walked, expected);
    EXPECT_EQ(visits, expected.size());
}

class IndexConformanceDeathTest : public IndexConformance {};

TEST_P(IndexConformanceDeathTest, RefusesBrokenPromises) {
    const auto index = make_small();
    index->insert(Slot{1}, {3, 3});
    index->insert(Slot{2}, {9, 9});
    EXPECT_DEATH(index->insert(Slot{1}, {3, 3}), "broken promise");
    EXPECT_DEATH(index->insert(Slot{3}, {35, 3}), "broken promise");
    EXPECT_DEATH(index->insert(Slot{3}, {3, -1}), "broken promise");
    EXPECT_DEATH(index->move(Slot{1}, {3, 3}, {3, 25}), "broken promise");
    EXPECT_DEATH(index->move(Slot{1}, {3, 4}, {3, 5}), "broken promise");
    EXPECT_DEATH(index->move(Slot{9}, {3, 3}, {3, 5}), "broken promise");
    EXPECT_DEATH(index->erase(Slot{9}, {3, 3}), "broken promise");
    EXPECT_DEATH(index->erase(Slot{2}, {3, 3}), "broken promise");
}

INSTANTIATE_TEST_SUITE_P(Of, IndexConformance, ::testing::ValuesIn(index_kinds()),
                         [](const auto& kind) { return kind.param.name; });
INSTANTIATE_TEST_SUITE_P(Of, IndexConformanceDeathTest, ::testing::ValuesIn(index_kinds()),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace marchland::engine::testing
