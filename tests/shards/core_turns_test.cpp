#include "shards/pin_thread.h"

#include <gtest/gtest.h>

namespace marchland::shards {
namespace {

TEST(CoreTurns, GoRoundTheCores) {
    CoreTurns turns(3);
    for (std::uint32_t i = 0; i < 7; ++i) {
        EXPECT_EQ(turns.take(), i % 3);
    }
}

TEST(CoreTurns, GiveWhatWasGivenBackFirst) {
    CoreTurns turns(2);
    EXPECT_EQ(turns.take(), 0U);
    EXPECT_EQ(turns.take(), 1U);
    turns.give_back(1);
    EXPECT_EQ(turns.take(), 1U) << "whichever shard it is for";
}

}  // namespace
}  // namespace marchland::shards
