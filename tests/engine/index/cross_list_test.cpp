#include "engine/index/cross_list.h"

#include "tests/engine/ground.h"
#include "tests/engine/index/names.h"
#include "tests/engine/property.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

namespace marchland::engine::testing {
namespace {

std::string order_of(const CrossList& list, const Names& names, Axis axis) {
    std::string letters;
    static_cast<void>(list.print(axis, [&](Slot slot) {
        letters += names.letter(slot);
        return std::string();
    }));
    return letters;
}

/// Six entities in a small room. Slots in the order of insertion: where two tie, the one that came
/// first stands first.
class SixOnACrossList : public ::testing::Test {
protected:
    SixOnACrossList() {
        insert('a', {1, 5});
        insert('f', {6, 6});
        insert('c', {3, 1});
        insert('b', {2, 2});
        insert('e', {5, 3});
        insert('d', {3, 3});
    }

    void insert(char letter, Position at) { list_.insert(names_.slot(letter), at); }

    [[nodiscard]] std::string in_order(Axis axis) const { return order_of(list_, names_, axis); }
    [[nodiscard]] std::string around(char letter, HalfExtents half) const {
        std::vector<Slot> slots;
        list_.query_around(names_.slot(letter), half, slots);
        std::string letters = names_.of(slots);
        std::sort(letters.begin(), letters.end());
        return letters;
    }

    const Names names_{"afcbed"};
    CrossList list_{{.bounds = {0, 0, 10, 10}}};
};

TEST_F(SixOnACrossList, StandInTheOrderOfEachAxis) {
    EXPECT_EQ(in_order(Axis::x), "abcdef");
    EXPECT_EQ(in_order(Axis::y), "cbedaf");
}

TEST(CrossList, InsertsIntoTheOrderOfEachAxis) {
    const Names names("afcbed");
    CrossList list({.bounds = {0, 0, 10, 10}});
    const auto insert = [&](char letter, Position at) {
        list.insert(names.slot(letter), at);
        return order_of(list, names, Axis::x) + ' ' + order_of(list, names, Axis::y);
    };
    EXPECT_EQ(insert('a', {1, 5}), "a a");
    EXPECT_EQ(insert('f', {6, 6}), "af af");
    EXPECT_EQ(insert('c', {3, 1}), "acf caf");
    EXPECT_EQ(insert('b', {2, 2}), "abcf cbaf");
    EXPECT_EQ(insert('e', {5, 3}), "abcef cbeaf");
    EXPECT_EQ(insert('d', {3, 3}), "abcdef cbedaf");
}

TEST_F(SixOnACrossList, AllButTheFarOneAreInTheRangeAroundTheMiddle) {
    EXPECT_EQ(around('d', {2, 2}), "abcde");
    EXPECT_EQ(around('d', {2, 1}), "bde");
    EXPECT_EQ(around('d', {0, 0}), "d");
    EXPECT_EQ(around('f', {2, 2}), "f");
    EXPECT_EQ(around('f', {2, 3}), "ef");
    EXPECT_EQ(around('a', {9, 9}), "abcdef");
}

TEST_F(SixOnACrossList, AMoveChangesTheOrderOfTheAxesThatItPassesSomebodyOn) {
    list_.move(names_.slot('d'), {3, 3}, {4, 4});
    EXPECT_EQ(in_order(Axis::x), "abcdef");
    EXPECT_EQ(in_order(Axis::y), "cbedaf");
    EXPECT_EQ(around('d', {2, 2}), "bdef");
    list_.move(names_.slot('d'), {4, 4}, {0, 2});
    EXPECT_EQ(in_order(Axis::x), "dabcef");
    EXPECT_EQ(in_order(Axis::y), "cbdeaf");
}

TEST_F(SixOnACrossList, AnErasedOneLeavesTheOrderOfTheOthers) {
    list_.move(names_.slot('d'), {3, 3}, {4, 4});
    list_.erase(names_.slot('d'), {4, 4});
    EXPECT_EQ(in_order(Axis::x), "abcef");
    EXPECT_EQ(in_order(Axis::y), "cbeaf");
}

TEST_F(SixOnACrossList, ArePrintedWithNamesAndPlaces) {
    const auto name_of = [&](Slot slot) { return std::string(1, names_.letter(slot)); };
    EXPECT_EQ(list_.print(Axis::x, name_of),
              "a(1,5) -> b(2,2) -> c(3,1) -> d(3,3) -> e(5,3) -> f(6,6)");
    EXPECT_EQ(list_.print(Axis::y, name_of),
              "c(3,1) -> b(2,2) -> e(5,3) -> d(3,3) -> a(1,5) -> f(6,6)");
}

TEST(CrossList, PrintsZInThreeDimensions) {
    CrossList list({.bounds = {0, 0, 9, 9}, .dimensions = Dimensions::three});
    const auto name_of = [](Slot slot) { return "e" + std::to_string(to_number(slot)); };
    EXPECT_EQ(list.print(Axis::z, name_of), "");
    list.insert(Slot{0}, {1, 2, 30});
    list.insert(Slot{1}, {3, 4, -7});
    EXPECT_EQ(list.print(Axis::z, name_of), "e1(3,4,-7) -> e0(1,2,30)");
}

TEST(CrossList, FlatZoneDoesNotAskForZ) {
    CrossList list({.bounds = {0, 0, 9, 9}});
    list.insert(Slot{0}, {1, 2, 30'000});
    list.insert(Slot{1}, {1, 2, -7});
    std::vector<Slot> found;
    list.query_around(Slot{0}, {0, 0, 0}, found);
    list.query_box({{0, 0, 9, 9}, 0, 0}, found);
    EXPECT_EQ(found.size(), 4U);
}

class CrossListInSpace : public ::testing::TestWithParam<Ground> {};

std::vector<Slot> in_box_by_looking(const std::vector<Position>& places, const Box& box) {
    std::vector<Slot> slots;
    for (std::uint32_t number = 0; number < places.size(); ++number) {
        if (box.contains(places[number])) {
            slots.push_back(Slot{number});
        }
    }
    return slots;
}

TEST_P(CrossListInSpace, FindsWhatIsInABoxAlsoFromAnEntityOutwards) {
    check_property([] {
        const Ground& ground = GetParam();
        auto places = *rc::gen::container<std::vector<Position>>(40, position_on(ground));
        CrossList list({.bounds = ground.bounds, .dimensions = ground.dimensions});
        for (std::uint32_t number = 0; number < places.size(); ++number) {
            list.insert(Slot{number}, places[number]);
        }
        for (std::uint32_t number = 0; number < places.size(); number += 2) {
            const Position to = *position_on(ground);
            list.move(Slot{number}, places[number], to);
            places[number] = to;
        }
        const HalfExtents half{*radius_on(ground), *radius_on(ground), *radius_on(ground)};
        const Position middle = places[7];
        Box box{{std::int64_t{middle.x} - half.x, std::int64_t{middle.y} - half.y,
                 std::int64_t{middle.x} + half.x, std::int64_t{middle.y} + half.y},
                std::int64_t{middle.z} - half.z,
                std::int64_t{middle.z} + half.z};
        std::vector<Slot> around;
        list.query_around(Slot{7}, half, around);
        std::sort(around.begin(), around.end());
        RC_ASSERT(around == in_box_by_looking(places, box));

        std::vector<Slot> found;
        list.query_box(box, found);
        std::sort(found.begin(), found.end());
        RC_ASSERT(found == around);
    });
}

std::vector<Ground> grounds_in_space() {
    std::vector<Ground> spaces;
    std::copy_if(grounds().begin(), grounds().end(), std::back_inserter(spaces),
                 [](const Ground& ground) { return ground.dimensions == Dimensions::three; });
    return spaces;
}

INSTANTIATE_TEST_SUITE_P(On, CrossListInSpace, ::testing::ValuesIn(grounds_in_space()),
                         [](const auto& ground) { return ground.param.name; });

}  // namespace
}  // namespace marchland::engine::testing
