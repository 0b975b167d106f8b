#pragma once

#include "engine/frame/game_messages.h"
#include "engine/ids.h"
#include "engine/state.h"

#include <cstdint>
#include <vector>

namespace marchland::engine {

/// One entity that a watcher has been sent and that has not left since.
using Known = Life;

/// What limits on crowds kept from a watcher until now.
struct Waiting {
    /// For so many ticks, up to the last frame, an older place is known.
    struct Move {
        EntityId id{};
        std::uint32_t ticks = 0;
        std::uint32_t candidate = 0;  ///< which one it was in some frame before: looked at first

        friend bool operator==(const Move& a, const Move& b) {
            return a.id == b.id && a.ticks == b.ticks;
        }
    };
    struct Message {
        EntityId source{};
        Tick birth = kNever;  ///< of the source
        KeptMessage message;
    };
    /// Messages cost as in a MessageLog; beyond this the oldest are lost.
    static constexpr std::size_t kMessageBytesMax = 65'536;

    std::vector<Move> moves;        ///< of entities that it knows, in strictly ascending id
    std::vector<Message> messages;  ///< by tick, source, birth, number
    /// What the watcher may be sent, at the end of that tick; kNever: it had no frame yet.
    std::int64_t credit_bytes = 0;
    Tick credit_tick = kNever;
};

/// Slots of an entity that a watcher was not sent, though it is to have them: for want of room, or
/// until it is in their audience.
struct Owed {
    EntityId id{};
    StateMask slots = 0;
    /// The tick of the first frame without room for them; kNever: there was room.
    Tick since = kNever;
};

/// Up to where the messages of one source were sent beyond synced_tick, in frames that did not know
/// all: they are not to be sent again. The source {0, kNever} stands for all: up to there
/// everything counts as sent.
struct SentMessages {
    Known source;
    Tick tick = kNever;
    std::uint32_t number = 0;
};

/// What a watcher knows: the set at its last frame. It travels with the watcher across borders.
///
/// Invariants
///  1. `members` is in strictly ascending id.
///  2. All that happened at or before `synced_tick` has been sent to the watcher, but what is
///     `waiting` and `owed`.
struct KnownSet {
    std::vector<Known> members;
    Tick synced_tick = kNever;
    Waiting waiting = {};         ///< without limits on crowds nothing
    std::vector<Owed> owed = {};  ///< in strictly ascending id
    bool keyframe_due = false;    ///< its next frame is whole
    std::vector<SentMessages> sent_messages =
        {};                   ///< by source, bounded; while no shard is late nobody
    Tick sent_tick = kNever;  ///< of its last frame, also where that missed some shard's batches
};

}  // namespace marchland::engine
