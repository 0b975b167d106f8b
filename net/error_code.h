#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace marchland::net {

/// Why the server closed a connection. The numbers are part of the protocol (docs/wire_format.md).
enum class ErrorCode : std::uint16_t {
    malformed = 1,            ///< not a message, or one whose content contradicts itself
    too_large = 2,            ///< the length prefix, or a blob, is over the limit
    unsupported_version = 3,  ///< the client's major protocol version is another
    out_of_order = 4,         ///< the message is not legal in the connection's present state
    out_of_range = 5,         ///< a position outside the world, or a view over the limit
    too_fast = 6,             ///< more messages or bytes per second than the limit
    handshake_timeout = 7,    ///< no Hello in time
    idle_timeout = 8,         ///< nothing received for too long
    too_slow = 9,             ///< the client took no frame for too long
    full = 10,                ///< as many connections or entities as the server may hold
    stopping = 11,            ///< the server is going down
    unauthorized = 12,        ///< the token is missing, or allows nothing here
    address_limit = 13,       ///< too many connections of one address
    not_allowed = 14,         ///< players, or services, may not do this here
    resume_refused = 15,      ///< the resume token is not known (any more)
    superseded = 16,          ///< the session goes on in another connection
    removed = 17,             ///< the game took the player's entity out of the zone
    second_login = 18,        ///< one subject is one entity, and another connection has it
    overloaded = 19,          ///< the zone has more to do than it can; try again in 10 seconds
    transferred = 20,         ///< the player goes on in another zone
    not_admitted = 21,        ///< a service does not let the player in, or did not answer
};

/// One more than the largest of them.
inline constexpr std::size_t kErrorCodesEnd = 22;

/// As written above; "unknown" for a number that this version does not know.
std::string_view name_of(ErrorCode code);

}  // namespace marchland::net
