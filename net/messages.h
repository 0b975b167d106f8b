#pragma once

#include "engine/entity.h"
#include "engine/frame.h"
#include "net/error_code.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// The protocol's messages as plain values, as both ends use them. Frames are the exception on the
/// server's side: it writes them straight from a shard's memory (frame_writer.h).
namespace marchland::net {

inline constexpr std::uint16_t kProtocolMajor = 1;
inline constexpr std::uint16_t kProtocolMinor = 0;

// ---- client to server

struct Hello {
    std::uint16_t protocol_major = kProtocolMajor;
    std::uint16_t protocol_minor = kProtocolMinor;
    std::uint16_t kind = 0;
    std::optional<engine::Position> spawn;
    std::optional<engine::View> view;
    std::vector<std::byte> blob;
};

struct Move {
    std::uint32_t seq = 0;
    engine::Position position;
};

struct SetView {
    engine::View view;
};

struct Ping {
    std::uint64_t nonce = 0;
};

struct LeaveZone {};

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
};

struct Pong {
    std::uint64_t nonce = 0;
    engine::Tick tick = engine::kNever;
};

struct Entered {
    engine::EntityId entity{};
    std::uint16_t kind = 0;
    engine::Position position;
    std::vector<std::byte> blob;
};

/// One entity of a frame's packed moves.
struct Moved {
    engine::EntityId entity{};
    bool is_relative = false;   ///< `value` is the difference to the position told last
    engine::Position value;
};

struct FrameMessage {
    engine::Tick tick = engine::kNever;
    std::uint32_t move_ack = 0;
    bool border_stale = false;
    std::vector<engine::Leave> leaves;
    std::vector<Entered> enters;
    std::vector<Moved> moves;
};

struct ErrorMessage {
    ErrorCode code{};
    std::string text;
};

using ServerMessage = std::variant<Welcome, Pong, FrameMessage, ErrorMessage>;

}  // namespace marchland::net
