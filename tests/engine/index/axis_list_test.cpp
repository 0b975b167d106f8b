#include "engine/index/cross_list.h"
#include "tests/engine/ground.h"
#include "tests/engine/property.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

namespace marchland::engine::testing {
namespace {

std::vector<AxisList::Entry> forwards(const AxisList& list) {
    std::vector<AxisList::Entry> entries;
    for (auto at = list.next(AxisList::kEnd); at != AxisList::kEnd; at = list.next(at)) {
        entries.push_back({list.value_at(at), AxisList::slot_at(at)});
    }
    return entries;
}

std::vector<AxisList::Entry> backwards(const AxisList& list) {
    std::vector<AxisList::Entry> entries;
    for (auto at = list.previous(AxisList::kEnd); at != AxisList::kEnd; at = list.previous(at)) {
        entries.insert(entries.begin(), {list.value_at(at), AxisList::slot_at(at)});
    }
    return entries;
}

std::vector<AxisList::Entry> in_order(const std::map<Slot, std::int32_t>& values) {
    std::vector<AxisList::Entry> entries;
    for (const auto& [slot, value] : values) {
        entries.push_back({value, slot});
    }
    std::sort(entries.begin(), entries.end());
    return entries;
}

void check_order(const AxisList& list, const std::map<Slot, std::int32_t>& values) {
    RC_ASSERT(forwards(list) == in_order(values));
    RC_ASSERT(backwards(list) == in_order(values));
}

TEST(AxisList, IsEmptyAtFirst) {
    const AxisList list;
    EXPECT_EQ(list.next(AxisList::kEnd), AxisList::kEnd);
    EXPECT_EQ(list.first_from(kMin), AxisList::kEnd);
}

TEST(AxisList, IsInOrderOfTheValueAndThenOfTheSlot) {
    AxisList list;
    list.insert(Slot{3}, 7);
    list.insert(Slot{1}, kMax);
    list.insert(Slot{2}, kMin);
    list.insert(Slot{0}, 7);
    const std::vector<AxisList::Entry> expected{
        {kMin, Slot{2}}, {7, Slot{0}}, {7, Slot{3}}, {kMax, Slot{1}}};
    EXPECT_EQ(forwards(list), expected);
    EXPECT_EQ(backwards(list), expected);
}

TEST(AxisList, FirstFromIsTheFirstOfThatValueOrAbove) {
    AxisList list;
    list.insert(Slot{0}, 5);
    list.insert(Slot{1}, 5);
    list.insert(Slot{2}, kMin);
    list.insert(Slot{3}, kMax);
    const auto slot_from = [&](std::int64_t min) {
        return AxisList::slot_at(list.first_from(min));
    };
    EXPECT_EQ(slot_from(std::int64_t{kMin} * 4), Slot{2});
    EXPECT_EQ(slot_from(kMin), Slot{2});
    EXPECT_EQ(slot_from(std::int64_t{kMin} + 1), Slot{0});
    EXPECT_EQ(slot_from(5), Slot{0});
    EXPECT_EQ(slot_from(6), Slot{3});
    EXPECT_EQ(slot_from(kMax), Slot{3});
    EXPECT_EQ(list.first_from(std::int64_t{kMax} + 1), AxisList::kEnd);
}

/// Values out of few, so that many tie; slots with gaps, so that some samples hit nothing.
TEST(AxisList, StaysInOrderUnderAnyChanges) {
    check_property([] {
        const auto slot =
            rc::gen::map(rc::gen::inRange(0U, 90U), [](std::uint32_t n) { return n * 3; });
        const auto value =
            rc::gen::oneOf(rc::gen::inRange(-4, 5), rc::gen::arbitrary<std::int32_t>());
        const auto changes =
            *rc::gen::container<std::vector<std::tuple<std::uint32_t, std::int32_t, bool>>>(
                150, rc::gen::tuple(slot, value, rc::gen::map(rc::gen::inRange(0, 4), [](int roll) {
                                        return roll == 0;
                                    })));
        AxisList list;
        std::map<Slot, std::int32_t> values;
        for (const auto& [number, to, is_erase] : changes) {
            const Slot who{number};
            if (values.count(who) == 0) {
                list.insert(who, to);
                values[who] = to;
            } else if (is_erase) {
                list.erase(who);
                values.erase(who);
            } else {
                list.move(who, to);
                values[who] = to;
            }
        }
        check_order(list, values);
        const std::int32_t min = *value;
        const auto from = list.first_from(min);
        const auto expected = in_order(values);
        const auto first =
            std::lower_bound(expected.begin(), expected.end(), AxisList::Entry{min, Slot{0}});
        RC_ASSERT((from == AxisList::kEnd) == (first == expected.end()));
        RC_ASSERT((from == AxisList::kEnd || AxisList::slot_at(from) == first->slot));
    });
}

TEST(AxisList, MergePutsEachInItsPlaceAmongThoseThatAreThere) {
    check_property([] {
        const auto values =
            *rc::gen::container<std::vector<std::int32_t>>(60, rc::gen::inRange(-9, 9));
        const auto is_merged =
            *rc::gen::container<std::vector<bool>>(60, rc::gen::arbitrary<bool>());
        AxisList list;
        std::map<Slot, std::int32_t> all;
        std::map<Slot, std::int32_t> merged;
        for (std::uint32_t number = 0; number < 60; ++number) {
            all[Slot{number}] = values[number];
            if (is_merged[number]) {
                merged[Slot{number}] = values[number];
            } else {
                list.insert(Slot{number}, values[number]);
            }
        }
        list.merge(in_order(merged));
        check_order(list, all);
    });
}

TEST(AxisListDeathTest, RefusesBrokenPromises) {
    AxisList list;
    list.insert(Slot{1}, 5);
    EXPECT_DEATH(list.insert(Slot{1}, 6), "broken promise");
    EXPECT_DEATH(list.erase(Slot{0}), "broken promise");
    EXPECT_DEATH(list.move(Slot{7}, 5), "broken promise");
}

}  // namespace
}  // namespace marchland::engine::testing
