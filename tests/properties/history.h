#pragma once

#include "engine/entity.h"
#include "shards/entity_port.h"

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <variant>
#include <vector>

namespace marchland::tests {

struct JoinZone {
    engine::Position at;
    engine::View view;
    engine::Layers layers;
    bool takes_frames = true;
    engine::Angle facing = 0;
    engine::NotifyRange notify = {};
    std::uint32_t frames_hz = 0;  ///< 0: one in every tick
    bool is_restored = false;     ///< its life began before the zone did
};
struct LeaveZone {};
struct MoveTo {
    engine::Position to;
};
struct SetView {
    engine::View view;
};
struct TurnTo {
    engine::Angle facing = 0;
};
struct SetNotify {
    engine::NotifyRange notify;
};
struct SetLayers {
    engine::Layers layers;
};
/// Often to the same value as before, and sometimes to its first.
struct SetState {
    std::uint8_t slot = 0;
    std::int64_t value = 0;
};
/// To whoever sees it. Each message's payload is its own: see Utterance.
struct SendMessage {};
struct AskKeyframe {};
/// Another port takes the place of the actor's; nobody is to notice.
struct HandOverPort {};
/// The client can, or cannot, take frames from this tick on: a slow socket.
struct SetStalled {
    bool is_stalled = true;
};

using Deed = std::variant<JoinZone, LeaveZone, MoveTo, SetView, TurnTo, SetNotify, SetLayers,
                          SetState, SendMessage, AskKeyframe, HandOverPort, SetStalled>;

/// One actor does one thing in one tick.
struct Act {
    engine::Tick tick = engine::kNever;
    std::size_t actor = 0;
    Deed deed;
};

/// What happens in a zone, whatever its layout. Acts are in ascending tick; within one tick the
/// later one wins where two contradict. Any part of a history is a history again, which is what
/// lets a failing one shrink: an act that makes no sense any more (who is away cannot move, who is
/// here cannot join) is passed over.
struct History {
    engine::Tick ticks = 0;
    std::vector<Act> acts;
};

std::ostream& operator<<(std::ostream& out, const Act& act);
std::ostream& operator<<(std::ostream& out, const History& history);

/// An actor keeps its id when it leaves and joins again. Ids do not follow the order of the actors,
/// and 0 and the highest that the wire can
/// carry are among them.
engine::EntityId id_of(std::size_t actor);

/// One stay of an actor in the zone, from joining to leaving, and all that it asks for.
struct Life {
    std::size_t actor = 0;
    engine::Tick joined = engine::kNever;
    /// The tick it leaves in; kNever when it stays to the end.
    engine::Tick left = engine::kNever;
    JoinZone join;
    std::map<engine::Tick, shards::Inputs> asked;
    std::vector<bool> is_stalled;  ///< by tick
    std::set<engine::Tick> port_changes;

    [[nodiscard]] engine::EntityId id() const { return id_of(actor); }
    [[nodiscard]] bool is_there(engine::Tick tick) const {
        return joined <= tick && (left == engine::kNever || tick < left);
    }
    [[nodiscard]] bool takes_frame_in(engine::Tick tick) const {
        return join.takes_frames && is_there(tick) &&
               (tick >= is_stalled.size() || !is_stalled[tick]);
    }
};

/// The lives in a history, by tick of joining and then by actor. An actor that leaves in tick t can
/// join again from t + 1 on: an id is free once its port has been notified of the removal.
std::vector<Life> lives_of(const History& history);

/// What a message's payload says of it, so that a client can tell whether each came once and in
/// order.
struct Utterance {
    engine::EntityId source{};
    engine::Tick tick = engine::kNever;
    std::uint32_t number = 0;

    friend auto operator<=>(const Utterance&, const Utterance&) = default;
};
engine::Blob payload_of(const Utterance& utterance);
/// Nothing when it is no payload of ours.
std::optional<Utterance> utterance_of(std::span<const std::byte> payload);

/// What the entity is when it joins; the shard sets what is about time. Kind and state follow from
/// the actor's number.
engine::Entity entity_of(const Life& life);
std::vector<engine::StateWrite> first_state_of(const Life& life);

}  // namespace marchland::tests
