#pragma once

#include "engine/assert.h"
#include "engine/ids.h"
#include "shards/entity_port.h"
#include "shards/layout/layout.h"
#include "shards/lockstep.h"
#include "shards/recording/frame_check.h"
#include "shards/recording/recording_reader.h"
#include "shards/zone.h"
#include "tools/trace/event_log.h"
#include "tools/trace/trace_run.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace marchland::trace {

/// How a recording is run; what is not given here is as it was.
struct ReplayOptions {
    std::optional<shards::Layout> layout;  ///< of the recording's world; for the whole run
    std::optional<std::string> index;      ///< one of engine::index_names()
};

/// Is the run what was recorded? Each tick of a recording has a check over all its frames.
struct ReplayVerdict {
    /// Recorded while some shard was late: may differ, and ticks after.
    std::uint64_t stale_ticks = 0;
    std::uint64_t differing_ticks = 0;
    std::optional<engine::Tick> first_stale;
    std::optional<engine::Tick> first_difference;
    std::optional<shards::RecordingError> cut;  ///< the recording breaks off here

    /// Something differs, and no late shard can be why.
    [[nodiscard]] bool is_wrong() const {
        return first_difference && (!first_stale || *first_difference < *first_stale);
    }
};

/// One life of a recorded entity: what was recorded goes into the zone again, and its
/// frames come back as the events of the tick.
///
/// Threads  As every port. The replay itself uses it between ticks only.
class ReplayPort final : public shards::EntityPort,
                         public std::enable_shared_from_this<ReplayPort> {
public:
    /// For the next tick. Once a tick: see has_inputs().
    void ask(const shards::Inputs& inputs) { inputs_ = inputs; }
    /// Beside what it asks for, in the next tick: it takes its own place, as a live port took
    /// another's.
    void succeed_itself() { succeeds_itself_ = true; }
    [[nodiscard]] bool has_inputs() const { return inputs_.has_value(); }
    [[nodiscard]] bool is_leaving() const { return inputs_ && inputs_->leave; }
    /// Whether its client could take a frame in the next tick.
    void set_takes_frame(bool takes_frame) { takes_frame_ = takes_frame; }

    /// The last tick's, and emptied by whoever has read them.
    [[nodiscard]] WatcherEvents& events() { return events_; }
    [[nodiscard]] std::uint64_t take_frame_check() { return std::exchange(frame_check_, 0); }
    [[nodiscard]] bool is_removed() const { return is_removed_; }

    void take_inputs(shards::Inputs& into) override {
        if (inputs_) into = *std::exchange(inputs_, std::nullopt);
        if (std::exchange(succeeds_itself_, false)) into.successor = shared_from_this();
    }
    [[nodiscard]] bool can_take_frame() const override { return takes_frame_; }
    bool put_frame(const engine::Frame& frame, const engine::EntityStore& entities,
                   const shards::FrameFlags& flags) override {
        // In lockstep every shard has published before any reads.
        MARCHLAND_ASSERT(!flags.border_stale);
        append_events(frame, entities, events_);
        frame_check_ += shards::frame_check(frame, entities);
        return false;
    }
    [[nodiscard]] std::uint32_t io_thread() const override { return 0; }
    void on_removed() override { is_removed_ = true; }

private:
    std::optional<shards::Inputs> inputs_;
    bool succeeds_itself_ = false;
    bool takes_frame_ = true;
    bool is_removed_ = false;
    std::uint64_t frame_check_ = 0;
    WatcherEvents events_;
};

/// A recording through a zone again, in lockstep: the ticks that were run, with their numbers, what
/// came in, and which clients could take a frame. Tick t is tick index t - 1 in the log.
///
/// Errors  The file is foreign: whatever makes no sense in its zone is refused at its byte.
/// Cost    A tick: that of the zone, and O(live entities).
class ReplayRun {
public:
    /// `reader` has been opened; it and `log` outlive it.
    ReplayRun(shards::RecordingReader& reader, ReplayOptions options, EventLog& log);

    /// Runs the next tick. False at the end. An error: nothing more can be run.
    std::variant<bool, shards::RecordingError> step();

    [[nodiscard]] std::uint64_t ticks_done() const { return ticks_done_; }
    /// The number of the newest, in the recording and in the live server's log.
    [[nodiscard]] engine::Tick tick() const { return tick_; }
    [[nodiscard]] std::uint64_t joins_done() const { return joins_done_; }
    [[nodiscard]] std::uint64_t inputs_done() const { return inputs_done_; }
    [[nodiscard]] std::uint64_t handoffs() const {
        return zone_ ? zone_->total(&shards::ShardMetrics::handoffs_total) : 0;
    }
    /// At the end of the run.
    [[nodiscard]] std::size_t shard_count() const { return zone_ ? zone_->shard_count() : 0; }
    [[nodiscard]] const ReplayVerdict& verdict() const { return verdict_; }

private:
    using Problem = std::optional<std::string>;
    struct Life {
        std::shared_ptr<ReplayPort> port;
        engine::Tick joined = engine::kNever;
        bool takes_frames = true;
    };

    // Each says why the record makes no sense. After a stale tick the zone may have given up a
    // watcher a little sooner or later than the live one: records of whom it does not know are left
    // out.
    Problem take(const shards::LayoutRecord& record);
    Problem take(const shards::TickBegin& record);
    Problem take(const shards::InputsRecord& record);
    Problem take(const shards::JoinRecord& record);
    Problem take(const shards::Unframed& record);
    Problem take(const shards::TickEnd& record);
    Problem take(const shards::NextPart&) { return std::nullopt; }
    Problem take(const shards::RecordingEnd&) { return std::nullopt; }
    Problem take(const shards::Gone&) { return std::nullopt; }  // no reader gives one

    [[nodiscard]] Problem problem_of(const engine::View& view) const;
    [[nodiscard]] Problem problem_of(const engine::NotifyRange& notify) const;
    [[nodiscard]] Problem problem_of(engine::Position at) const;
    [[nodiscard]] Problem problem_of(std::span<const engine::StateWrite> state) const;
    void make_zone(const shards::Layout& layout);
    std::uint64_t collect_frames();

    shards::RecordingReader& reader_;
    const ReplayOptions options_;
    EventLog& log_;
    shards::ZoneOptions zone_options_;
    NoOutlet outlet_;
    std::optional<shards::Zone> zone_;
    std::optional<shards::Lockstep> lockstep_;
    std::map<engine::EntityId, Life> lives_;             ///< ascending id: the order of the log
    std::vector<std::shared_ptr<ReplayPort>> unframed_;  ///< in this tick
    engine::Tick tick_ = engine::kNever;                 ///< the newest that was begun
    std::uint64_t ticks_done_ = 0;
    std::uint64_t joins_done_ = 0;
    std::uint64_t inputs_done_ = 0;
    ReplayVerdict verdict_;
};

}  // namespace marchland::trace
