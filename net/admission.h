#pragma once

#include "engine/entity.h"
#include "shards/entity_port.h"
#include "shards/zone_options.h"
#include "net/messages.h"
#include "net/server_options.h"

#include <cstdint>
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

/// What both kinds of Welcome say of the zone. z is not bounded.
void describe(const shards::ZoneOptions& zone, AnyWelcome& welcome);

/// The entity that a client wants to be, with the server's defaults where it asks for nothing. Its
/// id is the caller's to give.
std::variant<engine::Entity, ErrorMessage> entity_for(const Hello& hello,
                                                      const ServerOptions& server,
                                                      const shards::ZoneOptions& zone);

// What the zone demands of the values in a service's commands: what is made of them, or why they
// are refused.

/// Its id is the caller's to give.
std::variant<engine::Entity, RefusalReason> entity_for(const SpawnOne& spawn,
                                                       const shards::ZoneOptions& zone);

/// `may_see`: somebody looks through the entity. Else a view is bad_view.
std::variant<shards::Inputs, RefusalReason> inputs_for(const ChangeOne& change, bool is_own,
                                                       bool may_see,
                                                       const shards::ZoneOptions& zone);

/// A place that a service sends, on the zone's grid.
std::variant<engine::Position, RefusalReason> place_for(engine::Position position,
                                                        const shards::ZoneOptions& zone);

}  // namespace marchland::net
