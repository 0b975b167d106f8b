// The properties are worth what their histories contain.

#include "tests/properties/contract.h"
#include "tests/properties/lockstep_player.h"
#include "tests/properties/property_case.h"

#include <gtest/gtest.h>

#include <map>

namespace marchland::tests {
namespace {

using engine::LeaveReason;

/// How often each thing happened that the properties are about.
struct Tally {
    std::uint64_t handoffs = 0;
    std::uint64_t enters = 0;
    std::uint64_t relative_moves = 0;
    std::uint64_t absolute_moves = 0;
    std::map<LeaveReason, std::uint64_t> leaves;
    std::uint64_t enters_from_afar = 0;  ///< of entities outside the watcher's view
    std::map<engine::Shape, std::uint64_t> enters_by_shape;
    std::uint64_t second_lives = 0;
    std::uint64_t frames_skipped = 0;
};

void count_frames(const Recording& recording, Tally& tally) {
    for (const Stream& stream : recording) {
        for (const SentFrame& frame : stream.frames) {
            tally.enters += frame.enters.size();
            for (const engine::Leave& leave : frame.leaves) {
                ++tally.leaves[leave.reason];
            }
            for (const SentMove& move : frame.moves) {
                ++(move.previous ? tally.relative_moves : tally.absolute_moves);
            }
        }
    }
}

void count_ways_of_seeing(const std::vector<Life>& lives, const Recording& recording,
                          engine::Dimensions dimensions, Tally& tally) {
    for (const Stream& stream : recording) {
        for (const SentFrame& frame : stream.frames) {
            const auto states = states_at(lives, frame.tick);
            const State& watcher = states.at(stream.id);
            tally.enters_by_shape[watcher.view.shape] += frame.enters.size();
            for (const SentEnter& enter : frame.enters) {
                State plain = states.at(enter.id);
                plain.notify = {};
                tally.enters_from_afar += is_in_range(watcher, plain, false, dimensions) ? 0U : 1U;
            }
        }
    }
}

void count_case(const Case& played, Tally& tally) {
    LockstepPlayer player(played.stage, played.history);
    while (!player.is_finished()) {
        player.step();
    }
    count_frames(player.recording(), tally);
    count_ways_of_seeing(player.lives(), player.recording(), played.stage.options.dimensions,
                         tally);
    for (const shards::ShardId shard : player.zone().running_shards()) {
        const auto& metrics = player.zone().metrics(shard);
        tally.handoffs += metrics.handoffs_total;
        tally.frames_skipped += metrics.frames_skipped_total;
    }
    std::map<std::size_t, int> lives_of_actor;
    for (const Life& life : player.lives()) {
        tally.second_lives += ++lives_of_actor[life.actor] == 2 ? 1 : 0;
    }
}

TEST(Histories, ContainAllThatThePropertiesAreAbout) {
    Tally tally;
    check_cases(100, any_case(LayoutKind::random_cuts),
                [&](const Case& played) { count_case(played, tally); });
    EXPECT_GT(tally.handoffs, 200U);
    EXPECT_GT(tally.enters, 200U);
    EXPECT_GT(tally.relative_moves, 200U);
    EXPECT_GT(tally.absolute_moves, 10U);
    EXPECT_GT(tally.leaves[LeaveReason::gone], 10U);
    EXPECT_GT(tally.leaves[LeaveReason::out_of_range], 100U);
    EXPECT_GT(tally.leaves[LeaveReason::hidden], 5U);
    EXPECT_GT(tally.enters_from_afar, 20U);
    EXPECT_GT(tally.enters_by_shape[engine::Shape::circle], 20U);
    EXPECT_GT(tally.enters_by_shape[engine::Shape::rectangle], 20U);
    EXPECT_GT(tally.enters_by_shape[engine::Shape::sector], 20U);
    EXPECT_GT(tally.enters_by_shape[engine::Shape::cylinder], 5U);
    EXPECT_GT(tally.second_lives, 10U);
    EXPECT_GT(tally.frames_skipped, 100U);
}

}  // namespace
}  // namespace marchland::tests
