#pragma once

#include "engine/entity.h"
#include "engine/ids.h"
#include "shards/entity_port.h"
#include "shards/ids.h"
#include "shards/recording/recorder.h"
#include "shards/recording/tick_merge.h"

#include <cstdint>

namespace marchland::shards {

class StateKeeper;

/// What one shard records of its tick: for a recording, and for the state that survives a restart. It does nothing
/// where there is neither.
///
/// Order    begin_tick; take_inputs, take_gone and take_join as they are taken; unframed; end_tick.
/// Threads  The shard's.
/// Cost     Off: a test of a pointer for each call. On: a few bytes for each input, and one lock for
///          each tick.
class ShardRecorder {
public:
    /// `recorder`, `keeper`: null where nobody records, or keeps a state.
    ShardRecorder(ShardId shard, Recorder* recorder, StateKeeper* keeper)
        : recorder_(recorder), keeper_(keeper), shard_(shard) {}

    /// In this tick, between begin_tick and end_tick. Frames need a check only then.
    [[nodiscard]] bool is_recording() const { return is_recording_; }

    void begin_tick(engine::Tick now, const Pace& pace, std::uint64_t server_time_us);
    /// `is_newcomer`: it joined in this tick; else it was owned before.
    void take_inputs(engine::EntityId id, const Inputs& inputs, bool has_successor,
                     bool is_newcomer);
    /// It was owned before the tick, and leaves the zone though nobody asked for that.
    void take_gone(engine::EntityId id);
    void take_join(const engine::Entity& entity, bool takes_frames);
    /// A watcher got no frame.
    void leave_unframed(engine::EntityId id);
    /// `frames_check`: the sum of frame_check over the tick's frames.
    void end_tick(bool is_stale, std::uint64_t frames_check);

private:
    [[nodiscard]] bool is_taking() const { return is_recording_ || is_keeping_; }

    Recorder* const recorder_;
    StateKeeper* const keeper_;
    const ShardId shard_;
    bool is_recording_ = false;
    bool is_keeping_ = false;
    ShardTick tick_;
};

}  // namespace marchland::shards
