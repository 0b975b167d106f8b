#include "shards/recording/shard_recorder.h"

#include "shards/recording/records.h"
#include "shards/state/keeper.h"

#include <utility>

namespace marchland::shards {

void ShardRecorder::begin_tick(engine::Tick now, const Pace& pace, std::uint64_t server_time_us) {
    is_recording_ = recorder_ != nullptr && recorder_->is_recording();
    is_keeping_ = keeper_ != nullptr && keeper_->is_keeping();
    tick_.shard = shard_;
    tick_.tick = now;
    tick_.pace = pace;
    tick_.server_time_us = server_time_us;
}

void ShardRecorder::take_inputs(engine::EntityId id, const Inputs& inputs, bool has_successor,
                                bool is_newcomer) {
    if (is_taking()) {
        tick_.has_arrivals = tick_.has_arrivals || inputs.leave;
        encode_inputs(id, inputs, has_successor, is_newcomer ? tick_.joins : tick_.inputs);
    }
}

void ShardRecorder::take_gone(engine::EntityId id) {
    if (is_keeping_) {
        tick_.has_arrivals = true;
        encode_gone(id, tick_.gone);
    }
}

void ShardRecorder::take_join(const engine::Entity& entity, bool takes_frames) {
    if (is_taking()) {
        tick_.has_arrivals = true;
        encode_join(entity, takes_frames, tick_.joins);
    }
}

void ShardRecorder::leave_unframed(engine::EntityId id) {
    if (is_recording_) {
        encode_unframed(id, tick_.unframed);
    }
}

void ShardRecorder::end_tick(bool is_stale, std::uint64_t frames_check) {
    if (!is_taking()) {
        return;
    }
    // The next tick is about as long.
    ShardTick next;
    next.inputs.reserve(tick_.inputs.size());
    next.joins.reserve(tick_.joins.size());
    next.unframed.reserve(tick_.unframed.size());
    tick_.is_stale = is_stale;
    tick_.frames_check = frames_check;
    if (is_keeping_) {
        ShardTick kept = is_recording_ ? tick_ : std::move(tick_);
        kept.unframed = {};
        keeper_->add(std::move(kept));
    }
    if (is_recording_) {
        tick_.gone = {};
        recorder_->add(std::move(tick_));
    }
    tick_ = std::move(next);
}

}  // namespace marchland::shards
