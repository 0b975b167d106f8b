#pragma once

#include "engine/frame.h"
#include "engine/watcher.h"

#include <vector>

namespace marchland::engine {

/// Tells all that a watcher sees instead of what is new of it: for a client that has lost track, or
/// that came back. Only how it is told changes; the visible set, with its hysteresis, is the one that
/// the difference would have led to.
///
/// Threads  One at a time.
/// Cost     O(what the watcher knows).
class Keyframe {
public:
    /// `difference` was built for this watcher just now, and is what it knows; a frame is due that is
    /// whole. Scratch memory: valid until the next call.
    Frame whole(const Frame& difference, Watcher& watcher);

private:
    std::vector<Slot> enters_;
};

}  // namespace marchland::engine
