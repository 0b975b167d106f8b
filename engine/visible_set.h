#pragma once

#include "engine/ids.h"

#include <cstdint>
#include <vector>

namespace marchland::engine {

/// One entity that a watcher has been told of and that has not left since.
struct Known {
    EntityId id{};
    Tick birth = kNever;

    friend auto operator<=>(const Known&, const Known&) = default;
};

/// One whose move is held back: for so many ticks, up to the last frame, an older place is known.
struct HeldBack {
    EntityId id{};
    std::uint32_t ticks = 0;

    friend bool operator==(const HeldBack&, const HeldBack&) = default;
};

/// Up to where the events of one source were told beyond synced_tick, in frames that did not know
/// all: they are not to be told again. Events that name the watcher are counted apart; of those, with a
/// source that nobody is, up to where it was told that some were lost; and not by name, up to where all count as told.
struct Heard {
    Known source;
    Tick tick = kNever;
    std::uint32_t number = 0;
    bool is_named = false;

    friend bool operator==(const Heard&, const Heard&) = default;
};

/// What a watcher knows: the set at its last frame. It travels with the watcher across borders.
///
/// Invariants
///  1. `members` is in strictly ascending id.
///  2. Every position that changed at or before `synced_tick` has been told to the watcher, but of
///     those in `held`, which are members, in strictly ascending id. So has every event.
struct VisibleSet {
    std::vector<Known> members;
    Tick synced_tick = kNever;
    std::vector<HeldBack> held = {};  ///< without limits on crowds nobody
    bool keyframe_due = false;        ///< its next frame is whole
    std::vector<Heard> heard = {};    ///< by source, bounded; while no shard is late nobody
    Tick told_tick = kNever;  ///< of its last frame, also where that missed some shard's news
};

}  // namespace marchland::engine
