#include "engine/view.h"
#include "tests/engine/textbook_view.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace marchland::engine::testing {
namespace {

constexpr std::int32_t kLength = 1 << 30;

Direction direction_at(std::uint32_t angle) {
    return direction_of(static_cast<Angle>(angle));
}

TEST(Direction, OfEveryAngleIsTheNearestInteger) {
    for (std::uint32_t angle = 0; angle < 65'536; ++angle) {
        ASSERT_EQ(direction_at(angle), direction_by_the_textbook(static_cast<Angle>(angle)))
            << angle;
    }
}

TEST(Direction, OfQuarterTurnsLiesOnTheAxes) {
    EXPECT_EQ(direction_of(0), (Direction{kLength, 0}));
    EXPECT_EQ(direction_of(kQuarterTurn), (Direction{0, kLength}));
    EXPECT_EQ(direction_of(kHalfTurn), (Direction{-kLength, 0}));
    EXPECT_EQ(direction_at(49'152), (Direction{0, -kLength}));
}

TEST(Direction, OfOddEighthsLiesOnTheDiagonals) {
    const Direction eighth = direction_at(8'192);
    EXPECT_EQ(eighth.x, eighth.y);
    EXPECT_EQ(direction_at(24'576), (Direction{-eighth.x, eighth.y}));
    EXPECT_EQ(direction_at(40'960), (Direction{-eighth.x, -eighth.y}));
    EXPECT_EQ(direction_at(57'344), (Direction{eighth.x, -eighth.y}));
}

TEST(Direction, TurnsByAQuarterToTheLastBit) {
    for (std::uint32_t angle = 0; angle < 65'536; ++angle) {
        const Direction before = direction_at(angle);
        ASSERT_EQ(direction_at(angle + kQuarterTurn), (Direction{-before.y, before.x})) << angle;
    }
}

TEST(Direction, OfTheNextAngleIsFurtherCounterClockwise) {
    for (std::uint32_t angle = 0; angle < 65'536; ++angle) {
        const Direction here = direction_at(angle);
        const Direction next = direction_at(angle + 1);
        ASSERT_GT(std::int64_t{here.x} * next.y, std::int64_t{here.y} * next.x) << angle;
    }
}

}  // namespace
}  // namespace marchland::engine::testing
