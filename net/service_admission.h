#pragma once

#include "engine/entity.h"
#include "shards/entity_port.h"
#include "shards/zone_options.h"
#include "net/service_messages.h"

#include <variant>

namespace marchland::net {

// What the zone demands of the values in a service's commands: what is made of them, or why they are
// refused.

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
