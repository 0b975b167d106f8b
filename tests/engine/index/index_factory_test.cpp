#include "engine/index/index.h"
#include "tests/engine/found_in.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace marchland::engine::testing {
namespace {

IndexOptions small_map() {
    IndexOptions options;
    options.bounds = {0, 0, 99, 99};
    options.cell_mm = 10;
    return options;
}

TEST(IndexFactory, KnowsSixNames) {
    const auto names = index_names();
    EXPECT_EQ(std::vector<std::string_view>(names.begin(), names.end()),
              (std::vector<std::string_view>{"grid_cross_list", "cross_list", "grid", "tower",
                                             "quadtree", "geohash"}));
}

TEST(IndexFactory, MakesAnEmptyIndexOfEachName) {
    for (const std::string_view name : index_names()) {
        const auto index = make_index(name, small_map());
        ASSERT_NE(index, nullptr) << name;
        EXPECT_EQ(index->size(), 0U) << name;
        index->insert(Slot{0}, {5, 5});
        EXPECT_EQ(found_in(*index, {0, 0, 9, 9}), Numbers{0}) << name;
    }
}

TEST(IndexFactory, MakesNothingOfAnUnknownName) {
    for (const std::string_view name : {"", "Grid", "grid ", "towers", "r_tree"}) {
        EXPECT_EQ(make_index(name, small_map()), nullptr) << name;
    }
}

}  // namespace
}  // namespace marchland::engine::testing
