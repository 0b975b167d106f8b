#include "engine/geometry.h"

#include "tests/engine/exact_distance.h"
#include "tests/engine/ground.h"
#include "tests/engine/property.h"

#include <gtest/gtest.h>

namespace marchland::engine::testing {
namespace {

TEST(Distance, IsExactWherePythagorasIsWhole) {
    EXPECT_TRUE(is_within({0, 0}, {3, 4}, 5, Dimensions::two));
    EXPECT_FALSE(is_within({0, 0}, {3, 4}, 4, Dimensions::two));
    EXPECT_TRUE(is_within({0, 0, 0}, {2, 3, 6}, 7, Dimensions::three));
    EXPECT_FALSE(is_within({0, 0, 0}, {2, 3, 6}, 6, Dimensions::three));
}

TEST(Distance, IsExactWhereAFloatWouldRound) {
    // 2'000'000'001² + 1 and 2'000'000'001² are the same double.
    EXPECT_TRUE(is_within({-1, 0}, {2'000'000'000, 0}, 2'000'000'001, Dimensions::two));
    EXPECT_FALSE(is_within({-1, 0}, {2'000'000'000, 1}, 2'000'000'001, Dimensions::two));
}

TEST(Distance, BetweenTheFurthestCornersIsOutsideEveryRadius) {
    EXPECT_FALSE(is_within({kMin, kMin, kMin}, {kMax, kMax, kMax}, kMax, Dimensions::three));
    EXPECT_FALSE(is_within({kMin, 0}, {0, 0}, kMax, Dimensions::two));
    EXPECT_TRUE(is_within({kMin + 1, 0}, {0, 0}, kMax, Dimensions::two));
}

class RandomDistance : public ::testing::TestWithParam<Ground> {};

TEST_P(RandomDistance, IsThatOfTheTextbook) {
    const Ground& ground = GetParam();
    check_property([&] {
        const Position a = *position_on(ground);
        const Position b = *position_on(ground);
        const std::int32_t radius_mm = *radius_on(ground);
        for (const Dimensions dimensions : {Dimensions::two, Dimensions::three}) {
            RC_ASSERT(is_within(a, b, radius_mm, dimensions) ==
                      is_within_by_the_textbook(a, b, radius_mm, dimensions));
            RC_ASSERT(is_within(a, b, radius_mm, dimensions) ==
                      is_within(b, a, radius_mm, dimensions));
        }
    });
}

TEST_P(RandomDistance, WithinARadiusImpliesWithinTheSquareAround) {
    const Ground& ground = GetParam();
    check_property([&] {
        const Position center = *position_on(ground);
        const Position other = *position_on(ground);
        const std::int32_t radius_mm = *radius_on(ground);
        if (is_within(center, other, radius_mm, Dimensions::two)) {
            RC_ASSERT(square_around(center, radius_mm).contains(other));
        }
    });
}

INSTANTIATE_TEST_SUITE_P(On, RandomDistance, ::testing::ValuesIn(grounds()),
                         [](const auto& ground) { return ground.param.name; });

}  // namespace
}  // namespace marchland::engine::testing
