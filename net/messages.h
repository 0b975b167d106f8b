#pragma once

#include "engine/crowd_limits.h"
#include "engine/entity.h"
#include "engine/frame.h"
#include "net/error_code.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// The protocol's messages as plain values, as both ends use them. Frames are the exception on the
/// server's side: it writes them straight from a shard's memory (frame_writer.h).
namespace marchland::net {

inline constexpr std::uint16_t kProtocolMajor = 1;
inline constexpr std::uint16_t kProtocolMinor = 1;

// ---- client to server

struct Hello {
    std::uint16_t protocol_major = kProtocolMajor;
    std::uint16_t protocol_minor = kProtocolMinor;
    std::uint16_t kind = 0;
    std::optional<engine::Position> spawn;
    std::optional<engine::View> view;
    std::vector<std::byte> blob;
    engine::Angle facing = 0;

    friend bool operator==(const Hello&, const Hello&) = default;
};

struct Move {
    std::uint32_t seq = 0;
    engine::Position position;
    std::optional<engine::Angle> facing = {};  ///< nothing: as it was

    friend bool operator==(const Move&, const Move&) = default;
};

struct SetView {
    engine::View view;

    friend bool operator==(const SetView&, const SetView&) = default;
};

struct Ping {
    std::uint64_t nonce = 0;

    friend bool operator==(const Ping&, const Ping&) = default;
};

struct LeaveZone {
    friend bool operator==(const LeaveZone&, const LeaveZone&) = default;
};

using ClientMessage = std::variant<Hello, Move, SetView, Ping, LeaveZone>;

// ---- server to client

struct Welcome {
    std::uint16_t protocol_major = kProtocolMajor;
    std::uint16_t protocol_minor = kProtocolMinor;
    engine::EntityId entity{};
    engine::Tick tick = engine::kNever;
    std::uint16_t tick_rate_hz = 0;
    engine::Dimensions dimensions = engine::Dimensions::two;
    engine::Position world_min;
    engine::Position world_max;
    engine::Position spawn;
    engine::View view;
    std::int32_t leave_radius_mm_max = 0;
    engine::CrowdLimits crowd;

    friend bool operator==(const Welcome&, const Welcome&) = default;
};

struct Pong {
    std::uint64_t nonce = 0;
    engine::Tick tick = engine::kNever;

    friend bool operator==(const Pong&, const Pong&) = default;
};

struct Entered {
    engine::EntityId entity{};
    std::uint16_t kind = 0;
    engine::Position position;
    std::vector<std::byte> blob;

    friend bool operator==(const Entered&, const Entered&) = default;
};

/// One entity of a frame's packed moves (packed_moves.h). Relative: x, y and z are the difference to
/// the position that the client was told last; such a difference needs up to 33 bits. Otherwise they
/// are the position itself.
struct Moved {
    engine::EntityId entity{};
    bool is_relative = false;
    std::int64_t x = 0;
    std::int64_t y = 0;
    std::int64_t z = 0;

    friend bool operator==(const Moved&, const Moved&) = default;
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

    friend bool operator==(const FrameMessage&, const FrameMessage&) = default;
};

/// What the server says before it closes. A decoder's findings have this shape too.
struct ErrorMessage {
    ErrorCode code{};
    std::string text;

    friend bool operator==(const ErrorMessage&, const ErrorMessage&) = default;
};

using ServerMessage = std::variant<Welcome, Pong, FrameMessage, ErrorMessage>;

}  // namespace marchland::net
