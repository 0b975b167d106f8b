#include "engine/index/quadtree.h"

#include "tests/engine/found_in.h"
#include "tests/engine/ground.h"
#include "tests/engine/index/sorted.h"
#include "tests/engine/property.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace marchland::engine::testing {
namespace {

constexpr Rect kSquare{0, 0, 63, 63};

/// `count` entities from slot `first` on, side by side from (0, y).
void insert_row(Quadtree& tree, std::uint32_t first, std::uint32_t count, std::int32_t y) {
    for (std::uint32_t i = 0; i < count; ++i) {
        tree.insert(Slot{first + i}, {static_cast<std::int32_t>(i), y});
    }
}

TEST(Quadtree, NodeSplitsWhenItHoldsMoreThanItsCapacity) {
    Quadtree tree({kSquare});
    for (std::int32_t i = 0; i < 10; ++i) {
        tree.insert(Slot{static_cast<std::uint32_t>(i)}, {i * 6, i * 6});
    }
    EXPECT_EQ(tree.node_count(), 1U);
    tree.insert(Slot{10}, {60, 0});
    EXPECT_EQ(tree.node_count(), 5U);
    EXPECT_EQ(tree.depth_of(Slot{10}), 1U);
}

TEST(Quadtree, NodeThatEmptiesMergesAgain) {
    Quadtree tree({.bounds = kSquare, .quadtree_node_capacity = 4});
    insert_row(tree, 0, 40, 3);
    EXPECT_GT(tree.node_count(), 20U);
    for (std::uint32_t slot = 2; slot < 40; ++slot) {
        tree.erase(Slot{slot}, {static_cast<std::int32_t>(slot), 3});
    }
    EXPECT_EQ(tree.node_count(), 1U);
    EXPECT_EQ(tree.depth_of(Slot{0}), 0U);
    EXPECT_EQ(found_in(tree, kSquare), (Numbers{0, 1}));
}

TEST(Quadtree, OneThatComesAndGoesDoesNotSplitAndMergeInTurn) {
    Quadtree tree({kSquare});
    insert_row(tree, 0, 11, 3);
    const std::size_t nodes = tree.node_count();
    tree.erase(Slot{10}, {10, 3});
    EXPECT_EQ(tree.node_count(), nodes);
}

TEST(Quadtree, CrowdAtOnePointGoesNoDeeperThanTheLimit) {
    Quadtree tree({.bounds = kSquare, .quadtree_depth_max = 3});
    for (std::uint32_t slot = 0; slot < 1'000; ++slot) {
        tree.insert(Slot{slot}, {7, 7});
    }
    EXPECT_EQ(tree.depth_of(Slot{999}), 3U);
    EXPECT_EQ(tree.node_count(), 1U + 3U * 4U);
}

TEST(Quadtree, MapOfOneMillimetreDoesNotSplit) {
    Quadtree tree({.bounds = {5, 5, 5, 5}, .quadtree_node_capacity = 1});
    tree.insert(Slot{0}, {5, 5});
    tree.insert(Slot{1}, {5, 5});
    EXPECT_EQ(tree.node_count(), 1U);
}

TEST(Quadtree, ObjectThatStraddlesAnEdgeStaysInTheParent) {
    Quadtree tree({.bounds = kSquare, .quadtree_node_capacity = 1});
    tree.insert_extent(Slot{0}, {31, 10}, {1, 1});  // over the middle of the map
    tree.insert_extent(Slot{1}, {15, 10}, {1, 1});  // over the middle of the lower left quarter
    tree.insert_extent(Slot{2}, {3, 3}, {1, 1});
    tree.insert(Slot{3}, {60, 60});
    EXPECT_EQ(tree.depth_of(Slot{0}), 0U);
    EXPECT_EQ(tree.depth_of(Slot{1}), 1U);
    EXPECT_GT(tree.depth_of(Slot{2}), 1U);
    EXPECT_EQ(found_in(tree, {32, 11, 40, 40}), Numbers{0});
    EXPECT_EQ(found_in(tree, {33, 0, 59, 59}), Numbers{});
}

TEST(Quadtree, LooseNodesTakeWhatStraddlesTheirEdge) {
    Quadtree tree({.bounds = kSquare, .quadtree_node_capacity = 1, .quadtree_is_loose = true});
    tree.insert_extent(Slot{0}, {31, 10}, {1, 1});
    tree.insert_extent(Slot{1}, {31, 11}, {1, 1});
    tree.insert_extent(Slot{2}, {31, 12}, {20, 1});
    EXPECT_GT(tree.depth_of(Slot{0}), 1U);
    EXPECT_EQ(tree.depth_of(Slot{2}), 0U);
    EXPECT_EQ(found_in(tree, {32, 11, 40, 40}), (Numbers{0, 1, 2}));
    EXPECT_EQ(found_in(tree, {33, 0, 40, 40}), Numbers{2});
}

TEST(Quadtree, ObjectMayStickOutOverTheMap) {
    Quadtree tree({.bounds = kSquare, .quadtree_node_capacity = 1});
    tree.insert_extent(Slot{0}, {0, 0}, {10, 10});
    tree.insert(Slot{1}, {9, 9});
    tree.insert(Slot{2}, {1, 9});
    EXPECT_EQ(found_in(tree, {-20, -20, -10, -10}), Numbers{0});
    EXPECT_EQ(found_in(tree, {-20, -20, -11, -11}), Numbers{});
}

TEST(Quadtree, CandidatesAreThoseOfTheNodesThatTheAreaTouches) {
    Quadtree tree({.bounds = kSquare, .quadtree_node_capacity = 1});
    tree.insert(Slot{0}, {1, 1});
    tree.insert(Slot{1}, {30, 30});
    tree.insert(Slot{2}, {60, 60});
    tree.insert_extent(Slot{3}, {32, 32}, {4, 4});
    std::vector<Slot> candidates;
    tree.retrieve({0, 0, 3, 3}, candidates);
    EXPECT_EQ(sorted(candidates), (std::vector<Slot>{Slot{0}, Slot{3}}));
}

TEST(Quadtree, AreaThatEndsBeforeItBeginsTouchesNoObject) {
    Quadtree tree({kSquare});
    tree.insert_extent(Slot{0}, {30, 30}, {10, 10});
    EXPECT_EQ(found_in(tree, {31, 30, 29, 30}), Numbers{});
}

TEST(QuadtreeDeathTest, RefusesBrokenPromises) {
    EXPECT_DEATH(Quadtree({.bounds = kSquare, .quadtree_node_capacity = 0}), "broken promise");
    EXPECT_DEATH(Quadtree({.bounds = kSquare, .quadtree_depth_max = 17}), "broken promise");
    EXPECT_DEATH(Quadtree({kSquare}).insert_extent(Slot{0}, {1, 1}, {-1, 0}), "broken promise");
}

struct Object {
    Position at;
    HalfExtents half;
};

Rect extent_of(const Object& object) {
    return {std::int64_t{object.at.x} - object.half.x, std::int64_t{object.at.y} - object.half.y,
            std::int64_t{object.at.x} + object.half.x, std::int64_t{object.at.y} + object.half.y};
}

std::vector<Slot> touching_by_looking(const std::vector<std::optional<Object>>& objects,
                                      const Rect& area) {
    std::vector<Slot> slots;
    for (std::uint32_t number = 0; number < objects.size(); ++number) {
        if (objects[number] && extent_of(*objects[number]).touches(area)) {
            slots.push_back(Slot{number});
        }
    }
    return slots;
}

void check_touching(const Quadtree& tree, const std::vector<std::optional<Object>>& objects,
                    const Rect& area) {
    const std::vector<Slot> expected = touching_by_looking(objects, area);
    std::vector<Slot> found;
    tree.query(area, found);
    RC_ASSERT(sorted(found) == expected);

    std::vector<Slot> candidates;
    tree.retrieve(area, candidates);
    candidates = sorted(candidates);
    RC_ASSERT(std::adjacent_find(candidates.begin(), candidates.end()) == candidates.end());
    RC_ASSERT(only_in_first(expected, candidates).empty());
}

/// Inserts, moves or erases.
void change(Quadtree& tree, std::vector<std::optional<Object>>& objects, const Ground& ground) {
    const Slot slot{*rc::gen::inRange(0U, static_cast<std::uint32_t>(objects.size()))};
    std::optional<Object>& object = objects[to_number(slot)];
    const Position to = *position_on(ground);
    if (!object) {
        const bool is_point = *rc::gen::arbitrary<bool>();
        const HalfExtents half =
            is_point ? HalfExtents{} : HalfExtents{*radius_on(ground), *radius_on(ground)};
        object = Object{to, half};
        tree.insert_extent(slot, to, half);
    } else if (*rc::gen::inRange(0, 3) == 0) {
        tree.erase(slot, object->at);
        object.reset();
    } else {
        tree.move(slot, object->at, to);
        object->at = to;
    }
}

class QuadtreeOfObjects : public ::testing::TestWithParam<std::tuple<bool, Ground>> {};

TEST_P(QuadtreeOfObjects, FindsAllThatTouchAnArea) {
    check_property([] {
        const auto& [is_loose, ground] = GetParam();
        const std::uint32_t capacity = *rc::gen::inRange(1U, 6U);
        const std::uint32_t depth_max = *rc::gen::inRange(0U, Quadtree::kDepthMax + 1);
        Quadtree tree({.bounds = ground.bounds,
                       .quadtree_node_capacity = capacity,
                       .quadtree_depth_max = depth_max,
                       .quadtree_is_loose = is_loose});
        std::vector<std::optional<Object>> objects(30);
        for (int step = 0; step < 80; ++step) {
            change(tree, objects, ground);
        }
        for (int query = 0; query < 4; ++query) {
            check_touching(tree, objects, square_around(*position_on(ground), *radius_on(ground)));
        }
        check_touching(tree, objects, kEverything);
    });
}

INSTANTIATE_TEST_SUITE_P(On, QuadtreeOfObjects,
                         ::testing::Combine(::testing::Bool(), ::testing::ValuesIn(grounds())),
                         [](const auto& both) {
                             return std::string(std::get<0>(both.param) ? "Loose" : "Classic") +
                                    std::get<1>(both.param).name;
                         });

}  // namespace
}  // namespace marchland::engine::testing
