#include "tools/trace/trace_port.h"

#include "engine/assert.h"

#include <utility>

namespace marchland::trace {

void TracePort::take_intents(shards::Intents& into) {
    into = std::exchange(intents_, {});
}

bool TracePort::put_frame(const engine::Frame& frame, const engine::EntityStore& entities,
                          const shards::FrameNotes& notes) {
    // In lockstep every shard has published before any reads.
    MARCHLAND_ASSERT(!notes.border_stale);
    append_events(frame, entities, events_);
    return false;
}

}  // namespace marchland::trace
