#include "tests/properties/threads_player.h"

#include "engine/assert.h"
#include "shards/zone_threads.h"
#include "tests/properties/scripted_port.h"
#include "tests/properties/shaky_transport.h"
#include "tests/shards/event_count.h"

#include <algorithm>
#include <functional>
#include <iostream>
#include <memory>
#include <set>

namespace marchland::tests {

namespace {

using engine::Tick;
using shards::ShardId;

constexpr std::uint32_t kForEverMs = 3'600'000;

/// Of an entity in each shard that nobody sees and that sees nobody: its (empty) frames say which
/// ticks the shard ran, and before which of them it always had all batches. In one without, frames
/// that are not marked may lack who comes out of late ground, and what changed is sent again after
/// it.
class Witness final : public RecordingPort {
public:
    explicit Witness(const shards::ShardMetrics& metrics) : metrics_(metrics) {}

    bool put_frame(const engine::Frame& frame, const engine::EntityStore& entities,
                   const shards::FrameFlags& flags) override {
        if (metrics_.stale_border_ticks_total == 0) {  // this one is not counted yet
            exact_before_ = frame.tick;
        }
        return RecordingPort::put_frame(frame, entities, flags);
    }
    [[nodiscard]] Tick exact_before() const { return exact_before_; }

private:
    const shards::ShardMetrics& metrics_;
    Tick exact_before_ = 1;
};

std::vector<std::shared_ptr<Witness>> add_witnesses(shards::Zone& zone) {
    std::vector<std::shared_ptr<Witness>> witnesses;
    const shards::Layout layout = zone.layout();
    for (const ShardId shard : layout.shards()) {
        const engine::Rect& area = layout.region(shard).area;
        engine::Entity entity;
        entity.id = static_cast<engine::EntityId>(1'000 + to_number(shard));
        entity.position = {static_cast<std::int32_t>(area.min_x),
                           static_cast<std::int32_t>(area.min_y), 0};
        entity.layers = engine::kNoLayers;
        witnesses.push_back(std::make_shared<Witness>(zone.metrics(shard)));
        const bool has_joined = zone.join({entity, witnesses.back()});
        MARCHLAND_ASSERT(has_joined);
    }
    return witnesses;
}

/// The first tick up to `ticks` that some shard did not run, or of which nobody can say that it had
/// all batches; ticks + 1 when there is none.
Tick first_missing(const std::vector<std::shared_ptr<Witness>>& witnesses, Tick ticks) {
    Tick first = ticks + 1;
    for (const auto& witness : witnesses) {
        Tick expected = 1;
        for (const SentFrame& frame : witness->frames) {
            if (frame.tick != expected || frame.tick >= witness->exact_before()) {
                break;
            }
            ++expected;
        }
        first = std::min(first, expected);
    }
    return first;
}

/// A zone on threads with everybody of a history in it.
class ThreadsStage {
public:
    ThreadsStage(const Stage& stage, const History& history,
                 const shards::Zone::MakeTransport& make_transport)
        : lives_(lives_of(history)),
          zone_(on_threads(stage.options), stage.layout, outlet_, nullptr, {}, make_transport) {
        for (const Life& life : lives_) {
            MARCHLAND_ASSERT(life.joined == 1);
            ports_.push_back(
                std::make_shared<ScriptedPort>(life, history.ticks, [this] { finished_.add(); }));
            const bool has_joined =
                zone_.join({entity_of(life), ports_.back(), life.join.takes_frames});
            MARCHLAND_ASSERT(has_joined);
        }
    }

    [[nodiscard]] shards::Zone& zone() { return zone_; }

    /// Calls `meanwhile` once the threads run, and returns when everybody is done.
    void play(const std::function<void(shards::ZoneThreads&)>& meanwhile) {
        shards::ZoneThreads threads(zone_,
                                    [](const std::string& what) { std::cerr << what << '\n'; });
        threads.start();
        meanwhile(threads);
        const bool is_finished = finished_.wait_for(lives_.size());
        threads.stop();
        MARCHLAND_ASSERT(is_finished);
    }

    [[nodiscard]] Recording recording() const {
        Recording recording;
        for (const auto& port : ports_) {
            recording.push_back(port->stream());
        }
        return recording;
    }

    /// Every shard ran every tick, with all batches of that tick.
    [[nodiscard]] bool was_exact() {
        std::uint64_t flaws = 0;
        for (std::size_t i = 0; i < shards::kShardsMax; ++i) {
            const shards::ShardMetrics& metrics = zone_.metrics(static_cast<ShardId>(i));
            flaws += metrics.ticks_skipped_total + metrics.stale_border_ticks_total;
        }
        return flaws == 0;
    }

private:
    static shards::ZoneOptions on_threads(shards::ZoneOptions options) {
        options.border_wait_ms_max = kForEverMs;
        return options;
    }

    const std::vector<Life> lives_;
    SilentOutlet outlet_;
    EventCount finished_;
    std::vector<std::shared_ptr<ScriptedPort>> ports_;
    shards::Zone zone_;
};

ThreadedRun play(const Stage& stage, const History& history,
                 const shards::Zone::MakeTransport& make_transport) {
    ThreadsStage run(stage, history, make_transport);
    const auto witnesses = add_witnesses(run.zone());
    run.play([](shards::ZoneThreads&) {});
    return {run.recording(), first_missing(witnesses, history.ticks)};
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
        result.acts.push_back({act.tick, act.actor, TurnTo{join->facing}});
        result.acts.push_back({act.tick, act.actor, SetNotify{join->notify}});
        result.acts.push_back({act.tick, act.actor, SetLayers{join->layers}});
    }
    std::ranges::stable_sort(result.acts, {}, &Act::tick);
    return result;
}

ThreadedRun play_on_threads(const Stage& stage, const History& history) {
    return play(stage, history, nullptr);
}

ThreadedRun play_on_shaky_threads(const Stage& stage, const History& history, std::uint64_t seed) {
    return play(stage, history, [seed](std::size_t ticks_behind_max) {
        return std::make_unique<ShakyTransport>(ticks_behind_max, seed);
    });
}

ThreadedRun play_on_changing_threads(const Stage& stage, const History& history,
                                     const Relayouts& changes) {
    ThreadsStage run(stage, history, nullptr);
    run.play([&](shards::ZoneThreads& threads) {
        for (const Relayout& change : changes) {
            threads.change_layout(change.layout);
        }
    });
    return {run.recording(), run.was_exact() ? history.ticks + 1 : 1};
}

}  // namespace marchland::tests
