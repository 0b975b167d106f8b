#include "engine/axis_order.h"

#include "tests/engine/property.h"

#include <gtest/gtest.h>

#include <limits>
#include <utility>
#include <vector>

namespace marchland::engine::testing {
namespace {

constexpr std::int32_t kMin = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();

std::vector<Slot> slots_in(const AxisOrder& order, std::int32_t min, std::int32_t max) {
    std::vector<Slot> slots;
    order.append_inside(order.span(min, max), kMin, kMax, slots);
    return slots;
}

std::pair<std::int32_t, Slot> place_key(const AxisOrder& order, std::size_t place) {
    return {order.coordinate_at(place), order.slot_at(place)};
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
    EXPECT_EQ(order.coordinate_at(0), kMin);
    EXPECT_EQ(order.other_at(0), kMax);
    EXPECT_EQ(order.coordinate_at(1), -1);
    EXPECT_EQ(order.slot_at(1), Slot{2});
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
        for (std::size_t place = 0; place < order.size(); ++place) {
            const std::uint32_t slot = to_number(order.slot_at(place));
            RC_ASSERT(order.coordinate_at(place) == places[slot]);
            RC_ASSERT(order.other_at(place) == places[slot]);
            if (place > 0) {
                RC_ASSERT(place_key(order, place - 1) < place_key(order, place));
            }
        }
    });
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
