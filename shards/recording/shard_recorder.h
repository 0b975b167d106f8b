#pragma once

#include "engine/entity.h"
#include "engine/ids.h"
#include "shards/entity_port.h"
#include "shards/ids.h"
#include "shards/recording/recorder.h"
#include "shards/recording/tick_merge.h"

#include <cstddef>
#include <cstdint>

namespace marchland::shards {

/// What one shard records of its tick. It does nothing where nobody records.
///
/// Order    begin_tick; take_inputs and take_join as they are taken; unframed; end_tick.
/// Threads  The shard's.
/// Cost     Off: a test of a pointer for each call. On: a few bytes for each intent, and one lock for
///          each tick.
class ShardRecorder {
public:
    /// `recorder` may be null: nobody records.
    ShardRecorder(ShardId shard, Recorder* recorder) : recorder_(recorder), shard_(shard) {}

    /// In this tick, between begin_tick and end_tick. Frames need a check only then.
    [[nodiscard]] bool is_recording() const { return is_recording_; }

    void begin_tick(engine::Tick now, const Pace& pace);
    /// The entity was owned before the tick.
    void take_inputs(engine::EntityId id, const Inputs& inputs, bool has_successor);
    void take_join(const engine::Entity& entity, bool takes_frames);
    /// The entity joined in this tick.
    void take_newcomer_inputs(engine::EntityId id, const Inputs& inputs, bool has_successor);
    /// A watcher got no frame.
    void leave_unframed(engine::EntityId id);
    /// `frames_check`: the sum of frame_check over the tick's frames.
    void end_tick(bool is_stale, std::uint64_t frames_check);

private:
    Recorder* const recorder_;
    const ShardId shard_;
    bool is_recording_ = false;
    ShardTick tick_;
};

}  // namespace marchland::shards
