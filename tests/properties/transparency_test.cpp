// Contract points 1 to 3: what clients are told follows from the contract alone, and does not depend
// on the layout. docs/architecture.md says why it can hold.

#include "tests/properties/lockstep_player.h"
#include "tests/properties/oracle.h"
#include "tests/properties/property_case.h"

#include <gtest/gtest.h>

namespace marchland::tests {
namespace {

class UnderLayout : public ::testing::TestWithParam<LayoutKind> {};

using Transparency = UnderLayout;

TEST_P(Transparency, StreamsAreByteEqualToThoseUnderOneShard) {
    check_cases(100, any_case(GetParam()), [](const Case& played) {
        const Recording expected = play_in_lockstep(in_one_shard(played.stage), played.history);
        const Recording actual = play_in_lockstep(played.stage, played.history);
        expect_nothing(first_difference(expected, actual));
        expect_nothing(byte_difference(expected, actual));
    });
}

TEST_P(Transparency, StreamsAreByteEqualToThoseUnderOneShardWhileTheLayoutChanges) {
    check_cases(100, any_changing_case(GetParam()), [](const Case& played) {
        const Recording expected = play_in_lockstep(in_one_shard(played.stage), played.history);
        const Recording actual = play_in_lockstep(played.stage, played.history, played.changes);
        expect_nothing(first_difference(expected, actual));
        expect_nothing(byte_difference(expected, actual));
    });
}

using Contract = UnderLayout;

TEST_P(Contract, StreamsAreWhatBruteForceFinds) {
    check_cases(100, any_case(GetParam()), [](const Case& played) {
        const Recording expected = play_by_the_contract(played.stage, played.history);
        expect_nothing(first_difference(expected, play_in_lockstep(played.stage, played.history)));
    });
}

TEST_P(Contract, StreamsAreWellFormed) {
    check_cases(50, any_case(GetParam()), [](const Case& played) {
        for (const Stream& stream : play_in_lockstep(played.stage, played.history)) {
            expect_nothing(find_flaw(stream));
        }
    });
}

const auto kKinds = ::testing::ValuesIn(kAllLayoutKinds);
const auto kName = [](const auto& layout) { return name_of(layout.param); };
INSTANTIATE_TEST_SUITE_P(Layouts, Transparency, kKinds, kName);
INSTANTIATE_TEST_SUITE_P(Layouts, Contract, kKinds, kName);

}  // namespace
}  // namespace marchland::tests
