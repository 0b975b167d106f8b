#pragma once

#include "engine/frame/frame.h"
#include "engine/geometry.h"
#include "engine/ids.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace marchland::engine {

enum class EventKind : std::uint8_t { enter, move, leave, state };

/// One thing that one watcher is to be told at the end of a tick (docs/visibility.md).
struct AoiEvent {
    EventKind kind{};
    EntityId watcher{};
    EntityId target{};
    /// Where the target is. Of a leave all 0: where somebody is that the watcher does not see is
    /// nothing that should reach it by mistake.
    Position position;
    LeaveReason reason{};  ///< of a leave; else without meaning
    /// Of a move: by teleport(), so show it there, do not glide. Of one that limits held back: it
    /// teleported within the longest time that they may hold one back.
    bool jumped = false;
    /// Of an enter and a state: all bytes of the target's state, none if it has none. Valid until the
    /// next tick, whatever is changed until then.
    std::span<const std::byte> state = {};

    /// States by their bytes.
    friend bool operator==(const AoiEvent& a, const AoiEvent& b) {
        return a.kind == b.kind && a.watcher == b.watcher && a.target == b.target &&
               a.position == b.position && a.reason == b.reason && a.jumped == b.jumped &&
               std::ranges::equal(a.state, b.state);
    }
};

using EventSink = std::function<void(const AoiEvent&)>;

}  // namespace marchland::engine
