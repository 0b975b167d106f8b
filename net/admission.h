#pragma once

#include "engine/entity.h"
#include "shards/zone_options.h"
#include "net/messages.h"
#include "net/server_options.h"

#include <optional>
#include <variant>

namespace marchland::net {

// What the zone demands of a client's values. An error is what to answer with: `out_of_range`.

std::optional<ErrorMessage> check_position(engine::Position position,
                                           const shards::ZoneOptions& zone);
std::optional<ErrorMessage> check_view(const engine::View& view, const shards::ZoneOptions& zone);

/// May a player set these slots of its entity?
std::optional<ErrorMessage> check_player_state(std::span<const engine::StateWrite> state,
                                               const shards::ZoneOptions& zone);
/// The ends of the world, as both kinds of Welcome hold them: z is not bounded.
engine::Position lowest_corner(const shards::ZoneOptions& zone);
engine::Position highest_corner(const shards::ZoneOptions& zone);

/// The entity that a client wants to be, with the server's defaults where it asks for nothing. Its
/// id is the caller's to give.
std::variant<engine::Entity, ErrorMessage> entity_for(const Hello& hello,
                                                      const ServerOptions& server,
                                                      const shards::ZoneOptions& zone);

}  // namespace marchland::net
