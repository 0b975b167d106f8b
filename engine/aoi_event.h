#pragma once

#include "engine/frame.h"
#include "engine/geometry.h"
#include "engine/ids.h"

#include <cstdint>
#include <functional>

namespace marchland::engine {

enum class EventKind : std::uint8_t { enter, move, leave };

/// One thing that one watcher is to be told at the end of a tick (docs/visibility.md).
struct AoiEvent {
    EventKind kind{};
    EntityId watcher{};
    EntityId target{};
    /// Of an enter and a move: where the target is. Of a leave all 0: where somebody is that the
    /// watcher does not see is nothing that should reach it by mistake.
    Position position;
    LeaveReason reason{};  ///< of a leave; else without meaning
    /// Of a move: by teleport(), so show it there, do not glide. Of one that limits held back: it
    /// teleported within the longest time that they may hold one back.
    bool jumped = false;

    friend bool operator==(const AoiEvent&, const AoiEvent&) = default;
};

using EventSink = std::function<void(const AoiEvent&)>;

}  // namespace marchland::engine
