#pragma once

#include "engine/entity.h"
#include "engine/entity_store.h"
#include "engine/frame/frame.h"
#include "engine/frame/game_messages.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace marchland::shards {

class EntityPort;
struct OwnPlayers;

/// What a player's port knows of its entity besides, and is given again after a restart. The zone
/// makes no use of it.
struct PortState {
    std::uint8_t authority = 1;         ///< a net::Authority; 1: as the configuration says
    std::uint16_t speed_percent = 100;  ///< of the zone's speed limit
    std::uint16_t frames_hz = 0;        ///< that the game has set; 0: it has not
    std::uint32_t message_number = 0;   ///< of the client's newest message that services were sent

    friend bool operator==(const PortState&, const PortState&) = default;
};

/// What an entity's client or service asked for since the last tick: the newest of each kind.
struct Inputs {
    /// The tick that this is asked for: set for take_inputs(), and of no meaning later.
    engine::Tick tick = engine::kNever;

    std::optional<engine::Position> move;  ///< inside the world; whoever fills it has checked
    std::optional<engine::View> view;  ///< within the zone's limits; whoever fills it has checked
    std::optional<engine::Angle> facing;
    std::optional<engine::Layers> layers;
    /// For the game's own services: a client cannot set how far it is seen. Within the zone's
    /// limit.
    std::optional<engine::NotifyRange> notify;
    /// Of the zone's slots, in ascending number; whoever fills it has checked.
    std::vector<engine::StateWrite> state;
    /// In the order of sending; sound, and at most kMessagesPerTickMax (kMessagesOfAllPortsMax from
    /// a port that stands for several, as a replay's does).
    std::vector<engine::GameMessage> messages;
    /// When a client's move came, where somebody measures that. It decides nothing, and is not
    /// recorded.
    std::optional<std::chrono::steady_clock::time_point> move_arrived;
    std::optional<PortState> port_state;  ///< has changed; for who keeps it
    bool keyframe = false;                ///< its next frame is whole
    bool leave = false;
    /// Takes the place of the port that hands this over, on whatever I/O thread, from this tick on:
    /// what waits in it counts in this tick, too, and wins. The old port gets no further call.
    std::shared_ptr<EntityPort> successor;

    [[nodiscard]] bool is_empty() const {
        return !move && !view && !facing && !layers && !notify && state.empty() &&
               messages.empty() && !port_state && !keyframe && !leave && !successor;
    }
};

/// As if `later` had been asked for after `into`, in one tick: the newest of each kind, and all
/// messages of both.
void merge(Inputs& into, Inputs later);

/// What the zone adds to a frame besides its content.
struct FrameFlags {
    /// A batch of this tick is missing that may concern what the watcher sees: contract point 6.
    bool border_stale = false;
    std::uint32_t time_scale_percent = 100;  ///< below: the zone is overloaded, ticks are longer
    std::uint64_t server_time_us = 0;        ///< when the tick was due, since tick 0
    std::uint32_t frame_bytes_max = 0;       ///< overload has lowered it to this; 0: as it is set
};

/// Where one entity meets its client or service outside the zone: a client's session, a trace, a
/// test. The port travels with its entity from shard to shard, and inputs wait in it, not in a
/// shard: so nothing has to be forwarded, and nothing is lost, in a crossing.
///
/// Threads  The thread of the shard that owns the entity at that moment; put_frame and io_thread
///          may come from one of the executor's instead. Never two calls at once, and one tick's
///          happen before the next one's. The other side of the port is its implementer's business.
class EntityPort {
public:
    EntityPort() = default;
    EntityPort(const EntityPort&) = delete;
    EntityPort& operator=(const EntityPort&) = delete;
    virtual ~EntityPort() = default;

    /// Step 1. Moves what was asked since the last call into `into`, which comes in empty but for
    /// its tick. Also in step 2, for an entity that joins. A port that named its successor gets no
    /// further call.
    virtual void take_inputs(Inputs& into) = 0;

    /// Step 5. Would a frame be taken now? A watcher whose port refuses is skipped this tick and
    /// loses nothing: its next frame holds the whole difference.
    [[nodiscard]] virtual bool can_take_frame() const = 0;

    /// Step 5. How many frames a second it is to be asked for, evenly spread, at least 1: as many
    /// as there are ticks, at most. kFramesWheneverItCan: in any tick, and it chooses in which.
    [[nodiscard]] virtual std::uint32_t frames_hz() const { return kFramesEveryTick; }
    static constexpr std::uint32_t kFramesEveryTick = UINT32_MAX;
    static constexpr std::uint32_t kFramesWheneverItCan = 0;

    /// Step 5, only after can_take_frame() returned false in the same tick: nobody is there who
    /// reads, such as while a lost client may come back. Such a tick is not counted as one that a
    /// slow client skipped.
    [[nodiscard]] virtual bool is_away() const { return false; }

    /// Between steps 4 and 5: its client is to have it. In the order of sending.
    virtual void put_message(const engine::GameMessage& message) { static_cast<void>(message); }
    /// Between steps 4 and 5: some messages were dropped before its shard came to their tick, and
    /// may have been for its client.
    virtual void note_messages_lost() {}

    /// Step 5, only after can_take_frame() returned true in the same tick. Returns true when there
    /// is something to send: then the port is part of the next FrameOutlet::post. Calls for
    /// different ports may run side by side.
    virtual bool put_frame(const engine::Frame& frame, const engine::EntityStore& entities,
                           const FrameFlags& flags) = 0;

    /// Is it a player's entity?
    [[nodiscard]] virtual bool is_player() const { return false; }

    /// Which I/O thread of the outlet carries this port's frames.
    [[nodiscard]] virtual std::uint32_t io_thread() const = 0;

    /// The entity is out of the zone: because it asked to leave, or because it took no frame for
    /// frame_gap_ticks_max. No other call comes after this one.
    virtual void on_removed() = 0;
};

/// Carries the frames of one tick away from a shard: one batch per I/O thread and tick.
///
/// Threads  post may be called by several shards' threads at once.
class FrameOutlet {
public:
    FrameOutlet() = default;
    FrameOutlet(const FrameOutlet&) = delete;
    FrameOutlet& operator=(const FrameOutlet&) = delete;
    virtual ~FrameOutlet() = default;

    [[nodiscard]] virtual std::uint32_t io_thread_count() const = 0;

    /// Step 6. Each port has a frame waiting. The span is the caller's scratch memory.
    virtual void post(std::uint32_t io_thread,
                      std::span<const std::shared_ptr<EntityPort>> ports) = 0;

    /// Step 6. Does anybody want to know where the players are in this tick?
    [[nodiscard]] virtual bool wants_players(engine::Tick tick) const {
        return static_cast<void>(tick), false;
    }
    /// Step 6, only after wants_players() returned true in the same tick.
    virtual void post_players(OwnPlayers&& players) { static_cast<void>(players); }
};

}  // namespace marchland::shards
