#pragma once

#include "engine/entity.h"
#include "engine/entity_store.h"
#include "engine/frame/game_messages.h"
#include "engine/ids.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace marchland::engine {

/// What was sent lately to those who see one life of an entity. Kept for watchers that take no
/// frame in every tick; older messages give way to newer ones, but none to one of its own tick.
/// Immutable: a shard and its neighbours' ghosts point at one.
///
/// Invariants
///  1. `messages` is in ascending (tick, number).
///  2. All messages of the newest tick are here, whatever they cost: so whoever takes a frame in
///     every tick misses nothing. With the older ones, if any, they cost at most kBytesMax.
///  3. All messages after `lost_tick` are here, and none that was sent before it.
struct MessageLog {
    static constexpr std::size_t kBytesMax = 16'384;

    std::vector<KeptMessage> messages;
    Tick lost_tick = kNever;  ///< of the newest message that gave way

    [[nodiscard]] Tick newest_tick() const {
        return messages.empty() ? kNever : messages.back().tick;
    }
};

using MessageLogPtr = std::shared_ptr<const MessageLog>;

/// What one life sent lately, for an InterestSystem that is to know it too: all that is kept, not
/// only what is new.
struct EntityMessages {
    Life life;
    MessageLogPtr log;  ///< not null
};

/// Which lives sent messages lately? Most never have: so it is kept apart from their records, and a
/// frame that finds nothing new here looks no further.
///
/// It is kept by life, not by place: of one that is gone, for those who are still to be sent its
/// last messages.
///
/// Bounds   What was sent within the window that the owner keeps by calling forget_before; of one
///          life at most MessageLog::kBytesMax of messages, or those of one tick.
/// Cost     note_messages O(messages kept of that life), forget_before O(forgotten), the rest O(1);
///          tick_of looks at one number.
class MessageLogs {
public:
    // An entity came to this slot, or is about to leave it.
    void attach(Slot slot, const Entity& entity);
    void detach(Slot slot);

    /// In ascending number; all are of this tick.
    void note_messages(Slot slot, const Entity& entity, std::span<const KeptMessage> messages,
                       Tick now);
    /// Takes in what is newer than what is known, from elsewhere. `slot`: where that life is, if it
    /// is here.
    void absorb(const EntityMessages& received, std::optional<Slot> slot, Tick now);

    /// The last tick in which whoever is at this slot sent something.
    [[nodiscard]] Tick tick_of(Slot slot) const { return newest_.of(slot); }
    /// Null: nothing is known of that life.
    [[nodiscard]] const MessageLogPtr* find(const Life& life) const;
    /// The newest tick of all messages that ever came here: whoever was sent all of this tick has
    /// nothing to find.
    [[nodiscard]] Tick newest_tick() const { return newest_tick_; }

    void forget_before(Tick tick);

private:
    struct Noted {
        Tick tick = kNever;
        Life life;
    };
    struct Kept {
        MessageLogPtr log;
        Tick noted_tick = kNever;  ///< the last in in_order_
    };
    MessageLogPtr& note(const Life& life, Tick tick, Tick now);

    std::unordered_map<Life, Kept, LifeHash> kept_;
    SlotTicks newest_;
    std::deque<Noted> in_order_;  ///< ascending tick; in each tick every life once
    Tick newest_tick_ = kNever;
};

}  // namespace marchland::engine
