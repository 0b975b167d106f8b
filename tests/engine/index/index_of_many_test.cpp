// So many entities that anything quadratic in their number takes minutes, and runs into the test's
// time limit: on each index that a zone can name.

#include "engine/index/index.h"
#include "tests/engine/found_in.h"
#include "tests/engine/ground.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

namespace marchland::engine::testing {
namespace {

constexpr std::uint32_t kMany = 200'000;

class IndexOfMany : public ::testing::TestWithParam<std::string_view> {
protected:
    static std::unique_ptr<Index> make_on(const Ground& ground) {
        IndexOptions options;
        options.bounds = ground.bounds;
        options.dimensions = ground.dimensions;
        options.cell_mm = ground.cell_mm;
        options.cells_max = ground.cells_max;
        return make_index(GetParam(), options);
    }
};

TEST_P(IndexOfMany, InsertsAtOnePointAreNotQuadratic) {
    const auto index = make_on(grounds().front());
    for (std::uint32_t number = kMany; number-- > 0;) {
        index->insert(Slot{number}, {7, 7});
    }
    EXPECT_EQ(found_in(*index, kEverything).size(), kMany);
}

TEST_P(IndexOfMany, InsertsWhereManyAreAlreadyAreNotQuadratic) {
    const auto index = make_on(grounds().front());
    for (std::uint32_t number = 0; number < kMany; number += 2) {
        index->insert(Slot{number}, {7, 7});
    }
    for (std::uint32_t number = 1; number < kMany; number += 2) {
        index->insert(Slot{number}, {6, 7});
    }
    EXPECT_EQ(found_in(*index, {7, 7, 7, 7}).size(), kMany / 2);
    EXPECT_EQ(found_in(*index, kEverything).size(), kMany);
}

/// Everybody walks on a step and then logs off, in ascending and in descending order of the slots:
/// what costs the length of the crowd for one of them is quadratic for all.
TEST_P(IndexOfMany, MovesAndErasesAtOnePointAreNotQuadratic) {
    const auto index = make_on(grounds().front());
    for (std::uint32_t number = 0; number < kMany; ++number) {
        index->insert(Slot{number}, {7, 7});
    }
    for (std::uint32_t number = 0; number < kMany; ++number) {
        index->move(Slot{number}, {7, 7}, {8, 6});
    }
    for (std::uint32_t number = kMany; number-- > 0;) {
        index->move(Slot{number}, {8, 6}, {7, 7});
    }
    EXPECT_EQ(found_in(*index, {7, 7, 7, 7}).size(), kMany);
    for (std::uint32_t number = 0; number < kMany; ++number) {
        index->erase(Slot{number}, {7, 7});
    }
    EXPECT_EQ(index->size(), 0U);
}

TEST_P(IndexOfMany, InsertsOnALineAgainstItsOrderAreNotQuadratic) {
    const auto index = make_on({"Line", {0, 0, kMany, 0}, Dimensions::two, 1'000});
    for (std::uint32_t number = 0; number < kMany; ++number) {
        index->insert(Slot{number}, {static_cast<std::int32_t>(kMany - number), 0});
    }
    EXPECT_EQ(found_in(*index, kEverything).size(), kMany);
}

INSTANTIATE_TEST_SUITE_P(Of, IndexOfMany,
                         ::testing::ValuesIn(index_names().begin(), index_names().end()),
                         [](const auto& name) { return std::string(name.param); });

}  // namespace
}  // namespace marchland::engine::testing
