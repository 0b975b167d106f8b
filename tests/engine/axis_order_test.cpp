#include "engine/index/axis_order.h"

#include "tests/engine/ground.h"
#include "tests/engine/property.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

namespace marchland::engine::testing {
namespace {

std::vector<Slot> slots_in(const AxisOrder& order, std::int32_t min, std::int32_t max) {
    std::vector<Slot> slots;
    order.append_inside(order.span(min, max), kMin, kMax, slots);
    return slots;
}

struct Listed {
    std::int32_t at = 0;
    Slot slot{};
    std::int32_t other = 0;

    friend auto operator<=>(const Listed&, const Listed&) = default;
};

std::vector<Listed> all_of(const AxisOrder& order) {
    std::vector<Listed> all;
    order.for_each([&](Slot slot, std::int32_t at, std::int32_t other) {
        all.push_back({at, slot, other});
    });
    return all;
}

TEST(AxisOrder, IsInOrderOfTheCoordinateAndThenOfTheSlot) {
    AxisOrder order;
    order.insert(Slot{1}, 5, 0);
    order.insert(Slot{2}, kMax, 0);
    order.insert(Slot{3}, kMin, 0);
    order.insert(Slot{4}, -5, 0);
    order.insert(Slot{0}, 5, 0);
    EXPECT_EQ(slots_in(order, kMin, kMax),
              (std::vector<Slot>{Slot{3}, Slot{4}, Slot{0}, Slot{1}, Slot{2}}));
    EXPECT_EQ(slots_in(order, -5, 5), (std::vector<Slot>{Slot{4}, Slot{0}, Slot{1}}));
    EXPECT_EQ(slots_in(order, 6, kMax - 1), std::vector<Slot>{});
}

TEST(AxisOrder, GivesBackTheCoordinates) {
    AxisOrder order;
    order.insert(Slot{1}, kMin, kMax);
    order.insert(Slot{2}, -1, 7);
    EXPECT_EQ(all_of(order), (std::vector<Listed>{{kMin, Slot{1}, kMax}, {-1, Slot{2}, 7}}));
}

TEST(AxisOrder, KeepsThoseWhoseOtherCoordinateFits) {
    AxisOrder order;
    for (std::uint32_t slot = 0; slot < 5; ++slot) {
        order.insert(Slot{slot}, 0, static_cast<std::int32_t>(slot));
    }
    std::vector<Slot> slots;
    order.append_inside(order.span(0, 0), 1, 3, slots);
    EXPECT_EQ(slots, (std::vector<Slot>{Slot{1}, Slot{2}, Slot{3}}));
}

TEST(AxisOrder, StaysInOrderUnderAnyMoves) {
    check_property([] {
        const auto coordinate = rc::gen::inRange(-6, 6);
        auto places = *rc::gen::container<std::vector<std::int32_t>>(12, coordinate);
        const auto moves = *rc::gen::arbitrary<std::vector<std::uint8_t>>();
        AxisOrder order;
        for (std::uint32_t slot = 0; slot < places.size(); ++slot) {
            order.insert(Slot{slot}, places[slot], places[slot]);
        }
        for (const std::uint8_t move : moves) {
            const std::uint32_t slot = move % 12U;
            const std::int32_t to = *coordinate;
            order.move(Slot{slot}, places[slot], to, to);
            places[slot] = to;
        }
        std::vector<Listed> expected;
        for (std::uint32_t slot = 0; slot < places.size(); ++slot) {
            expected.push_back({places[slot], Slot{slot}, places[slot]});
        }
        std::sort(expected.begin(), expected.end());
        RC_ASSERT(all_of(order) == expected);
    });
}

/// So many that there are several blocks, which fill, split, empty and join.
class BigOrder {
public:
    void put(std::uint32_t slot, std::int32_t at) {
        const auto other = static_cast<std::int32_t>(slot) - at;
        if (const auto old = places_.find(slot); old != places_.end()) {
            order_.move(Slot{slot}, old->second, at, other);
        } else {
            order_.insert(Slot{slot}, at, other);
        }
        places_[slot] = at;
    }
    void erase(std::uint32_t slot) {
        order_.erase(Slot{slot}, places_.at(slot));
        places_.erase(slot);
    }
    void load(std::uint32_t first, std::uint32_t last, std::int32_t at) {
        for (std::uint32_t slot = last; slot-- > first;) {
            put(slot, at);
        }
    }
    void expect_in_order() const {
        std::vector<Listed> expected;
        for (const auto& [slot, at] : places_) {
            expected.push_back({at, Slot{slot}, static_cast<std::int32_t>(slot) - at});
        }
        std::sort(expected.begin(), expected.end());
        ASSERT_EQ(order_.size(), expected.size());
        ASSERT_TRUE(all_of(order_) == expected);
        for (const std::int32_t min : {kMin, -3, 0, 2, kMax}) {
            for (const std::int32_t max : {kMin, -1, 0, 3, kMax}) {
                std::vector<Slot> slots;
                for (const Listed& listed : expected) {
                    if (min <= listed.at && listed.at <= max) {
                        slots.push_back(listed.slot);
                    }
                }
                ASSERT_EQ(order_.span(min, std::max(min, max)).size,
                          slots_in(order_, min, std::max(min, max)).size());
                if (min <= max) {
                    ASSERT_TRUE(slots_in(order_, min, max) == slots);
                }
            }
        }
    }

private:
    AxisOrder order_;
    std::map<std::uint32_t, std::int32_t> places_;
};

TEST(AxisOrder, StaysInOrderInManyBlocks) {
    constexpr std::uint32_t kMany = 5 * AxisOrder::kBlockMax;
    BigOrder order;
    for (std::uint32_t slot = 0; slot < kMany; ++slot) {
        order.put(slot * 7 % kMany, static_cast<std::int32_t>(slot % 5) - 2);
    }
    order.expect_in_order();
    order.load(kMany, 2 * kMany - 3, 1);
    order.expect_in_order();
    order.load(2 * kMany - 3, 2 * kMany, 0);  // a few
    order.expect_in_order();
    for (std::uint32_t slot = 0; slot < 2 * kMany; ++slot) {
        order.put(slot, static_cast<std::int32_t>(slot * 13 % 11) - 5);
    }
    order.expect_in_order();
    for (std::uint32_t slot = 0; slot < 2 * kMany; ++slot) {
        order.put(slot, 3);
    }
    order.expect_in_order();
    for (std::uint32_t slot = 2 * kMany; slot-- > 0;) {
        if (slot % 97 != 0) {
            order.erase(slot);
        }
        if (slot % 512 == 0) {
            order.expect_in_order();
        }
    }
    order.expect_in_order();
    for (std::uint32_t slot = 0; slot < kMany; ++slot) {
        order.put(slot, static_cast<std::int32_t>(slot % 3));
    }
    order.expect_in_order();
}

TEST(AxisOrderDeathTest, RefusesWhatIsNotThere) {
    AxisOrder order;
    order.insert(Slot{1}, 5, 0);
    EXPECT_DEATH(order.erase(Slot{1}, 6), "broken promise");
    EXPECT_DEATH(order.erase(Slot{2}, 5), "broken promise");
    EXPECT_DEATH(order.move(Slot{1}, 4, 9, 0), "broken promise");
}

}  // namespace
}  // namespace marchland::engine::testing
