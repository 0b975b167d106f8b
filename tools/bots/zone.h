#pragma once

#include "engine/frame/crowd_limits.h"
#include "engine/geometry.h"
#include "engine/ids.h"
#include "tools/clients/cpp/address.h"
#include "tools/clients/cpp/way_in.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <variant>
#include <vector>
#include <netinet/in.h>

namespace marchland::bots {

/// The one clock of the bots: it never goes back. Instants are passed in, so that tests need none.
using Clock = std::chrono::steady_clock;
using Instant = Clock::time_point;

/// Which of this process's players: from 0, dense, never used again in a run.
enum class PlayerIndex : std::uint32_t {};

constexpr std::size_t to_number(PlayerIndex player) {
    return static_cast<std::size_t>(player);
}

/// The map as the server's Welcome has it: a box with both ends inclusive, in millimetres.
struct World {
    engine::Position min;
    engine::Position max;
    engine::Dimensions dimensions = engine::Dimensions::two;

    [[nodiscard]] bool contains(engine::Position p) const {
        return p.x >= min.x && p.x <= max.x && p.y >= min.y && p.y <= max.y && p.z >= min.z &&
               p.z <= max.z;
    }

    /// The point of the world that is nearest to these coordinates.
    [[nodiscard]] engine::Position clamp(std::int64_t x, std::int64_t y, std::int64_t z) const {
        return {static_cast<std::int32_t>(std::clamp<std::int64_t>(x, min.x, max.x)),
                static_cast<std::int32_t>(std::clamp<std::int64_t>(y, min.y, max.y)),
                static_cast<std::int32_t>(std::clamp<std::int64_t>(z, min.z, max.z))};
    }
};

/// What must be known of a zone before players can be sent into it: its Welcome says.
struct ZoneFacts {
    World world = {};
    std::uint32_t tick_rate_hz = 20;
    engine::CrowdLimits crowd = {};
    std::int32_t quantum_mm = 1;
    std::int32_t prediction_error_mm = 0;
    engine::Tick predicted_ticks_max = 0;  ///< for so long one goes on after its move
    bool can_resume = false;               ///< a lost connection
};

/// What a scout found: the zone, and the address that answered.
struct Scouted {
    ZoneFacts zone;
    client::Address server;
};

/// Asks the server what its zone is like: joins it for a moment as one more player, and leaves.
/// With a token where there is one. The addresses are tried in turn; blocks for some seconds at
/// most. The string says what went wrong.
std::variant<Scouted, std::string> scout_zone(const std::vector<client::Address>& addresses,
                                              const client::WayIn& way, const std::string& token);

/// Every address of 127.0.0.0/8 is this machine's own: so one process can be many, as far as a
/// server that counts addresses can tell.
inline bool is_loopback(const client::Address& server) {
    sockaddr_in v4{};
    std::memcpy(&v4, &server.storage, sizeof v4);
    return v4.sin_family == AF_INET && ntohl(v4.sin_addr.s_addr) >> 24U == 127;
}

/// Address `number` of those from 127.`block`.0.0 on, at any port.
inline client::Address loopback_source(std::uint32_t block, std::uint32_t number) {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_addr.s_addr = htonl((127U << 24U) + (block << 16U) + number);
    client::Address address;
    std::memcpy(&address.storage, &v4, sizeof v4);
    address.bytes = sizeof v4;
    return address;
}

}  // namespace marchland::bots
