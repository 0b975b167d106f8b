#pragma once

#include "engine/cap.h"
#include "engine/frame.h"
#include "engine/outlook.h"
#include "engine/scene.h"
#include "engine/watcher.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace marchland::engine {

/// Builds the frame of one watcher after another. Two passes, and neither sorts what was in order:
///
///   1. what it knows   in ascending id: who stays, who moved, who leaves and why
///   2. what is around  one query of the enter range, and the beacons near: who is there and did
///                      not stay has entered
///
/// The leave range is never queried: only what is known can be in it and matter, and pass 1 goes to
/// each of those directly.
///
/// Threads  One at a time. The Scene is only read, so several builders may work side by side, each
///          on watchers of its own.
/// Cost     O(known + found by the query), + O(e log e) for e that enter. No allocation once the
///          scratch memory and the watcher's set have reached their size.
class FrameBuilder {
public:
    /// The frame is this builder's scratch memory: valid until the next call. `candidates`: all that
    /// is in the enter range and maybe more, in ascending id; without them the index is asked. `cap`,
    /// if there is one, sends those away that have no chance to enter.
    Frame build(const Scene& scene, Slot slot, Watcher& watcher, bool complete,
                std::optional<std::span<const Slot>> candidates = {}, Cap* cap = nullptr);

    /// Of those that leave in the frame built last, whoever left the zone: in ascending id.
    [[nodiscard]] std::span<const Known> gone() const { return gone_; }

private:
    void settle_known(const Scene& scene, const Outlook& outlook, Watcher& watcher);
    /// Afterwards `entered_` is in ascending id if the candidates are, and there are no beacons.
    void find_entered(const Scene& scene, Slot slot, const Outlook& outlook,
                      std::optional<std::span<const Slot>> candidates);
    void note_entered(bool is_in_order);
    void find_beacons(const Scene& scene, Slot slot);
    void enter(const Entity& entity, Slot slot);

    std::vector<std::uint8_t> stays_;  ///< by slot; all 0 between two frames
    std::vector<Slot> found_;
    std::vector<Sighting> entered_;

    std::vector<Known> gone_;
    std::vector<Leave> leaves_;
    std::vector<Slot> enters_;
    std::vector<Slot> moves_;
};

}  // namespace marchland::engine
