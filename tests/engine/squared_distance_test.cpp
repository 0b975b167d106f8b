#include "engine/geometry.h"
#include "tests/engine/exact_distance.h"
#include "tests/engine/ground.h"
#include "tests/engine/property.h"

#include <gtest/gtest.h>

namespace marchland::engine::testing {
namespace {

Wide by_the_textbook(Position a, Position b, Dimensions dimensions) {
    const Wide dx = Wide{a.x} - b.x;
    const Wide dy = Wide{a.y} - b.y;
    const Wide dz = dimensions == Dimensions::three ? Wide{a.z} - b.z : Wide{0};
    return dx * dx + dy * dy + dz * dz;
}

TEST(SquaredDistance, IsExactAcrossTheWholeSpace) {
    const Position low{kMin, kMin, kMin};
    const Position high{kMax, kMax, kMax};
    EXPECT_TRUE(squared_distance(low, high, Dimensions::three) >> 64U == 2U);
    EXPECT_TRUE(static_cast<Wide>(squared_distance(low, high, Dimensions::three)) ==
                by_the_textbook(low, high, Dimensions::three));
}

TEST(SquaredDistance, IsWhatTheTextbookSaysAndInItsOrder) {
    check_property([] {
        const Ground& ground = *rc::gen::elementOf(grounds());
        const Position from = *position_on(ground);
        const Position a = *position_on(ground);
        const Position b = *position_on(ground);
        const SquaredDistance to_a = squared_distance(from, a, ground.dimensions);
        const SquaredDistance to_b = squared_distance(from, b, ground.dimensions);
        const Wide wide_to_a = by_the_textbook(from, a, ground.dimensions);
        const Wide wide_to_b = by_the_textbook(from, b, ground.dimensions);
        RC_ASSERT(static_cast<Wide>(to_a) == wide_to_a);
        RC_ASSERT((to_a < to_b) == (wide_to_a < wide_to_b));
    });
}

}  // namespace
}  // namespace marchland::engine::testing
