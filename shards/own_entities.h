#pragma once

#include "engine/ids.h"
#include "shards/entity_port.h"
#include "shards/ids.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

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
///
/// Shapes   `slots_` and `records_` are dense and parallel; `place_of_[slot]` points into them.
/// Order    Of slots(): none that means anything.
/// Cost     Everything O(1) but the walk over slots().
/// Errors   Naming a slot that is not own asserts.
class OwnEntities {
public:
    void add(engine::Slot slot, OwnRecord record);
    OwnRecord remove(engine::Slot slot);

    [[nodiscard]] bool owns(engine::Slot slot) const;
    [[nodiscard]] OwnRecord& at(engine::Slot slot);
    [[nodiscard]] std::span<const engine::Slot> slots() const { return slots_; }
    [[nodiscard]] std::size_t size() const { return slots_.size(); }

private:
    static constexpr std::uint32_t kNotOwn = UINT32_MAX;

    std::vector<std::uint32_t> place_of_;
    std::vector<engine::Slot> slots_;
    std::vector<OwnRecord> records_;
};

}  // namespace marchland::shards
