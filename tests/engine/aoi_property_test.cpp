// The library's facade beside brute force, in random histories. tests/fuzz plays the same script.

#include "tests/engine/aoi_script.h"
#include "tests/engine/property.h"

#include <gtest/gtest.h>

namespace marchland::engine::testing {
namespace {

/// Not shrunk: with a byte less all that follows is another history, so that would take hours. The
/// fuzzer's -minimize_crash=1 is made for it.
rc::Gen<std::vector<std::uint8_t>> scripts() {
    return rc::gen::noShrink(
        rc::gen::resize(1'500, rc::gen::container<std::vector<std::uint8_t>>(
                                   rc::gen::resize(100, rc::gen::arbitrary<std::uint8_t>()))));
}

TEST(RandomScript, TellsAndFindsAndRefusesWhatBruteForceDoes) {
    check_property([] {
        const std::vector<std::uint8_t> bytes = *scripts();
        RC_ASSERT(AoiScript(bytes).play().value_or("") == "");
    });
}

/// A test of this test: scripts in which nothing happens would prove nothing.
TEST(RandomScript, HasEventsJumpsStatesRefusalsAndAnswers) {
    ScriptTally total;
    check_property(
        [&] {
            const std::vector<std::uint8_t> bytes = *scripts();
            AoiScript script(bytes);
            RC_ASSERT(script.play().value_or("") == "");
            total.events += script.tally().events;
            total.jumps += script.tally().jumps;
            total.states += script.tally().states;
            total.refusals += script.tally().refusals;
            total.found += script.tally().found;
        },
        300);
    RecordProperty("events", std::to_string(total.events));
    EXPECT_GT(total.events, 1'000U);
    EXPECT_GT(total.jumps, 10U);
    EXPECT_GT(total.states, 10U);
    EXPECT_GT(total.refusals, 1'000U);
    EXPECT_GT(total.found, 1'000U);
}

}  // namespace
}  // namespace marchland::engine::testing
