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
    for (const engine::Slot slot : frame.enters) {
        events_.enters.push_back(entities.at(slot).id);
    }
    for (const engine::Leave& leave : frame.leaves) {
        events_.leaves.push_back(leave.id);
    }
    for (const engine::Slot slot : frame.moves) {
        events_.moves.push_back(entities.at(slot).id);
    }
    return false;
}

}  // namespace marchland::trace
