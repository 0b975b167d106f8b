// Contract points 1 to 3: what clients are sent follows from the contract alone, and does not
// depend on the layout. docs/architecture.md says why it can hold.

#include "tests/properties/client_view.h"
#include "tests/properties/contract.h"
#include "tests/properties/dice.h"
#include "tests/properties/lockstep_player.h"
#include "tests/properties/oracle.h"
#include "tests/properties/property_case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

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

TEST_P(Transparency, StreamsAreByteEqualToThoseUnderOneShardWithABalancer) {
    std::uint64_t changes = 0;
    check_cases(60, any_case(GetParam()), [&](const Case& played) {
        const Recording expected = play_in_lockstep(in_one_shard(played.stage), played.history);
        LockstepPlayer player(played.stage, played.history);
        shards::BalancerOptions eager;
        eager.interval_ms_min = 1;  // every tick
        eager.gain_percent_min = 1;
        eager.step_mm_max = played.stage.options.leave_radius_mm_max;
        eager.side_mm_min = 1;
        player.balance(eager);
        while (!player.is_finished()) {
            player.step();
        }
        expect_nothing(first_difference(expected, player.recording()));
        expect_nothing(byte_difference(expected, player.recording()));
        changes += player.zone().layout_changes_total();
    });
    EXPECT_EQ(changes > 0, GetParam() != LayoutKind::one_shard) << changes;
}

/// The same case with limits for crowds of two or three, of which there are many.
Case crowded(Case played) {
    Dice dice(played.history.acts.size());
    engine::CrowdLimits& crowd = played.stage.options.crowd;
    crowd.visible_max = static_cast<std::uint32_t>(dice.between(0, 4));
    crowd.sticky_percent = static_cast<std::uint32_t>(dice.between(0, 50));
    const std::int32_t reach_mm = played.stage.options.leave_radius_mm_max;
    for (std::size_t ring = 0; ring < dice.below(3); ++ring) {
        crowd.rings.at(ring) = {static_cast<std::int32_t>(ring) * (reach_mm / 4),
                                static_cast<std::uint32_t>(2 + 2 * ring)};
    }
    crowd.frame_bytes_max = static_cast<std::uint32_t>(dice.chance(50) ? dice.between(65, 300) : 0);
    if (dice.chance(50)) {
        played.stage.options.client_bytes_per_second_max =
            static_cast<std::uint32_t>(dice.between(70, 200)) * played.stage.options.tick_rate_hz;
    }
    crowd.stale_ticks_max = static_cast<std::uint32_t>(dice.between(6, 9));
    return played;
}

TEST_P(Transparency, StreamsAreByteEqualToThoseUnderOneShardWhereCrowdsAreLimited) {
    std::size_t capped = 0;
    std::size_t slowed = 0;
    std::size_t over_budget = 0;
    std::size_t filling = 0;
    const auto count = [](const Stream& stream, bool SentFrame::*mark) {
        return static_cast<std::size_t>(std::ranges::count_if(stream.frames, mark));
    };
    check_cases(100, any_changing_case(GetParam()), [&](const Case& any) {
        const Case played = crowded(any);
        const Recording expected = play_in_lockstep(in_one_shard(played.stage), played.history);
        const Recording actual = play_in_lockstep(played.stage, played.history, played.changes);
        expect_nothing(first_difference(expected, actual));
        expect_nothing(byte_difference(expected, actual));
        for (const Stream& stream : actual) {
            expect_nothing(find_flaw(stream));
            capped += count(stream, &SentFrame::is_capped);
            slowed += count(stream, &SentFrame::is_slowed);
            over_budget += count(stream, &SentFrame::is_over_budget);
            filling += count(stream, &SentFrame::is_filling);
        }
    });
    // A test of this test, also for the few cases of a sanitizer's build.
    EXPECT_GT(capped, 0U);
    EXPECT_GT(slowed, 0U);
    EXPECT_GT(over_budget, 0U);
    EXPECT_GT(filling, 0U);
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

/// But for those whose moves limits hold back, which the frame says.
TEST_P(Contract, AtTheEndOfEachFrameEverybodyIsShownWithinTheBound) {
    std::size_t predicted = 0;
    check_cases(50, any_changing_case(GetParam()), [&](const Case& any) {
        Case played = any.history.acts.size() % 2 == 0 ? any : crowded(any);
        // Every second stage has no bound: there nobody is predicted.
        shards::ZoneOptions& options = played.stage.options;
        options.prediction_error_mm =
            std::clamp(options.leave_radius_mm_max / 20, std::max(options.prediction_error_mm, 1),
                       engine::kPredictionErrorMaxMm);
        const std::vector<Life> lives = lives_of(played.history);
        for (const Stream& stream :
             play_in_lockstep(played.stage, played.history, played.changes)) {
            ClientView view(stream.id);
            for (const SentFrame& frame : stream.frames) {
                expect_nothing(view.apply(frame));
                if (frame.is_slowed || frame.is_over_budget) {
                    continue;
                }
                const auto states = states_at(lives, frame.tick);
                for (const auto& [id, place] : view.known()) {
                    RC_ASSERT(is_shown_within(played.stage.options.prediction_error_mm,
                                              place.at_tick(frame.tick), states.at(id)));
                    predicted += place.velocity == engine::Step{} ? 0U : 1U;
                }
            }
        }
    });
    EXPECT_GT(predicted, 0U);
}

const auto kKinds = ::testing::ValuesIn(kAllLayoutKinds);
const auto kName = [](const auto& layout) { return name_of(layout.param); };
INSTANTIATE_TEST_SUITE_P(Layouts, Transparency, kKinds, kName);
INSTANTIATE_TEST_SUITE_P(Layouts, Contract, kKinds, kName);

}  // namespace
}  // namespace marchland::tests
