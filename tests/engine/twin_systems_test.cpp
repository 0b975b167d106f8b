// Cells that share their candidates, and a query for each watcher, tell the same of one history.

#include "tests/engine/twin_systems.h"

#include "tests/engine/between.h"
#include "tests/engine/property.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace marchland::engine::testing {
namespace {

/// One seed is as good as another: what shrinks is how many there are, and for how long.
TwinPlan any_plan() {
    constexpr std::array<std::size_t, 4> kSizes{3, 20, 80, 300};
    const std::size_t entities = kSizes.at(between<std::size_t>(0, kSizes.size()));
    return {.seed = *rc::gen::noShrink(
                rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint64_t>())),
            .entities = *rc::gen::inRange<std::size_t>(entities / 2, entities),
            .ticks = between<std::size_t>(1, 25)};
}

TEST(TwinSystems, SendTheSameCellByCellAndWatcherByWatcher) {
    TwinSystems::Tally total;
    check_property([&] {
        const TwinPlan plan = any_plan();
        RC_LOG() << plan << '\n';
        TwinSystems spaces(plan);
        spaces.play();
        const TwinSystems::Tally& tally = spaces.tally();
        total.enters += tally.enters;
        total.moves += tally.moves;
        total.enters_of_notify_sources += tally.enters_of_notify_sources;
        for (const auto& [reason, count] : tally.leaves) {
            total.leaves[reason] += count;
        }
    });
    // A test of this test: a history in which nobody sees anybody would prove nothing.
    EXPECT_GT(total.enters, 0U);
    EXPECT_GT(total.moves, 0U);
    EXPECT_GT(total.enters_of_notify_sources, 0U);
    EXPECT_GT(total.leaves[LeaveReason::gone], 0U);
    EXPECT_GT(total.leaves[LeaveReason::out_of_range], 0U);
    EXPECT_GT(total.leaves[LeaveReason::hidden], 0U);
}

}  // namespace
}  // namespace marchland::engine::testing
