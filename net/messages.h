#pragma once

#include "engine/entity.h"
#include "engine/frame/crowd_limits.h"
#include "engine/frame/frame.h"
#include "net/error_code.h"
#include "net/service_messages.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// The protocol's messages as plain values, as both ends use them. Frames are the exception on the
/// server's side: it writes them straight from a shard's memory (frame_writer.h).
namespace marchland::net {

// ---- client to server

struct Hello {
    std::uint16_t protocol_major = kProtocolMajor;
    std::uint16_t protocol_minor = kProtocolMinor;
    std::uint16_t kind = 0;
    std::optional<engine::Position> spawn;
    std::optional<engine::View> view;
    std::vector<engine::StateWrite> state;
    engine::Angle facing = 0;
    std::string token = {};                    ///< who this is, where the server asks for it
    std::vector<std::byte> resume_token = {};  ///< empty: a new entity
    engine::Tick last_tick = engine::kNever;   ///< of the last frame that was applied, to resume
    std::vector<std::byte> carried = {};       ///< of the Transfer that it follows
    bool reads_ranks = false;                  ///< frames may name who moves by rank

    friend bool operator==(const Hello&, const Hello&) = default;
};

struct Move {
    std::uint32_t seq = 0;
    engine::Position position;
    std::optional<engine::Angle> facing = {};  ///< nothing: as it was
    std::uint32_t correction_seen = 0;         ///< number of the newest one that was applied
    engine::Step velocity = {};                ///< with which it goes on

    friend bool operator==(const Move&, const Move&) = default;
};

struct SetView {
    engine::View view;

    friend bool operator==(const SetView&, const SetView&) = default;
};

struct SetFrameRate {
    std::uint16_t frames_hz = 0;  ///< 0: as many as the server gives

    friend bool operator==(const SetFrameRate&, const SetFrameRate&) = default;
};

struct Ping {
    std::uint64_t nonce = 0;

    friend bool operator==(const Ping&, const Ping&) = default;
};

struct LeaveZone {
    friend bool operator==(const LeaveZone&, const LeaveZone&) = default;
};

struct KeyframeRequest {
    friend bool operator==(const KeyframeRequest&, const KeyframeRequest&) = default;
};

struct SetState {
    std::vector<engine::StateWrite> state;

    friend bool operator==(const SetState&, const SetState&) = default;
};

/// To whichever services have subscribed to its kind.
struct SendMessage {
    std::uint32_t number = 0;  ///< 1 for the first of a session, and one more for each
    std::uint16_t kind = 0;
    std::vector<std::byte> payload;

    friend bool operator==(const SendMessage&, const SendMessage&) = default;
};

/// Of a type that this version does not know, and need not.
struct SkippedMessage {
    friend bool operator==(const SkippedMessage&, const SkippedMessage&) = default;
};

/// Players' messages first, then services'.
using ClientMessage =
    std::variant<Hello, Move, SetView, Ping, LeaveZone, KeyframeRequest, SetState, ServiceHello,
                 Spawn, Despawn, MoveMany, Change, TransferPlayer, SendMessage, Subscribe,
                 SendMessages, AdmitPlayer, SetFrameRate, SkippedMessage>;

// ---- server to client

struct Welcome : AnyWelcome {
    engine::EntityId entity{};
    engine::Position spawn;
    engine::View view;
    engine::CrowdLimits crowd;
    std::uint32_t states_per_second_max = 0;
    SendLimit messages = {};
    std::uint32_t message_number = 0;       ///< of the session's newest message that was taken
    std::uint16_t frames_hz = 0;            ///< that the client gets, unless it asks for fewer
    std::uint32_t prediction_error_mm = 0;  ///< 0: every move is sent
    std::uint32_t prediction_ms_max = 0;    ///< for so long an entity goes on after its Move

    friend bool operator==(const Welcome&, const Welcome&) = default;
};

struct Pong {
    std::uint64_t nonce = 0;
    engine::Tick tick = engine::kNever;
    engine::Tick safe_tick = engine::kNever;  ///< what a restart would bring back

    friend bool operator==(const Pong&, const Pong&) = default;
};

struct Entered {
    engine::EntityId entity{};
    std::uint16_t kind = 0;
    engine::Position position;
    std::vector<engine::StateWrite> state;
    engine::Step velocity = {};

    friend bool operator==(const Entered&, const Entered&) = default;
};

struct StateChanged {
    engine::EntityId entity{};
    std::vector<engine::StateWrite> state;

    friend bool operator==(const StateChanged&, const StateChanged&) = default;
};

/// Where the client's own entity is. Moves that were sent before it was applied do not count.
struct Correction {
    std::uint32_t number = 0;
    engine::Position position;

    friend bool operator==(const Correction&, const Correction&) = default;
};

/// From a service.
struct MessageDelivered {
    std::uint16_t kind = 0;
    std::vector<std::byte> payload;
    engine::EntityId source{};  ///< of one to whoever sees this entity

    friend bool operator==(const MessageDelivered&, const MessageDelivered&) = default;
};

struct FrameMessage {
    engine::Tick tick = engine::kNever;
    std::uint32_t move_ack = 0;
    bool border_stale = false;
    std::vector<engine::Leave> leaves;
    std::vector<Entered> enters;
    std::vector<Moved> moves;
    std::uint32_t time_scale_percent = 100;
    bool is_capped = false;
    bool is_slowed = false;
    bool is_over_budget = false;
    bool is_filling = false;
    std::uint64_t server_time_us = 0;
    std::vector<StateChanged> states = {};
    bool is_keyframe = false;
    std::optional<Correction> correction = {};
    engine::EntityId watcher{};  ///< to a service: whose frame it is
    std::vector<MessageDelivered> messages = {};
    bool messages_lost = false;
    bool moves_by_rank = false;  ///< `entity` of each move is its rank: name_by_id

    friend bool operator==(const FrameMessage&, const FrameMessage&) = default;
};

/// What the server sends before it closes. A decoder's findings have this shape too.
struct ErrorMessage {
    ErrorCode code{};
    std::string text;

    friend bool operator==(const ErrorMessage&, const ErrorMessage&) = default;
};

/// The player goes on in another zone, with this token and what it is to carry there.
struct Transfer {
    std::string address;
    std::string token = {};
    std::vector<std::byte> carried = {};

    friend bool operator==(const Transfer&, const Transfer&) = default;
};

/// What operators send to who plays.
struct Notice {
    std::string text;
    std::uint32_t stops_in_ms = 0;  ///< the server, at the latest; 0: not given

    friend bool operator==(const Notice&, const Notice&) = default;
};

using ServerMessage =
    std::variant<Welcome, Pong, FrameMessage, ErrorMessage, ServiceWelcome, Spawned, PlayerJoined,
                 PlayerLeft, CommandRefused, Notice, PlayerAway, PlayerBack, PlayerMessage,
                 MessagesLost, Transfer, PlayerAsks, Positions, PlayerMove, PlayersListed,
                 SkippedMessage>;

}  // namespace marchland::net
