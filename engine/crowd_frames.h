#pragma once

#include "engine/cap.h"
#include "engine/crowd_limits.h"
#include "engine/frame.h"
#include "engine/scene.h"
#include "engine/watcher.h"

#include <vector>

namespace marchland::engine {

/// Takes from a frame what the limits of a crowd leave out. FrameBuilder has built the frame as if
/// there were none; this is the step after it, for Spaces that have some.
///
///   the whole frame ── cap ──► whom the watcher sees
///
/// Threads  One at a time.
/// Cost     O(what the watcher knows), and nothing where no limit is reached. No allocation once the
///          lists have their sizes.
class CrowdFrames {
public:
    explicit CrowdFrames(const CrowdLimits& limits) : limits_(limits), cap_(limits) {}

    /// `whole` was built for this watcher just now. The frame that is to be told instead, which is
    /// scratch memory: valid until the next call. What the watcher knows is what it says.
    Frame limit(const Scene& scene, const Frame& whole, Watcher& watcher);

private:
    void leave_out(const Frame& whole, std::vector<Sighting>& known,
                   std::span<const std::size_t> left_out);

    const CrowdLimits limits_;
    Cap cap_;

    std::vector<Leave> capped_;
    std::vector<Leave> leaves_;
    std::vector<Slot> enters_;
    std::vector<Slot> moves_;
};

}  // namespace marchland::engine
