#include "engine/slot_map.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace marchland::engine {
namespace {

RC_GTEST_PROP(SlotMap, HoldsWhatAMapHolds, ()) {
    SlotMap<std::string> slots;
    std::map<Slot, std::string> expected;
    const auto steps = *rc::gen::container<std::vector<std::uint32_t>>(*rc::gen::inRange(0, 60),
                                                                       rc::gen::inRange(0U, 32U));
    for (const std::uint32_t step : steps) {
        const Slot slot{step % 16};
        if (step == 31) {
            slots.clear();
            expected.clear();
        } else if (expected.contains(slot)) {
            RC_ASSERT(slots.remove(slot) == expected.at(slot));
            expected.erase(slot);
        } else {
            const std::string value = std::to_string(expected.size());
            slots.add(slot, value);
            expected[slot] = value;
        }
        RC_ASSERT(slots.size() == expected.size() && slots.slots().size() == expected.size());
        for (std::uint32_t number = 0; number < 20; ++number) {
            RC_ASSERT(slots.contains(Slot{number}) == expected.contains(Slot{number}));
        }
        for (const Slot there : slots.slots()) {
            RC_ASSERT(slots.at(there) == expected.at(there));
        }
    }
}

TEST(SlotMapDeathTest, SlotThatIsNotThereIsABrokenPromise) {
    SlotMap<int> slots;
    slots.add(Slot{2}, 1);
    EXPECT_DEATH(slots.add(Slot{2}, 1), "contains");
    EXPECT_DEATH(slots.remove(Slot{3}), "contains");
    EXPECT_DEATH(static_cast<void>(slots.at(Slot{0})), "contains");
}

}  // namespace
}  // namespace marchland::engine
