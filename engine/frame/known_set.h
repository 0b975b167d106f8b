#pragma once

#include "engine/frame/events.h"
#include "engine/ids.h"

#include <cstdint>
#include <vector>

namespace marchland::engine {

/// One entity that a watcher has been sent and that has not left since.
struct Known {
    EntityId id{};
    Tick birth = kNever;

    friend auto operator<=>(const Known&, const Known&) = default;
};

/// What limits on crowds kept from a watcher until now. Of entities that it knows, in strictly ascending id.
struct Waiting {
    /// For so many ticks, up to the last frame, an older place is known.
    struct Move {
        EntityId id{};
        std::uint32_t ticks = 0;

        friend bool operator==(const Move&, const Move&) = default;
    };
    /// Its state waits since the frame of that tick.
    struct State {
        EntityId id{};
        Tick since = kNever;
    };
    struct Event {
        EntityId source{};
        Tick birth = kNever;  ///< of the source
        KeptEvent event;
    };
    /// Events cost as in an EventLog; beyond this the oldest are lost.
    static constexpr std::size_t kEventBytesMax = 65'536;

    std::vector<Move> moves;
    std::vector<State> states;
    std::vector<Event> events;  ///< by tick, source, birth, number
    /// What the watcher may be sent, at the end of that tick; kNever: it had no frame yet.
    std::int64_t credit_bytes = 0;
    Tick credit_tick = kNever;
};

/// Up to where the events of one source were sent beyond synced_tick, in frames that did not know
/// all: they are not to be sent again. Events that name the watcher are counted apart; of those, with a
/// source that nobody is, up to where it was told that some were lost; and not by name, up to where all count as sent.
struct SentEvents {
    Known source;
    Tick tick = kNever;
    std::uint32_t number = 0;
    bool is_named = false;

    friend bool operator==(const SentEvents&, const SentEvents&) = default;
};

/// What a watcher knows: the set at its last frame. It travels with the watcher across borders.
///
/// Invariants
///  1. `members` is in strictly ascending id.
///  2. All that happened at or before `synced_tick` has been sent to the watcher, but what is `waiting`.
struct KnownSet {
    std::vector<Known> members;
    Tick synced_tick = kNever;
    Waiting waiting = {};       ///< without limits on crowds nothing
    bool keyframe_due = false;  ///< its next frame is whole
    std::vector<SentEvents> sent_events =
        {};                   ///< by source, bounded; while no shard is late nobody
    Tick sent_tick = kNever;  ///< of its last frame, also where that missed some shard's batches
};

}  // namespace marchland::engine
