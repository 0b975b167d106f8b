#include "net/quantum.h"

#include "net/frame_writer.h"
#include "net/packed_moves.h"
#include "tests/net/random_messages.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>

namespace marchland::tests {

RC_GTEST_PROP(Quantum, PositionsArePutOnTheNearestPointOfTheGrid, ()) {
    const auto quantum = *rc::gen::inRange<std::int32_t>(1, 1'001);
    const auto min = any_number<std::int32_t>();
    const auto max = any_number<std::int32_t>();
    RC_PRE(std::int64_t{max} - min >= quantum);
    const auto value = *rc::gen::inRange<std::int32_t>(min, max);
    const std::int64_t put = net::nearest_multiple(value, quantum, min, max);
    RC_ASSERT(put % quantum == 0 && put >= min && put <= max);
    for (const std::int64_t other : {put - quantum, put + quantum}) {
        const bool is_inside = other >= min && other <= max;
        RC_ASSERT(!is_inside || std::abs(put - value) <= std::abs(other - value));
    }
}

TEST(Quantum, OfOneMillimetreLeavesEveryPositionAlone) {
    const engine::Rect world{INT32_MIN, INT32_MIN, INT32_MAX, INT32_MAX};
    const engine::Position position{INT32_MIN, INT32_MAX, -7};
    EXPECT_EQ(net::on_grid(position, 1, world), position);
}

TEST(Quantum, OfManyMillimetresPutsTheEndsOfTheWorldInside) {
    const engine::Rect world{-1'004, -995, 1'004, 995};
    EXPECT_EQ(net::on_grid({-1'004, 995, 15}, 10, world), (engine::Position{-1'000, 990, 20}));
    EXPECT_EQ(net::on_grid({1'004, -995, INT32_MAX}, 10, world),
              (engine::Position{1'000, -990, 2'147'483'640}));
}

}  // namespace marchland::tests
