#include "engine/assert.h"

#include <gtest/gtest.h>

namespace marchland::engine {
namespace {

TEST(Assert, EvaluatesAPromiseThatHoldsOnce) {
    int evaluated = 0;
    MARCHLAND_ASSERT(++evaluated == 1);
    EXPECT_EQ(evaluated, 1);
}

TEST(AssertDeathTest, NamesTheBrokenPromiseAndItsPlaceInReleaseBuildsToo) {
    const bool door_is_shut = false;
    EXPECT_DEATH(MARCHLAND_ASSERT(door_is_shut),
                 "assert_test.cpp:[0-9]+: broken promise: door_is_shut");
}

}  // namespace
}  // namespace marchland::engine
