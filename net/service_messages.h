#pragma once

#include "engine/entity.h"
#include "net/moved.h"
#include "net/protocol_version.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The messages between a service (game logic, in any language) and the server, as plain values.
/// docs/services.md is a tour; docs/wire_format.md has every field.
namespace marchland::net {

/// Entities, moves or events in one message of a service.
inline constexpr std::size_t kServiceItemsMax = 1'024;
/// Entities that the events of one service name in one tick, each as often as it is named: every shard keeps
/// every naming, so 16 services may cause as many as the zone keeps anyway.
inline constexpr std::size_t kServiceNamingsMax = 4'096;
inline constexpr std::size_t kServiceNameBytesMax = 64;
/// Of one service in one tick: a message to three players is three.
inline constexpr std::size_t kServiceDeliveriesMax = 65'536;

/// A message between a player and services while it waits.
struct Said {
    std::uint16_t kind = 0;
    engine::Blob payload;
};

// ---- service to server

struct ServiceHello {
    std::uint16_t protocol_major = kProtocolMajor;
    std::uint16_t protocol_minor = kProtocolMinor;
    std::string name;
    std::string token = {};
    std::vector<std::byte> resume_token = {};  ///< empty: begins with nothing

    friend bool operator==(const ServiceHello&, const ServiceHello&) = default;
};

/// What an entity is in, and what it sees.
struct Layers {
    engine::LayerMask layers = engine::kDefaultLayer;
    engine::LayerMask layers_seen = engine::kDefaultLayer;

    friend bool operator==(const Layers&, const Layers&) = default;
};

struct SpawnOne {
    std::uint32_t ref = 0;  ///< the service's own number for it; comes back in Spawned
    std::uint16_t kind = 0;
    engine::Position position;
    engine::Angle facing = 0;
    Layers layers;
    engine::View view;
    engine::NotifyRange notify;
    std::vector<std::byte> blob;
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

/// Relative: to the position that the service told last.
struct MoveMany {
    std::vector<Moved> moves;

    friend bool operator==(const MoveMany&, const MoveMany&) = default;
};

/// What is absent stays as it is.
struct ChangeOne {
    engine::EntityId entity{};
    std::optional<engine::Position> position;
    std::optional<engine::Angle> facing;
    std::optional<Layers> layers;
    std::optional<engine::View> view;
    std::optional<engine::NotifyRange> notify;
    std::optional<std::vector<std::byte>> state;

    friend bool operator==(const ChangeOne&, const ChangeOne&) = default;
};

struct Change {
    std::vector<ChangeOne> entities;

    friend bool operator==(const Change&, const Change&) = default;
};

struct EventOf {
    engine::EntityId source{};
    std::vector<std::byte> payload;
    std::vector<engine::EntityId> to;  ///< empty: whoever sees the source

    friend bool operator==(const EventOf&, const EventOf&) = default;
};

struct SendEvents {
    std::vector<EventOf> events;

    friend bool operator==(const SendEvents&, const SendEvents&) = default;
};

/// The newest list counts; empty: none.
struct Subscribe {
    std::vector<std::uint16_t> kinds;

    friend bool operator==(const Subscribe&, const Subscribe&) = default;
};

struct MessageTo {
    std::vector<engine::EntityId> to;  ///< players
    bool to_everybody = false;         ///< instead: all players who are in the zone
    std::uint16_t kind = 0;
    std::vector<std::byte> payload;

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

struct ServiceWelcome {
    std::uint16_t protocol_major = kProtocolMajor;
    std::uint16_t protocol_minor = kProtocolMinor;
    engine::Tick tick = engine::kNever;
    std::uint64_t server_time_us = 0;
    std::uint16_t tick_rate_hz = 0;
    engine::Dimensions dimensions = engine::Dimensions::two;
    engine::Position world_min;
    engine::Position world_max;
    std::int32_t leave_radius_mm_max = 0;
    std::int32_t notify_leave_radius_mm_max = 0;
    std::uint32_t quantum_mm = 1;
    std::vector<std::byte> resume_token;
    std::uint32_t resume_grace_ms = 0;
    bool resumed = false;
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

struct PlayerJoined {
    engine::EntityId entity{};
    std::uint16_t kind = 0;
    engine::Position position;
    std::vector<std::byte> blob;
    std::string subject = {};  ///< of its token
    std::string claims = {};   ///< of its token: JSON, or empty

    friend bool operator==(const PlayerJoined&, const PlayerJoined&) = default;
};

enum class PlayerLeftReason : std::uint8_t {
    none = 0,      ///< of a server before 1.4
    left = 1,      ///< its client said so
    lost = 2,      ///< its connection was, and nobody came back in time
    removed = 3,   ///< by a service, or by an operator
    too_slow = 4,  ///< it took no frame for too long
    closed = 5,    ///< the server closed its connection with another Error
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

struct MessagesLost {
    std::uint64_t count = 0;

    friend bool operator==(const MessagesLost&, const MessagesLost&) = default;
};

enum class RefusalReason : std::uint8_t {
    not_there = 1,     ///< the entity is not in the zone (any more)
    not_yours = 2,     ///< it is another service's
    out_of_world = 3,  ///< the position is outside the world
    bad_view = 4,      ///< the zone does not have such a view, or it is over the limit
    bad_notify = 5,    ///< the notification range is out of order, or over the limit
    too_many = 6,      ///< entities, watchers or events of this service at their limit
    zone_full = 7,     ///< the zone holds as many entities as it may
};

struct CommandRefused {
    std::uint8_t command = 0;  ///< the type number of the message
    engine::EntityId entity{};
    std::uint32_t ref = 0;  ///< of a Spawn
    RefusalReason reason{};

    friend bool operator==(const CommandRefused&, const CommandRefused&) = default;
};

}  // namespace marchland::net
