// The same histories on real threads: what clients are sent does not depend on which of them is
// quicker.

#include "tests/properties/lockstep_player.h"
#include "tests/properties/property_case.h"
#include "tests/properties/threads_player.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <iostream>
#include <optional>
#include <string>

namespace marchland::tests {
namespace {

class Threads : public ::testing::TestWithParam<LayoutKind> {};

using Player = std::function<ThreadedRun(const Stage&, const History&)>;

/// Says at once what is wrong: another run of the same case may go otherwise.
void expect_nothing_now(const std::optional<std::string>& complaint) {
    if (complaint) {
        std::cout << *complaint << '\n';
    }
    expect_nothing(complaint);
}

/// Compares as many ticks as all shards ran with all batches.
void check_threads(LayoutKind kind, const Player& play) {
    engine::Tick ticks_compared = 0;
    engine::Tick ticks_played = 0;
    check_cases(5, any_case(kind), [&](const Case& played) {
        const History history = with_all_joins_first(played.history);
        const ThreadedRun run = play(played.stage, history);
        const Recording expected = play_in_lockstep(played.stage, history);
        const engine::Tick until = run.first_skipped;
        expect_nothing_now(
            first_difference(before_tick(expected, until), before_tick(run.recording, until)));
        expect_nothing_now(
            byte_difference(before_tick(expected, until), before_tick(run.recording, until)));
        for (const Stream& stream : run.recording) {
            expect_nothing_now(find_flaw(stream));
        }
        ticks_compared += until - 1;
        ticks_played += history.ticks;
    });
    std::cout << "compared " << ticks_compared << " of " << ticks_played << " ticks\n";
    if (ticks_compared * 10 < ticks_played) {
        GTEST_SKIP() << "the machine was too busy: shards skipped ticks almost from the start";
    }
}

TEST_P(Threads, StreamsAreByteEqualToThoseUnderLockstep) {
    check_threads(GetParam(), play_on_threads);
}

TEST_P(Threads, StreamsAreByteEqualToThoseUnderLockstepWhereverTheyAreHeldUp) {
    std::uint64_t seed = 0;
    check_threads(GetParam(), [&seed](const Stage& stage, const History& history) {
        return play_on_shaky_threads(stage, history, ++seed);
    });
}

/// Slower than elsewhere: shards are made while ticks go on, and under a sanitizer, at a hundred a
/// second, some shard skipped one in every history.
constexpr std::uint32_t kChangingTickRateHz = 20;

TEST_P(Threads, StreamsAreByteEqualToThoseUnderLockstepWhileTheLayoutChanges) {
    int compared = 0;
    check_cases(10, any_changing_case(GetParam()), [&](const Case& played) {
        const History history = with_all_joins_first(played.history);
        Stage stage = played.stage;
        stage.options.tick_rate_hz = kChangingTickRateHz;
        const ThreadedRun run = play_on_changing_threads(stage, history, played.changes);
        for (const Stream& stream : run.recording) {
            expect_nothing_now(find_flaw(stream));
        }
        if (run.first_skipped > history.ticks) {
            const Recording expected = play_in_lockstep(in_one_shard(stage), history);
            expect_nothing_now(first_difference(expected, run.recording));
            expect_nothing_now(byte_difference(expected, run.recording));
            ++compared;
        }
    });
    std::cout << "compared " << compared << " histories\n";
    if (compared == 0) {
        GTEST_SKIP() << "the machine was too busy: in every history some shard skipped a tick";
    }
}

const auto kSeveralShards =
    ::testing::Values(LayoutKind::two_by_two, LayoutKind::row_of_eight, LayoutKind::random_cuts);
INSTANTIATE_TEST_SUITE_P(Layouts, Threads, kSeveralShards,
                         [](const auto& layout) { return name_of(layout.param); });

}  // namespace
}  // namespace marchland::tests
