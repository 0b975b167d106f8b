#include "engine/view.h"

#include <gtest/gtest.h>

namespace marchland::engine::testing {
namespace {

constexpr Dimensions kFlat = Dimensions::two;
constexpr Dimensions kHigh = Dimensions::three;

TEST(View, IsSoundWhenNoEnterRangeExceedsItsLeaveRange) {
    EXPECT_EQ(flaw_of(View{}, kFlat), nullptr);
    EXPECT_EQ(flaw_of(View::circle(0, 0), kFlat), nullptr);
    EXPECT_EQ(flaw_of(View::rectangle(1, 2, 1, 3), kFlat), nullptr);
    EXPECT_EQ(flaw_of(View::box({1, 2, 3}, {4, 5, 6}), kHigh), nullptr);
    EXPECT_EQ(flaw_of(View::sector(1, 2, 0, kHalfTurn), kFlat), nullptr);
    EXPECT_EQ(flaw_of(View::cylinder(1, 2, 3, 4), kHigh), nullptr);
}

TEST(View, HasAFlawWhereARangeIsNegativeOrOutOfOrder) {
    EXPECT_NE(flaw_of(View::circle(-1, 0), kFlat), nullptr);
    EXPECT_NE(flaw_of(View::circle(2, 1), kFlat), nullptr);
    EXPECT_NE(flaw_of(View::rectangle(3, 2, 2, 2), kFlat), nullptr);
    EXPECT_NE(flaw_of(View::rectangle(2, 3, 2, 2), kFlat), nullptr);
    EXPECT_NE(flaw_of(View::rectangle(2, -3, 2, 2), kFlat), nullptr);
    EXPECT_NE(flaw_of(View::box({1, 1, 2}, {1, 1, 1}), kHigh), nullptr);
    EXPECT_NE(flaw_of(View::cylinder(1, 1, 2, 1), kHigh), nullptr);
    EXPECT_NE(flaw_of(View::cylinder(1, 1, -1, 1), kHigh), nullptr);
    EXPECT_NE(flaw_of(View::sector(1, 1, 2, 1), kFlat), nullptr);
    EXPECT_NE(flaw_of(View::sector(1, 1, 0, kHalfTurn + 1), kFlat), nullptr);
}

TEST(View, OfACylinderNeedsHeight) {
    EXPECT_NE(flaw_of(View::cylinder(1, 2, 3, 4), kFlat), nullptr);
}

TEST(View, OfAnUnknownShapeIsNone) {
    View view = View::circle(1, 1);
    view.shape = static_cast<Shape>(5);
    EXPECT_NE(flaw_of(view, kHigh), nullptr);
}

TEST(View, ReachesAsFarAsItsLeaveRangeOnTheMap) {
    EXPECT_EQ(leave_reach_mm(View::circle(5, 9)), 9);
    EXPECT_EQ(leave_reach_mm(View::rectangle(1, 2, 3, 4)), 4);
    EXPECT_EQ(leave_reach_mm(View::rectangle(1, 2, 5, 4)), 5);
    EXPECT_EQ(leave_reach_mm(View::cylinder(1, 2, 3, 400)), 2);
}

}  // namespace
}  // namespace marchland::engine::testing
