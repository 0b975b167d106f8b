#include "tests/properties/threads_player.h"

#include "engine/assert.h"
#include "shards/zone_threads.h"
#include "tests/properties/scripted_port.h"
#include "tests/shards/event_count.h"

#include <algorithm>
#include <iostream>
#include <memory>
#include <set>

namespace marchland::tests {

namespace {

using engine::Tick;
using shards::ShardId;

/// Fast enough for a test, slow enough that a busy machine seldom skips a tick.
constexpr std::uint32_t kTickRateHz = 100;
constexpr std::uint32_t kForEverMs = 3'600'000;

/// An entity in each shard that nobody sees and that sees nobody: its (empty) frames say which
/// ticks the shard ran.
std::vector<std::shared_ptr<RecordingPort>> add_beacons(shards::Zone& zone) {
    std::vector<std::shared_ptr<RecordingPort>> beacons;
    for (std::size_t i = 0; i < zone.shard_count(); ++i) {
        const engine::Rect& area = zone.layout().region(static_cast<ShardId>(i)).area;
        engine::Entity entity;
        entity.id = static_cast<engine::EntityId>(1'000 + i);
        entity.position = {static_cast<std::int32_t>(area.min_x),
                           static_cast<std::int32_t>(area.min_y), 0};
        entity.layers = engine::kNoLayers;
        beacons.push_back(std::make_shared<RecordingPort>());
        const bool has_joined = zone.join({entity, beacons.back()});
        MARCHLAND_ASSERT(has_joined);
    }
    return beacons;
}

/// The first tick up to `ticks` that one of the beacons did not see; ticks + 1 when they saw all.
Tick first_missing(const std::vector<std::shared_ptr<RecordingPort>>& beacons, Tick ticks) {
    Tick first = ticks + 1;
    for (const auto& beacon : beacons) {
        Tick expected = 1;
        for (const ToldFrame& frame : beacon->frames) {
            if (frame.tick != expected) {
                break;
            }
            ++expected;
        }
        first = std::min(first, expected);
    }
    return first;
}

}  // namespace

History with_all_joins_first(const History& history) {
    History result{history.ticks, {}};
    std::set<std::size_t> there;
    std::set<std::size_t> left;
    for (const Act& act : history.acts) {
        const auto* join = std::get_if<JoinZone>(&act.deed);
        if (left.contains(act.actor) || there.contains(act.actor) == (join != nullptr)) {
            continue;
        }
        if (join == nullptr) {
            result.acts.push_back(act);
            if (std::holds_alternative<LeaveZone>(act.deed)) {
                left.insert(act.actor);
            }
            continue;
        }
        there.insert(act.actor);
        const JoinZone asleep{
            join->at, {}, {engine::kNoLayers, engine::kNoLayers}, join->takes_frames};
        result.acts.push_back({1, act.actor, asleep});
        result.acts.push_back({act.tick, act.actor, SetView{join->view}});
        result.acts.push_back({act.tick, act.actor, SetLayers{join->layers}});
    }
    std::ranges::stable_sort(result.acts, {}, &Act::tick);
    return result;
}

ThreadedRun play_on_threads(const Stage& stage, const History& history) {
    shards::ZoneOptions options = stage.options;
    options.tick_rate_hz = kTickRateHz;
    options.border_wait_ms_max = kForEverMs;
    SilentOutlet outlet;
    shards::Zone zone(options, stage.layout, outlet);

    const std::vector<Life> lives = lives_of(history);
    EventCount finished;
    std::vector<std::shared_ptr<ScriptedPort>> ports;
    for (const Life& life : lives) {
        MARCHLAND_ASSERT(life.joined == 1);
        ports.push_back(
            std::make_shared<ScriptedPort>(life, history.ticks, [&finished] { finished.add(); }));
        const bool has_joined = zone.join({entity_of(life), ports.back(), life.join.takes_frames});
        MARCHLAND_ASSERT(has_joined);
    }
    const auto beacons = add_beacons(zone);

    shards::ZoneThreads threads(zone, [](const std::string& what) { std::cerr << what << '\n'; });
    threads.start();
    const bool is_finished = finished.wait_for(lives.size());
    threads.stop();
    MARCHLAND_ASSERT(is_finished);

    ThreadedRun run;
    for (const auto& port : ports) {
        run.recording.push_back(port->stream());
    }
    run.first_skipped = first_missing(beacons, history.ticks);
    return run;
}

}  // namespace marchland::tests
