#pragma once

#include "engine/ids.h"

#include <vector>

namespace marchland::engine {

/// One entity that a watcher has been told of and that has not left since.
struct Known {
    EntityId id{};
    Tick birth = kNever;

    friend auto operator<=>(const Known&, const Known&) = default;
};

/// What a watcher knows: the set at its last frame. It travels with the watcher across borders.
///
/// Invariants
///  1. `members` is in strictly ascending id.
///  2. Every position that changed at or before `synced_tick` has been told to the watcher.
struct VisibleSet {
    std::vector<Known> members;
    Tick synced_tick = kNever;
};

}  // namespace marchland::engine
