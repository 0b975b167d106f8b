#pragma once

#include "engine/byte_budget.h"
#include "engine/cap.h"
#include "engine/crowd_limits.h"
#include "engine/frame.h"
#include "engine/scene.h"
#include "engine/watcher.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace marchland::engine {

/// Takes from a frame what the limits of a crowd leave out. FrameBuilder has built the frame as if
/// there were none; this is the step after it, for Spaces that have some.
///
///   the whole frame ── cap ──► whom the watcher sees ── rings ──► which moves are due
///                             ── budget ──► which of them are told
///
/// Threads  One at a time.
/// Cost     O(what the watcher knows), and nothing where no limit is reached. No allocation once the
///          lists have their sizes.
class CrowdFrames {
public:
    explicit CrowdFrames(const CrowdLimits& limits) : limits_(limits), cap_(limits) {}

    /// What the whole frame is to be built with (FrameBuilder::build); null: there is no cap.
    [[nodiscard]] Cap* cap() { return limits_.has_cap() ? &cap_ : nullptr; }

    // Two steps, and whatever adds to a frame comes between them. What they return is to be told
    // instead; it is scratch memory, valid until the next frame. What the watcher knows is what it says.

    /// `whole` was built for this watcher just now.
    Frame keep_nearest(const Scene& scene, const Frame& whole, Watcher& watcher);
    /// The watcher had been told all (but what was held back) up to the end of `told_until`.
    Frame hold_back(const Scene& scene, const Frame& nearest, Watcher& watcher, Tick told_until,
                    bool complete);

private:
    /// A member that moved since the watcher was told where it is.
    struct Pending {
        std::size_t place = 0;  ///< in what the watcher knows
        std::uint32_t age_ticks = 0;
        bool is_due = false;
        bool is_told = false;
    };

    void apply_cap(const Scene& scene, Frame& told, Watcher& watcher);
    void find_pending(const Scene& scene, const Frame& told, const std::vector<Sighting>& known,
                      Tick told_until);
    void fit_budget(const Scene& scene, Frame& told, const std::vector<Sighting>& known);
    void tell_due(Frame& told, std::vector<Sighting>& known, bool complete);
    void leave_out(const Frame& whole, std::vector<Sighting>& known,
                   std::span<const std::size_t> left_out);

    const CrowdLimits limits_;
    Cap cap_;

    std::vector<Leave> capped_;
    std::vector<Leave> leaves_;
    std::vector<Slot> enters_;
    std::vector<Slot> moves_;
    std::vector<Pending> pending_;
    std::vector<DueMove> due_;
    std::vector<std::uint8_t> were_held_;  ///< beside moves_
};

}  // namespace marchland::engine
