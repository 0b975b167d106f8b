#include "tools/trace/replay_port.h"

#include "engine/assert.h"
#include "shards/recording/frame_check.h"

namespace marchland::trace {

void ReplayPort::take_intents(shards::Intents& into) {
    if (intents_) {
        into = *std::exchange(intents_, std::nullopt);
    }
    if (std::exchange(succeeds_itself_, false)) {
        into.successor = shared_from_this();
    }
}

bool ReplayPort::put_frame(const engine::Frame& frame, const engine::EntityStore& entities,
                           const shards::FrameNotes& notes) {
    // In lockstep every shard has published before any reads.
    MARCHLAND_ASSERT(!notes.border_stale);
    append_events(frame, entities, events_);
    frame_check_ += shards::frame_check(frame, entities);
    return false;
}

}  // namespace marchland::trace
