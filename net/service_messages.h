#pragma once

#include "engine/entity.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The messages between a service (game logic, in any language) and the server, as plain values.
/// docs/services.md is a tour; docs/wire_format.md has every field.
namespace marchland::net {

/// docs/wire_format.md, "Versions".
inline constexpr std::uint16_t kProtocolMajor = 3;
inline constexpr std::uint16_t kProtocolMinor = 2;

/// Entities, moves or messages in one message of a service.
inline constexpr std::size_t kServiceItemsMax = 1'024;
inline constexpr std::size_t kServiceNameBytesMax = 64;
inline constexpr std::size_t kAddressBytesMax = 256;  ///< of another zone
/// What a player is sent that does not come in.
inline constexpr std::size_t kRefusalBytesMax = 256;
/// Of one service in one tick: a message to three players is three, and so is one to all where
/// three play.
inline constexpr std::size_t kServiceDeliveriesMax = 65'536;

// ---- what players' messages have, too

/// One entity of a frame's packed moves (packed_moves.h). Relative: x, y and z are the difference
/// to where the reader has it by now, which goes on with the velocity that it was sent last; such a
/// difference needs up to 33 bits. Otherwise they are the position itself. All of them count in
/// quanta of the zone.
struct Moved {
    engine::EntityId entity{};
    bool is_relative = false;
    std::int64_t x = 0;
    std::int64_t y = 0;
    std::int64_t z = 0;
    engine::Step velocity = {};  ///< from here on, of each tick

    friend bool operator==(const Moved&, const Moved&) = default;
};

/// What a player may send of one kind. Nothing when per_second_max is 0.
struct SendLimit {
    std::uint32_t per_second_max = 0;
    std::uint32_t bytes_max = 0;

    friend bool operator==(const SendLimit&, const SendLimit&) = default;
};

/// What both kinds of Welcome have of the zone and the session.
struct AnyWelcome {
    std::uint16_t protocol_major = kProtocolMajor;
    std::uint16_t protocol_minor = kProtocolMinor;
    engine::Tick tick = engine::kNever;
    std::uint64_t server_time_us = 0;
    std::uint16_t tick_rate_hz = 0;
    engine::Dimensions dimensions = engine::Dimensions::two;
    engine::Position world_min;
    engine::Position world_max;
    std::int32_t leave_radius_mm_max = 0;
    std::uint32_t quantum_mm = 1;
    engine::StateSlots slots = {};
    std::vector<std::byte> resume_token = {};
    std::uint32_t resume_grace_ms = 0;
    std::uint32_t restart_grace_ms = 0;  ///< 0: this session does not outlive a restart
    bool resumed = false;

    friend bool operator==(const AnyWelcome&, const AnyWelcome&) = default;
};

// ---- service to server

struct ServiceHello {
    std::uint16_t protocol_major = kProtocolMajor;
    std::uint16_t protocol_minor = kProtocolMinor;
    std::string name;
    std::string token = {};
    std::vector<std::byte> resume_token = {};  ///< empty: begins with nothing
    bool admits = false;                       ///< it is asked before a player comes in

    friend bool operator==(const ServiceHello&, const ServiceHello&) = default;
};

using Layers = engine::Layers;

struct SpawnOne {
    std::uint32_t ref = 0;  ///< the service's own number for it; comes back in Spawned
    std::uint16_t kind = 0;
    engine::Position position;
    engine::Angle facing = 0;
    Layers layers;
    engine::View view;
    engine::NotifyRange notify;
    std::vector<engine::StateWrite> state;
    std::uint8_t importance = 1;
    bool watches = false;  ///< frames of what it sees come to the service

    friend bool operator==(const SpawnOne&, const SpawnOne&) = default;
};

struct Spawn {
    std::vector<SpawnOne> entities;

    friend bool operator==(const Spawn&, const Spawn&) = default;
};

struct Despawn {
    std::vector<engine::EntityId> entities;

    friend bool operator==(const Despawn&, const Despawn&) = default;
};

/// Relative: to the position that the service sent last.
struct MoveMany {
    std::vector<Moved> moves;

    friend bool operator==(const MoveMany&, const MoveMany&) = default;
};

/// Who decides where a player's entity is.
enum class Authority : std::uint8_t {
    unchanged = 0,
    zone = 1,    ///< as the zone's configuration sets it
    client = 2,  ///< its client, within the speed limit
    service = 3  ///< a service, which is sent what its client asks for
};

/// What is absent stays as it is.
struct ChangeOne {
    engine::EntityId entity{};
    std::optional<engine::Position> position;
    std::optional<engine::Angle> facing;
    std::optional<Layers> layers;
    std::optional<engine::View> view;
    std::optional<engine::NotifyRange> notify;
    std::vector<engine::StateWrite> state;
    std::optional<std::uint16_t> frames_hz = {};      ///< 0: as if nobody had changed it
    std::optional<std::uint16_t> speed_percent = {};  ///< SpeedLimit::set_percent
    Authority authority = Authority::unchanged;
    std::optional<std::uint32_t> move_ack = {};  ///< seq of the Move that `position` answers

    friend bool operator==(const ChangeOne&, const ChangeOne&) = default;
};

struct Change {
    std::vector<ChangeOne> entities;

    friend bool operator==(const Change&, const Change&) = default;
};

/// To another zone: its client is sent a Transfer, and leaves this one.
struct TransferPlayer {
    engine::EntityId entity{};
    std::string address;
    std::string token = {};
    std::vector<std::byte> carried = {};

    friend bool operator==(const TransferPlayer&, const TransferPlayer&) = default;
};

/// The answer to a PlayerAsks.
struct AdmitPlayer {
    std::uint64_t request = 0;
    ChangeOne given;  ///< what it comes in with; what is absent: as it asked to
    std::optional<std::string> refusal = {};  ///< it does not come in, and is sent that

    friend bool operator==(const AdmitPlayer&, const AdmitPlayer&) = default;
};

struct Circle {
    engine::Position centre;
    std::int32_t radius_mm = 0;

    friend bool operator==(const Circle&, const Circle&) = default;
};

/// The newest counts.
struct Subscribe {
    std::vector<std::uint16_t> kinds;   ///< of players' messages
    bool positions = false;             ///< of players, in each tick
    std::optional<Circle> within = {};  ///< of those who are there
    bool moves = false;                 ///< of players whose entities services move

    friend bool operator==(const Subscribe&, const Subscribe&) = default;
};

/// To one of `to`, `to_everybody`, `to_viewers_of`, or whom `within` and `layers` are true of.
struct MessageTo {
    std::vector<engine::EntityId> to;  ///< players
    bool to_everybody = false;         ///< all players who are in the zone
    std::uint16_t kind = 0;
    std::vector<std::byte> payload;
    engine::EntityId to_viewers_of{};              ///< whoever sees that entity
    std::optional<Circle> within = {};             ///< players whose entity is there
    engine::LayerMask layers = engine::kNoLayers;  ///< players who see one of these

    friend bool operator==(const MessageTo&, const MessageTo&) = default;
};

struct SendMessages {
    std::vector<MessageTo> messages;

    friend bool operator==(const SendMessages&, const SendMessages&) = default;
};

// ---- server to service

struct SpawnedOne {
    engine::EntityId entity{};
    std::uint32_t ref = 0;

    friend bool operator==(const SpawnedOne&, const SpawnedOne&) = default;
};

struct ServiceWelcome : AnyWelcome {
    std::int32_t notify_leave_radius_mm_max = 0;
    std::uint32_t message_bytes_max = 0;
    std::uint32_t entities_max = 0;
    std::uint32_t watchers_max = 0;
    std::vector<SpawnedOne> entities;  ///< what is the service's already

    friend bool operator==(const ServiceWelcome&, const ServiceWelcome&) = default;
};

struct Spawned {
    std::vector<SpawnedOne> entities;

    friend bool operator==(const Spawned&, const Spawned&) = default;
};

/// It wants to come in: AdmitPlayer is waited for.
struct PlayerAsks {
    std::uint64_t request = 0;
    std::uint16_t kind = 0;
    std::optional<engine::Position> spawn = {};  ///< nothing: the zone chooses
    std::string subject = {};                    ///< of its token
    std::string claims = {};                     ///< of its token: JSON, or empty
    std::vector<std::byte> carried = {};         ///< from another zone, as its client sent it
    std::uint32_t wait_ms = 0;                   ///< so long, from when it asked

    friend bool operator==(const PlayerAsks&, const PlayerAsks&) = default;
};

struct PlayerJoined {
    engine::EntityId entity{};
    std::uint16_t kind = 0;
    engine::Position position;
    std::vector<engine::StateWrite> state;
    std::string subject = {};             ///< of its token
    std::string claims = {};              ///< of its token: JSON, or empty
    std::vector<std::byte> carried = {};  ///< from another zone, as its client sent it
    std::uint64_t request = 0;  ///< of the PlayerAsks whose answer let it in; 0: there was none

    friend bool operator==(const PlayerJoined&, const PlayerJoined&) = default;
};

enum class PlayerLeftReason : std::uint8_t {
    none = 0,          ///< only the default of a field
    left = 1,          ///< its client asked for it
    lost = 2,          ///< its connection was, and nobody came back in time
    removed = 3,       ///< by a service, or by an operator
    too_slow = 4,      ///< it took no frame for too long
    closed = 5,        ///< the server closed its connection with another Error
    transferred = 6,   ///< a service sent it to another zone
    while_away = 255,  ///< our client libraries say so: it left while the service had no connection
};

struct PlayerLeft {
    engine::EntityId entity{};
    PlayerLeftReason reason = PlayerLeftReason::none;

    friend bool operator==(const PlayerLeft&, const PlayerLeft&) = default;
};

struct PlayerAway {
    engine::EntityId entity{};
    std::uint32_t grace_ms = 0;

    friend bool operator==(const PlayerAway&, const PlayerAway&) = default;
};

struct PlayerBack {
    engine::EntityId entity{};
    std::string claims = {};

    friend bool operator==(const PlayerBack&, const PlayerBack&) = default;
};

/// A player's, of a kind that the service has subscribed to.
struct PlayerMessage {
    engine::EntityId entity{};
    std::uint16_t kind = 0;
    engine::Tick tick = engine::kNever;  ///< that it is part of
    engine::Position position;           ///< of the entity, in that tick
    std::vector<std::byte> payload;

    friend bool operator==(const PlayerMessage&, const PlayerMessage&) = default;
};

/// Every player who was there when the service connected has been sent.
struct PlayersListed {
    friend bool operator==(const PlayersListed&, const PlayersListed&) = default;
};

struct MessagesLost {
    std::uint64_t count = 0;

    friend bool operator==(const MessagesLost&, const MessagesLost&) = default;
};

/// What a player asks for whose entity services move.
struct PlayerMove {
    engine::EntityId entity{};
    std::uint32_t seq = 0;
    engine::Tick tick = engine::kNever;
    engine::Position position;
    std::optional<engine::Angle> facing = {};
    engine::Step velocity = {};

    friend bool operator==(const PlayerMove&, const PlayerMove&) = default;
};

struct Placed {
    engine::EntityId entity{};
    engine::Position position;

    friend bool operator==(const Placed&, const Placed&) = default;
};

/// Where players are at the end of a tick, or a part of it.
struct Positions {
    engine::Tick tick = engine::kNever;
    std::vector<Placed> players = {};  ///< in ascending id, none 2^32 or more above the one before
    bool has_more = false;             ///< of the same tick, in the next message
    bool border_stale = false;         ///< a shard was late: some may be missing
    std::uint64_t ticks_lost = 0;      ///< before this one: nobody read them

    friend bool operator==(const Positions&, const Positions&) = default;
};

enum class RefusalReason : std::uint8_t {
    not_there = 1,     ///< the entity is not in the zone (any more)
    not_yours = 2,     ///< it is another service's
    out_of_world = 3,  ///< the position is outside the world
    bad_view = 4,      ///< the zone does not have such a view, or it is over the limit
    bad_notify = 5,    ///< the notification range is out of order, or over the limit
    too_many = 6,      ///< entities, watchers or messages of this service at their limit
    zone_full = 7,     ///< the zone holds as many entities as it may
    bad_state = 8,     ///< a slot that the zone does not have, or a value that it may not have
    /// A slot of a player's entity that only the player may set, or of any that the zone sets.
    not_writer = 9,
    away = 10,  ///< its client is not there to be sent anywhere
};

struct CommandRefused {
    std::uint8_t command = 0;  ///< the type number of the message
    engine::EntityId entity{};
    std::uint32_t ref = 0;  ///< of a Spawn
    RefusalReason reason{};

    friend bool operator==(const CommandRefused&, const CommandRefused&) = default;
};

}  // namespace marchland::net
