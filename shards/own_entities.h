#pragma once

#include "engine/ids.h"
#include "engine/slot_map.h"
#include "shards/entity_port.h"
#include "shards/ids.h"

#include <cstdint>
#include <memory>

namespace marchland::shards {

/// What a shard keeps for an entity that it owns, beside the entity's own record.
struct OwnRecord {
    std::shared_ptr<EntityPort> port;
    /// It was given the zone's messages up to here, if there were any.
    engine::Tick messages_through = engine::kNever;
    ShardSet ghosts;  ///< the shards that hold a ghost of it
    bool takes_frames = true;
    /// False between a handoff under an older layout, which may have come to the wrong shard, and
    /// the next publish: what is around it may not be known here, so it gets no frame.
    bool is_settled = true;
    engine::Tick framed_tick = engine::kNever;  ///< of the last frame that its port took
    std::uint32_t refused_ticks = 0;  ///< in a row, in which its port could not take a frame
};

/// The entities that one shard owns, among the slots of its InterestSystem; the others there are ghosts.
using OwnEntities = engine::SlotMap<OwnRecord>;

}  // namespace marchland::shards
