// Contract point 6, for any history: whichever shards are late whenever, and however the layout
// changes meanwhile, clients are never sent nonsense, nobody is lost, and soon after the last late
// tick everybody knows what is true.

#include "tests/properties/client_view.h"
#include "tests/properties/contract.h"
#include "tests/properties/lockstep_player.h"
#include "tests/properties/ownership.h"
#include "tests/properties/property_case.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace marchland::tests {
namespace {

using engine::Tick;

/// A late hand-over reaches its new owner, and with it the port's next wish, a tick later; what was
/// wished then is known everywhere a tick after that.
constexpr Tick kTicksToRecover = 2;

/// Nobody joins again here: one that leaves while it is on its way does so a tick later than it
/// asked to, and its id may not be free yet.
History without_rejoining(History history) {
    std::set<std::size_t> left;
    std::erase_if(history.acts, [&](const Act& act) {
        if (left.contains(act.actor)) {
            return true;
        }
        if (std::holds_alternative<LeaveZone>(act.deed)) {
            left.insert(act.actor);
        }
        return false;
    });
    return history;
}

/// In the end every client takes frames, and nothing happens for as long as recovery may take.
History with_calm_end(History history) {
    for (const Life& life : lives_of(history)) {
        history.acts.push_back({history.ticks, life.actor, SetStalled{false}});
    }
    history.ticks += kTicksToRecover;
    return history;
}

std::vector<shards::ShardId> some_of(const std::vector<shards::ShardId>& shards, Dice& dice) {
    std::vector<shards::ShardId> some;
    for (const shards::ShardId shard : shards) {
        if (dice.chance(20)) {
            some.push_back(shard);
        }
    }
    return some;
}

/// Plays to the end, with shards that are late at random until the calm begins.
void play_with_late_shards(LockstepPlayer& player, const History& history) {
    Dice dice(history.acts.size());
    while (!player.is_finished()) {
        if (player.tick() + kTicksToRecover < history.ticks) {
            player.step(some_of(player.zone().running_shards(), dice));
        } else {
            player.step();
        }
        expect_one_owner_at_most(player.zone());
    }
}

/// Between the enter range and the leave range both answers are right: which one depends on what
/// this client was sent in the ticks before, and some of that came late.
void expect_true_view(const ClientView& view, const Life& life,
                      const std::map<engine::EntityId, State>& states,
                      const shards::ZoneOptions& options, engine::Tick tick) {
    const engine::Dimensions dimensions = options.dimensions;
    const State& watcher = states.at(life.id());
    for (const auto& [id, place] : view.known()) {
        RC_ASSERT(states.contains(id));
        RC_ASSERT(is_shown_within(options.prediction_error_mm, place.at_tick(tick), states.at(id)));
        RC_ASSERT(is_in_layer(watcher, states.at(id)));
        RC_ASSERT(is_in_range(watcher, states.at(id), true, dimensions));
    }
    for (const auto& [id, state] : states) {
        if (id != life.id() && is_in_layer(watcher, state) &&
            is_in_range(watcher, state, false, dimensions)) {
            RC_ASSERT(view.known().contains(id));
        }
    }
}

class Isolation : public ::testing::TestWithParam<LayoutKind> {};

TEST_P(Isolation, StreamsAreWellFormedWhicheverShardsAreLate) {
    check_cases(40, any_changing_case(GetParam()), [](const Case& played) {
        const History history = with_calm_end(without_rejoining(played.history));
        LockstepPlayer player(played.stage, history, played.changes);
        play_with_late_shards(player, history);
        for (const Stream& stream : player.recording()) {
            expect_nothing(find_flaw(stream));
        }
    });
}

TEST_P(Isolation, ClientsKnowTheTruthTwoTicksAfterTheLastLateShard) {
    check_cases(40, any_changing_case(GetParam()), [](const Case& played) {
        const History history = with_calm_end(without_rejoining(played.history));
        LockstepPlayer player(played.stage, history, played.changes);
        play_with_late_shards(player, history);
        const auto states = states_at(player.lives(), history.ticks);
        const Recording recording = player.recording();
        for (std::size_t i = 0; i < recording.size(); ++i) {
            if (player.lives()[i].takes_frame_in(history.ticks) &&
                player.lives()[i].join.frames_hz == 0) {
                ClientView view(recording[i].id);
                for (const SentFrame& frame : recording[i].frames) {
                    expect_nothing(view.apply(frame));
                }
                RC_ASSERT(recording[i].frames.back().tick == history.ticks);
                RC_ASSERT(!recording[i].frames.back().border_stale);
                expect_true_view(view, player.lives()[i], states, played.stage.options,
                                 history.ticks);
            }
        }
    });
}

TEST_P(Isolation, NobodyIsLostWhicheverShardsAreLate) {
    check_cases(40, any_changing_case(GetParam()), [](const Case& played) {
        const History history = with_calm_end(without_rejoining(played.history));
        LockstepPlayer player(played.stage, history, played.changes);
        play_with_late_shards(player, history);
        const auto owners = expect_one_owner_at_most(player.zone());
        const auto states = states_at(player.lives(), history.ticks);
        RC_ASSERT(owners.size() == states.size());
        for (const auto& [id, state] : states) {
            RC_ASSERT(owners.contains(id));
        }
        RC_ASSERT(player.zone().entity_count() == states.size());
    });
}

TEST_P(Isolation, ShardsWithoutARegionAreGoneThreeTicksAfterTheLastLateShard) {
    check_cases(40, any_changing_case(GetParam()), [](const Case& played) {
        History history = with_calm_end(without_rejoining(played.history));
        LockstepPlayer player(played.stage, history, played.changes);
        play_with_late_shards(player, history);
        ++history.ticks;
        player.step();
        const shards::Layout layout = player.zone().layout();
        const std::vector<shards::ShardId> with_region(layout.shards().begin(),
                                                       layout.shards().end());
        RC_ASSERT(player.zone().running_shards() == with_region);
    });
}

const auto kSeveralShards = ::testing::Values(LayoutKind::two_by_two, LayoutKind::row_of_eight,
                                              LayoutKind::thin_strips, LayoutKind::random_cuts);
INSTANTIATE_TEST_SUITE_P(Layouts, Isolation, kSeveralShards,
                         [](const auto& layout) { return name_of(layout.param); });

}  // namespace
}  // namespace marchland::tests
