#pragma once

#include "engine/frame/game_messages.h"
#include "engine/ids.h"
#include "engine/state.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace marchland::engine {

/// Why an episode closed. When several are true, the first in this order is given, so that the
/// answer does not depend on how much of the map a shard can see.
enum class LeaveReason : std::uint8_t {
    gone = 1,          ///< it is no longer in the zone (or lives again under the same id)
    out_of_range = 2,  ///< it is outside the leave range
    hidden = 3,        ///< it is in range, but in no layer that the watcher sees
    capped = 4,        ///< it could be seen, but the watcher sees as many as it may, all nearer
};

struct Leave {
    EntityId id{};
    LeaveReason reason{};

    friend bool operator==(const Leave&, const Leave&) = default;
};

/// Slots of an entity's state that a frame holds.
struct StateSent {
    Slot slot{};  ///< in the store: the entity
    StateMask slots = 0;

    friend bool operator==(const StateSent&, const StateSent&) = default;
};

/// What one watcher is to be sent at the end of one tick: the whole difference to its last frame.
///
/// Order    A client applies leaves, then enters, then moves, then states. Each of these lists is
///          in ascending EntityId; messages are in the order of their tick, then of their source,
///          then as they were sent, and their source may leave in this frame, or have left before
///          it where the message waited for room.
/// Slots    Belong to the store of the InterestSystem that made the frame.
/// Life     The spans are the builder's scratch memory, and known_bits the known set itself: valid
///          until the next frame.
struct Frame {
    Tick tick = kNever;
    /// Frames of one build_frames have the same number; no other frames of the process have it.
    /// Until all of them are taken no entity changes. 0: it is not known.
    std::uint64_t build = 0;
    Slot watcher{};
    std::span<const Leave> leaves;
    std::span<const Slot> enters;
    std::span<const Slot> moves;
    /// By place, in ascending id: whom the watcher knows after the leaves and enters of this frame,
    /// and who of them is in `moves`.
    std::span<const std::uint64_t> known_bits = {};
    std::span<const std::uint64_t> move_bits = {};
    /// True when the watcher was sent everything up to the tick before but what was held back, so
    /// that a move may be sent as the difference to the trajectory before: `Entity::renewed_by`
    /// (where that was sent, and follows() holds).
    bool follows_last_tick = false;
    /// More could be seen than the watcher may see at once: CrowdLimits::visible_max.
    bool is_capped = false;
    /// Some moves wait for their slot: CrowdLimits::rings.
    bool is_slowed = false;
    /// Some moves, states or messages wait for room: CrowdLimits::frame_bytes_max.
    bool is_over_budget = false;
    /// Some that could be seen wait for room, and are not seen yet: likewise.
    bool is_filling = false;
    /// With a budget: of what it holds, by the model of FrameCost; 0 where it is empty.
    std::uint64_t cost = 0;
    /// Beside `moves`: was this one held back before, so that the watcher has an older trajectory
    /// than the one before? Empty: none was.
    std::span<const std::uint8_t> were_held = {};
    /// Known before, or the watcher itself, and what of their state it is sent.
    std::span<const StateSent> states = {};
    /// Beside `enters`: what of their state it is sent. Empty: the zone has no slots.
    std::span<const StateMask> entered_states = {};
    std::span<const DeliveredMessage> messages = {};
    /// The client forgets all that it knew: `enters` hold the whole set, and there are no leaves,
    /// no moves, and no states but its own.
    bool is_keyframe = false;
    /// Some messages for this watcher could not be kept until it took a frame.
    bool messages_lost = false;

    /// May the move at this place in `moves` be sent as a difference, for all that the frame knows?
    [[nodiscard]] bool follows(std::size_t place) const {
        return follows_last_tick && (were_held.empty() || were_held[place] == 0);
    }

    [[nodiscard]] bool is_empty() const {
        return leaves.empty() && enters.empty() && moves.empty() && states.empty() &&
               messages.empty() && !is_keyframe && !messages_lost;
    }
};

/// Takes the frames that an InterestSystem builds, in an order of its own: each is for one watcher,
/// and none depends on another.
using FrameSink = std::function<void(const Frame&)>;

}  // namespace marchland::engine
