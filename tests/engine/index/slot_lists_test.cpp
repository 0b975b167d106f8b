#include "engine/index/index_storage.h"
#include "tests/engine/index/sorted.h"
#include "tests/engine/property.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

namespace marchland::engine::testing {
namespace {

std::vector<Slot> slots_in(const SlotLists& lists, std::uint32_t list) {
    std::vector<Slot> slots;
    lists.for_each(list, [&](Slot slot) { slots.push_back(slot); });
    return sorted(slots);
}

TEST(SlotLists, HoldWhatWasPushedAndNotRemoved) {
    check_property([] {
        const auto pushes =
            *rc::gen::container<std::vector<std::pair<std::uint32_t, std::uint32_t>>>(
                60, rc::gen::pair(rc::gen::inRange(0U, 20U), rc::gen::inRange(0U, 4U)));
        SlotLists lists(3);
        lists.grow_to(4);
        std::map<Slot, std::uint32_t> list_of;
        for (const auto& [number, list] : pushes) {
            const Slot slot{number};
            if (list_of.count(slot) != 0) {
                lists.remove(slot);
                list_of.erase(slot);
            } else {
                lists.push(list, slot);
                list_of[slot] = list;
            }
        }
        for (std::uint32_t list = 0; list < 4; ++list) {
            std::vector<Slot> expected;
            for (const auto& [slot, in] : list_of) {
                if (in == list) {
                    expected.push_back(slot);
                }
            }
            RC_ASSERT(slots_in(lists, list) == expected);
        }
    });
}

TEST(SlotLists, VisitorMayMoveTheSlotToAnotherList) {
    SlotLists lists(2);
    for (std::uint32_t number = 0; number < 5; ++number) {
        lists.push(0, Slot{number});
    }
    lists.for_each(0, [&](Slot slot) {
        lists.remove(slot);
        lists.push(1, slot);
    });
    EXPECT_TRUE(slots_in(lists, 0).empty());
    EXPECT_EQ(slots_in(lists, 1).size(), 5U);
    EXPECT_EQ(lists.list_of(Slot{3}), 1U);
}

TEST(SlotListsDeathTest, RefuseBrokenPromises) {
    SlotLists lists(2);
    lists.push(0, Slot{1});
    EXPECT_DEATH(lists.push(1, Slot{1}), "broken promise");
    EXPECT_DEATH(lists.push(2, Slot{2}), "broken promise");
    EXPECT_DEATH(lists.remove(Slot{0}), "broken promise");
    EXPECT_DEATH(lists.remove(Slot{9}), "broken promise");
}

}  // namespace
}  // namespace marchland::engine::testing
