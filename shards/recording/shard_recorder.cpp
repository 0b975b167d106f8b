#include "shards/recording/shard_recorder.h"

#include "shards/recording/encode.h"

#include <utility>

namespace marchland::shards {

void ShardRecorder::begin_tick(engine::Tick now, const Pace& pace) {
    is_recording_ = recorder_ != nullptr && recorder_->is_recording();
    tick_.shard = shard_;
    tick_.tick = now;
    tick_.pace = pace;
}

void ShardRecorder::take_inputs(engine::EntityId id, const Inputs& inputs, bool has_successor) {
    if (is_recording_) {
        encode_inputs(id, inputs, has_successor, tick_.inputs);
    }
}

void ShardRecorder::take_join(const engine::Entity& entity, bool takes_frames) {
    if (is_recording_) {
        encode_join(entity, takes_frames, tick_.joins);
    }
}

void ShardRecorder::take_newcomer_inputs(engine::EntityId id, const Inputs& inputs,
                                         bool has_successor) {
    if (is_recording_) {
        encode_inputs(id, inputs, has_successor, tick_.joins);
    }
}

void ShardRecorder::leave_unframed(engine::EntityId id) {
    if (is_recording_) {
        encode_unframed(id, tick_.unframed);
    }
}

void ShardRecorder::end_tick(bool is_stale, std::uint64_t frames_check) {
    if (!is_recording_) {
        return;
    }
    // The next tick is about as long.
    ShardTick next;
    next.inputs.reserve(tick_.inputs.size());
    next.joins.reserve(tick_.joins.size());
    next.unframed.reserve(tick_.unframed.size());
    tick_.is_stale = is_stale;
    tick_.frames_check = frames_check;
    recorder_->add(std::exchange(tick_, std::move(next)));
}

}  // namespace marchland::shards
