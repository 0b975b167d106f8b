// A zone that ends at any tick and starts again: what comes back is what was true when it was
// written last, and what clients are sent from then on follows from that and from the contract
// alone, whatever the layout before and after.

#include "engine/assert.h"
#include "shards/state/keeper.h"
#include "tests/properties/contract.h"
#include "tests/properties/dice.h"
#include "tests/properties/lockstep_player.h"
#include "tests/properties/oracle.h"
#include "tests/properties/property_case.h"
#include "tests/tools/trace_scratch_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <variant>
#include <vector>

namespace marchland::tests {
namespace {

using engine::Tick;
using shards::KeptZone;

constexpr auto kNotWhileItRuns = std::chrono::hours{1};

/// Each actor once: a zone that keeps its state gives no id twice.
Case with_each_actor_once(Case played) {
    std::set<std::size_t> gone;
    std::erase_if(played.history.acts, [&](const Act& act) {
        const bool is_over = gone.contains(act.actor);
        if (std::holds_alternative<LeaveZone>(act.deed)) {
            gone.insert(act.actor);
        }
        return is_over;
    });
    return played;
}

std::unique_ptr<shards::StateStore> open_store(const Stage& stage,
                                               const std::filesystem::path& directory) {
    auto opened = shards::StateStore::open(directory, {.slots = stage.options.slots});
    MARCHLAND_ASSERT(std::holds_alternative<std::unique_ptr<shards::StateStore>>(opened));
    return std::get<std::unique_ptr<shards::StateStore>>(std::move(opened));
}

KeptZone load(shards::StateStore& store) {
    auto kept = store.load();
    MARCHLAND_ASSERT(std::holds_alternative<KeptZone>(kept));
    return std::get<KeptZone>(std::move(kept));
}

std::unique_ptr<shards::StateKeeper> make_keeper(const Stage& stage,
                                                 const std::filesystem::path& directory,
                                                 std::chrono::milliseconds arrivals) {
    auto store = open_store(stage, directory);
    KeptZone before = load(*store);
    before.next_id = std::numeric_limits<std::uint64_t>::max() / 2;  // any id may be used
    shards::KeeperOptions options;
    options.checkpoint = options.ticks_together = kNotWhileItRuns;
    options.arrivals = arrivals;
    return std::make_unique<shards::StateKeeper>(std::move(store), std::move(before), options);
}

/// Plays up to the tick `written`, of which all but moves is written, and is killed: what that
/// leaves.
KeptZone play_until_killed_before_a_checkpoint(const Case& played,
                                               const trace::ScratchFolder& folder, Tick written) {
    const std::filesystem::path directory = folder.file("state");
    const auto keeper = make_keeper(played.stage, directory, std::chrono::milliseconds(0));
    shards::ZoneStart start;
    start.keeper = keeper.get();
    LockstepPlayer player(played.stage, played.history, played.changes, {start});
    while (player.tick() < written) {
        player.step();
    }
    // Once this session is written so is all before it.
    keeper->open({{shards::SessionKey::Kind::service, 1}, "", "", 1});
    KeptZone kept;
    do {
        auto opened =
            shards::StateStore::open_to_read(directory, {.slots = played.stage.options.slots});
        kept = load(*std::get<std::unique_ptr<shards::StateStore>>(opened));
    } while (kept.sessions.empty() || kept.sessions.back().key.number != 1 ||
             kept.sessions.back().key.kind != shards::SessionKey::Kind::service);
    kept.sessions.pop_back();
    return kept;
}

/// Plays up to the tick `written`, which is the last one that is written, and on to the tick
/// `killed`, as clients see.
Recording play_until_killed(const Case& played, const std::filesystem::path& directory,
                            Tick written, Tick killed) {
    const auto made = make_keeper(played.stage, directory, kNotWhileItRuns);
    shards::StateKeeper& keeper = *made;
    shards::ZoneStart start;
    start.keeper = &keeper;
    LockstepPlayer player(played.stage, played.history, played.changes, {start});
    while (player.tick() < written) {
        player.step();
    }
    RC_ASSERT(keeper.finish());
    while (player.tick() < killed) {
        player.step();
    }
    return player.recording();
}

/// The history after that tick, in a zone that starts after another one: whoever is there joins in
/// the first tick, as it is, and is sent everything.
History after(const History& history, Tick tick, Tick started_after) {
    const Tick shift = started_after - tick;
    History rest{history.ticks + shift, {}};
    const auto add = [&](std::size_t actor, Deed deed) {
        rest.acts.push_back({started_after + 1, actor, std::move(deed)});
    };
    for (const Life& life : lives_of(history)) {
        if (!life.is_there(tick)) {
            continue;
        }
        const State state = state_at(life, tick);
        JoinZone join = life.join;
        join.at = state.at;
        join.is_restored = true;
        join.view = state.view;
        join.layers = state.layers;
        join.facing = state.facing;
        join.notify = state.notify;
        add(life.actor, join);
        for (std::uint8_t slot = 0; slot < kFacingSlot; ++slot) {
            const auto value = state.slots.find(slot);
            add(life.actor, SetState{slot, value == state.slots.end() ? 0 : value->second});
        }
        add(life.actor, AskKeyframe{});
        add(life.actor, SetStalled{life.is_stalled[tick]});
    }
    for (const Act& act : history.acts) {
        if (act.tick > tick) {
            rest.acts.push_back({act.tick + shift, act.actor, act.deed});
        }
    }
    return rest;
}

enum class Places : std::uint8_t { of_that_tick, of_some_tick };

bool was_there(const engine::Entity& entity, const Life& life, Tick tick) {
    const State state = state_at(life, tick);
    return entity.position == state.at && entity.facing == state.facing;
}

void expect_back(const KeptZone& kept, const std::vector<Life>& lives, Tick tick,
                 Places places = Places::of_that_tick) {
    std::map<engine::EntityId, const Life*> there;
    for (const Life& life : lives) {
        if (life.is_there(tick)) {
            there.emplace(life.id(), &life);
        }
    }
    RC_ASSERT(kept.tick == tick);
    RC_ASSERT(kept.entities.size() == there.size());
    RC_ASSERT(kept.sessions.size() == there.size());
    for (const shards::KeptEntity& one : kept.entities) {
        const engine::Entity& entity = one.entity;
        RC_ASSERT(there.contains(entity.id));
        const Life& life = *there.at(entity.id);
        const State state = state_at(life, tick);
        RC_ASSERT(entity.birth == life.joined);
        RC_ASSERT(one.takes_frames == life.join.takes_frames);
        RC_ASSERT(entity.kind == entity_of(life).kind);
        Tick seen = tick;
        while (places == Places::of_some_tick && seen > life.joined &&
               !was_there(entity, life, seen)) {
            --seen;
        }
        RC_ASSERT(was_there(entity, life, seen));
        RC_ASSERT(entity.view == state.view);
        RC_ASSERT(entity.notify == state.notify);
        RC_ASSERT(entity.layers == state.layers.layers);
        RC_ASSERT(entity.layers_seen == state.layers.layers_seen);
        for (std::uint8_t slot = 0; slot < kFacingSlot; ++slot) {
            const auto value = state.slots.find(slot);
            const engine::StateValue* const back = engine::value_of(entity.state, slot);
            RC_ASSERT((back == nullptr ? 0 : number_in(*back)) ==
                      (value == state.slots.end() ? 0 : value->second));
        }
    }
}

class Restarted : public ::testing::TestWithParam<LayoutKind> {};

TEST_P(Restarted, EverybodyIsBackAndIsSentWhatIsTrue) {
    std::size_t back = 0;
    check_cases(30, any_changing_case(GetParam()), [&](const Case& any) {
        const Case played = with_each_actor_once(any);
        Dice dice(played.history.acts.size());
        const auto last = static_cast<std::int64_t>(played.history.ticks);
        const auto written = static_cast<Tick>(dice.between(1, last - 1));
        const auto killed =
            static_cast<Tick>(dice.between(static_cast<std::int64_t>(written), last));
        const trace::ScratchFolder folder;
        const Recording before = play_until_killed(played, folder.file("state"), written, killed);

        Restart restart;
        const KeptZone kept = load(*open_store(played.stage, folder.file("state")));
        expect_back(kept, lives_of(played.history), written);
        const auto started_after =
            static_cast<Tick>(dice.between(static_cast<std::int64_t>(killed), last + 9));
        restart.start.tick = started_after;
        restart.start.server_time_us = kept.server_time_us;
        restart.entities = kept.entities;
        back += kept.entities.size();
        // In the layout that was in force, or in another one that its operator had written
        // meanwhile.
        Stage stage = played.stage;
        if (dice.chance(50)) {
            auto layout = shards::Layout::from_regions(stage.options.world, kept.layout);
            RC_ASSERT(std::holds_alternative<shards::Layout>(layout));
            stage.layout = std::get<shards::Layout>(std::move(layout));
        }
        const History rest = after(played.history, written, started_after);
        Relayouts changes = played.changes;
        for (Relayout& change : changes) {
            change.tick += change.tick > written ? started_after - written : 0;
        }
        LockstepPlayer player(stage, rest, changes, std::move(restart));
        while (!player.is_finished()) {
            player.step();
        }
        const Recording actual = player.recording();
        expect_nothing(first_difference(play_by_the_contract(stage, rest), actual));

        // To a client that read what it was sent until then, and goes on.
        for (const Stream& stream : actual) {
            Stream whole = stream;
            for (const Stream& earlier : before) {
                if (earlier.id == stream.id &&
                    earlier.joined <= written) {  // else it is another one
                    whole.frames.insert(whole.frames.begin(), earlier.frames.begin(),
                                        earlier.frames.end());
                }
            }
            expect_nothing(find_flaw(whole));
        }
    });
    EXPECT_GT(back, 0U);
}

TEST_P(Restarted, BetweenTwoCheckpointsAllButPlacesIsOfOneTick) {
    check_cases(10, any_changing_case(GetParam()), [&](const Case& any) {
        const Case played = with_each_actor_once(any);
        Dice dice(played.history.acts.size());
        const auto last = static_cast<std::int64_t>(played.history.ticks);
        const auto written = static_cast<Tick>(dice.between(1, last - 1));
        const trace::ScratchFolder folder;
        expect_back(play_until_killed_before_a_checkpoint(played, folder, written),
                    lives_of(played.history), written, Places::of_some_tick);
    });
}

INSTANTIATE_TEST_SUITE_P(Layouts, Restarted, ::testing::ValuesIn(kAllLayoutKinds),
                         [](const auto& layout) { return name_of(layout.param); });

}  // namespace
}  // namespace marchland::tests
