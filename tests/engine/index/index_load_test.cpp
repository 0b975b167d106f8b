// Loading many entities at once, on each index that a zone can name.

#include "engine/index/index.h"
#include "tests/engine/brute_force_index.h"
#include "tests/engine/found_in.h"
#include "tests/engine/ground.h"
#include "tests/engine/property.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace marchland::engine::testing {
namespace {

std::unique_ptr<Index> make_on(std::string_view name, const Ground& ground) {
    IndexOptions options;
    options.bounds = ground.bounds;
    options.dimensions = ground.dimensions;
    options.cell_mm = ground.cell_mm;
    options.cells_max = ground.cells_max;
    return make_index(name, options);
}

class IndexLoad : public ::testing::TestWithParam<std::string_view> {};

/// Some are there already, in slots between; some of the loaded ones then move.
void check_load(Index& index, const Ground& ground) {
    BruteForceIndex brute_force(ground.bounds);
    const auto places = *rc::gen::container<std::vector<Position>>(120, position_on(ground));
    std::vector<Placed> entities;
    for (std::uint32_t number = 0; number < places.size(); ++number) {
        if (number % 5 == 0) {
            index.insert(Slot{number}, places[number]);
        } else {
            entities.insert(entities.begin(), {Slot{number}, places[number]});
        }
        brute_force.insert(Slot{number}, places[number]);
    }
    index.load(entities);
    RC_ASSERT(index.size() == places.size());
    for (std::uint32_t number = 0; number < places.size(); number += 3) {
        const Position to = *position_on(ground);
        index.move(Slot{number}, places[number], to);
        brute_force.move(Slot{number}, places[number], to);
    }
    for (int query = 0; query < 6; ++query) {
        const Rect area = square_around(*position_on(ground), *radius_on(ground));
        RC_ASSERT(found_in(index, area) == found_in(brute_force, area));
    }
    RC_ASSERT(found_in(index, kEverything) == found_in(brute_force, kEverything));
}

TEST_P(IndexLoad, IsTheSameAsInsertingEach) {
    check_property([] {
        const Ground& ground = *rc::gen::elementOf(grounds());
        const auto index = make_on(GetParam(), ground);
        check_load(*index, ground);
    });
}

TEST_P(IndexLoad, OfNothingDoesNothing) {
    const auto index = make_on(GetParam(), grounds().front());
    index->load({});
    EXPECT_EQ(index->size(), 0U);
}

class IndexLoadOfMany : public IndexLoad {};

constexpr std::uint32_t kMany = 200'000;

/// Anything quadratic in kMany takes minutes here, and runs into the test's time limit.
void expect_loads(Index& index, const std::vector<Placed>& entities) {
    index.load(entities);
    EXPECT_EQ(index.size(), entities.size());
    EXPECT_EQ(found_in(index, kEverything).size(), entities.size());
}

TEST_P(IndexLoadOfMany, AtOnePointIsNotQuadratic) {
    const auto index = make_on(GetParam(), grounds().front());
    std::vector<Placed> entities;
    for (std::uint32_t number = 0; number < kMany; ++number) {
        entities.push_back({Slot{kMany - 1 - number}, {7, 7}});
    }
    expect_loads(*index, entities);
}

TEST_P(IndexLoadOfMany, WhereManyAreAlreadyIsNotQuadratic) {
    const auto index = make_on(GetParam(), grounds().front());
    std::vector<Placed> even;
    std::vector<Placed> odd;
    for (std::uint32_t number = 0; number < kMany; number += 2) {
        even.push_back({Slot{number}, {7, 7}});
        odd.push_back({Slot{number + 1}, {6, 7}});
    }
    index->load(even);
    index->load(odd);
    EXPECT_EQ(found_in(*index, {7, 7, 7, 7}).size(), even.size());
    EXPECT_EQ(found_in(*index, kEverything).size(), even.size() + odd.size());
}

/// Everybody walks on a step and then logs off, in ascending and in descending order of the slots:
/// what costs the length of the crowd for one of them is quadratic for all.
TEST_P(IndexLoadOfMany, MovesAndErasesAtOnePointAreNotQuadratic) {
    const auto index = make_on(GetParam(), grounds().front());
    std::vector<Placed> entities;
    for (std::uint32_t number = 0; number < kMany; ++number) {
        entities.push_back({Slot{number}, {7, 7}});
    }
    index->load(entities);
    for (const Placed& entity : entities) {
        index->move(entity.slot, {7, 7}, {8, 6});
    }
    for (auto entity = entities.rbegin(); entity != entities.rend(); ++entity) {
        index->move(entity->slot, {8, 6}, {7, 7});
    }
    EXPECT_EQ(found_in(*index, {7, 7, 7, 7}).size(), kMany);
    for (const Placed& entity : entities) {
        index->erase(entity.slot, {7, 7});
    }
    EXPECT_EQ(index->size(), 0U);
}

TEST_P(IndexLoadOfMany, OnALineAgainstItsOrderIsNotQuadratic) {
    const Ground line{"Line", {0, 0, kMany, 0}, Dimensions::two, 1'000};
    const auto index = make_on(GetParam(), line);
    std::vector<Placed> entities;
    for (std::uint32_t number = 0; number < kMany; ++number) {
        entities.push_back({Slot{number}, {static_cast<std::int32_t>(kMany - number), 0}});
    }
    expect_loads(*index, entities);
}

INSTANTIATE_TEST_SUITE_P(Of, IndexLoad,
                         ::testing::ValuesIn(index_names().begin(), index_names().end()),
                         [](const auto& name) { return std::string(name.param); });
INSTANTIATE_TEST_SUITE_P(Of, IndexLoadOfMany,
                         ::testing::ValuesIn(index_names().begin(), index_names().end()),
                         [](const auto& name) { return std::string(name.param); });

}  // namespace
}  // namespace marchland::engine::testing
