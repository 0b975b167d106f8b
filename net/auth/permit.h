#pragma once

#include "engine/entity.h"

#include <cstdint>
#include <optional>
#include <string>

namespace marchland::net {

/// What whoever signed a token allows who shows it. Nothing: whatever the server allows everybody.
struct Permit {
    enum class Role : std::uint8_t { player, service };

    Role role = Role::player;
    std::optional<std::uint16_t> kind;                ///< what its entity is, whatever it asks for
    std::optional<engine::Position> spawn;            ///< where it begins, whatever it asks for
    std::optional<std::int32_t> leave_radius_mm_max;  ///< how far its views may reach
    std::optional<std::uint16_t> frames_hz;           ///< how many frames a second it gets
    std::string subject;      ///< who it is: foreign text, no longer than its token
    std::string claims = {};  ///< a player's, that services are sent: JSON, or empty

    friend bool operator==(const Permit&, const Permit&) = default;
};

}  // namespace marchland::net
