#pragma once

#include "engine/assert.h"
#include "engine/geometry.h"
#include "engine/ids.h"
#include "shards/entity_port.h"
#include "shards/layout/layout.h"
#include "shards/lockstep.h"
#include "shards/zone.h"
#include "tools/trace/event_log.h"
#include "tools/trace_file/trace_file.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace marchland::trace {

/// How a trace is run. Lengths in thousandths of the trace's unit: the engine's millimetres.
struct RunOptions {
    std::int32_t radius_mm = 0;  ///< of every entity's view, enter and leave range alike
    /// An entity is removed this long after its last sample; without, it stays to the end.
    std::optional<std::int64_t> hold_ns;
    engine::Dimensions dimensions = engine::Dimensions::two;
    std::string index = "grid_cross_list";  ///< one of engine::index_names()
};

/// Is all of `inner` inside `outer`?
bool holds(const engine::Rect& outer, const engine::Rect& inner);

/// One entity of a trace, from its first sample to its removal: what the samples say goes into the
/// zone as inputs, and its frames come back as the events of the tick.
///
/// Threads  Lockstep runs the zone on the caller's thread, so nothing is shared.
class TracePort final : public shards::EntityPort {
public:
    void ask_move(engine::Position to) { inputs_.move = to; }
    void ask_leave() { inputs_.leave = true; }

    /// The last tick's; cleared by whoever has read them.
    [[nodiscard]] WatcherEvents& events() { return events_; }

    void take_inputs(shards::Inputs& into) override { into = std::exchange(inputs_, {}); }
    [[nodiscard]] bool can_take_frame() const override { return true; }
    bool put_frame(const engine::Frame& frame, const engine::EntityStore& entities,
                   const shards::FrameFlags& flags) override {
        // In lockstep every shard has published before any reads.
        MARCHLAND_ASSERT(!flags.border_stale);
        append_events(frame, entities, events_);
        return false;
    }
    [[nodiscard]] std::uint32_t io_thread() const override { return 0; }
    void on_removed() override {}

private:
    shards::Inputs inputs_;
    WatcherEvents events_;
};

/// Where frames would be sent; the ports keep what they need, so there is never anything to send.
class NoOutlet final : public shards::FrameOutlet {
public:
    [[nodiscard]] std::uint32_t io_thread_count() const override { return 1; }
    void post(std::uint32_t, std::span<const std::shared_ptr<shards::EntityPort>>) override {}
};

/// A recorded trace through a sharded zone, in lockstep. Every entity watches and is watched.
///
/// One distinct time of the trace is one tick of the zone:
///   1  every sample of that time is applied; an id without a life begins one
///   2  whoever's last sample is older than the hold leaves
///   3  the zone ticks; each live entity's view is compared with its view at the tick before
///   4  what the frames hold goes to the log, in ascending id
/// A removed watcher gets no frame any more. An id that comes again begins a new life, with an
/// empty view. In two dimensions z is not looked at, so a change of z alone is no move.
///
/// Cost   A tick: that of the zone, and O(live entities).
/// Needs  A layout whose world holds the trace's extent.
class TraceRun {
public:
    /// `trace` and `log` outlive it.
    TraceRun(const Trace& trace, const RunOptions& options, const shards::Layout& layout,
             EventLog& log);

    [[nodiscard]] bool is_done() const { return next_tick_ == trace_.ticks.size(); }
    /// Runs the next tick; not when it is done.
    void step();

    /// From the next tick on; over the same world as the layout before.
    void change_layout(shards::Layout layout) { lockstep_.change_layout(std::move(layout)); }

    [[nodiscard]] std::size_t ticks_done() const { return next_tick_; }
    /// Entities that went from one shard to another so far.
    [[nodiscard]] std::uint64_t handoffs() const {
        return zone_.total(&shards::ShardMetrics::handoffs_total);
    }
    [[nodiscard]] std::size_t shard_count() const { return zone_.shard_count(); }

private:
    struct Life {
        std::shared_ptr<TracePort> port;
        std::int64_t last_sample_ns = 0;
    };

    void apply(const TraceSample& sample, std::int64_t now_ns);
    void begin_life(engine::EntityId id, engine::Position at, std::int64_t now_ns);
    void remove_silent(std::int64_t now_ns);
    void log_events(std::size_t tick_index);

    const Trace& trace_;
    const RunOptions options_;
    EventLog& log_;
    NoOutlet outlet_;
    shards::Zone zone_;
    shards::Lockstep lockstep_;
    std::map<engine::EntityId, Life> lives_;  ///< ascending id: the order of the log
    /// Of this tick, with the last of their samples: they join once, where they are at its end.
    std::map<engine::EntityId, engine::Position> newborn_;
    std::size_t next_tick_ = 0;
};

}  // namespace marchland::trace
