#pragma once

#include "engine/geometry.h"
#include "shards/ids.h"
#include "shards/layout/layout.h"

#include <cstdint>
#include <vector>

namespace marchland::shards {

/// How far do a shard's promises extend past its region? Two distances decide everything at a
/// border:
///
///        region        | hysteresis |              reach = leave range + hysteresis
///   owned by the shard | keeps what | needs a ghost of whatever is here, since an entity
///                      | it owns    | that it still keeps may look this far
///
/// The furthest step of a tick does not come into it: owner and ghosts are found from positions
/// after the moves, and what is outside the reach then is out of range, whatever path it took.
///
/// An entity with a notification range is seen further away than views reach: it has ghosts
/// wherever a watcher may be in that range. The others' strip is no wider for it.
///
/// Ownership changes when an entity is more than `hysteresis_mm` outside its owner's region; so one
/// that paces on a border stays where it is.
class Reach {
public:
    /// `leave_radius_mm_max` bounds every view of the zone.
    Reach(const Layout& layout, std::int32_t leave_radius_mm_max, std::int32_t hysteresis_mm);

    /// Does `shard` keep an entity that it owns and that is now at `at`? One that is no part of the
    /// layout keeps nothing.
    [[nodiscard]] bool keeps(ShardId shard, engine::Position at) const;

    /// Where all entities are that `shard`, which is part of the layout, owns after a tick.
    [[nodiscard]] const engine::Rect& kept(ShardId shard) const {
        return shards_[to_number(shard)].kept;
    }

    /// The shards other than `owner` that need a ghost of an entity at `at`. `owner` keeps it: so
    /// only shards near `owner`'s region are looked at, unless it is seen from further away.
    [[nodiscard]] ShardSet ghosts_for(ShardId owner, engine::Position at,
                                      std::int32_t notify_leave_radius_mm = 0) const;

private:
    [[nodiscard]] ShardSet ghosts_of_notify_source(ShardId owner, engine::Position at,
                                                   std::int32_t notify_leave_radius_mm) const;

    static constexpr engine::Rect kNowhere{0, 0, -1, -1};

    struct PerShard {
        engine::Rect kept = kNowhere;    ///< region + hysteresis
        engine::Rect needed = kNowhere;  ///< region + reach
        /// Deeper inside the region than the reach: no other shard needs a ghost of what is in
        /// here.
        engine::Rect interior;
        std::vector<ShardId> neighbours;  ///< whose `needed` touches `kept`, ascending
    };
    const std::int32_t leave_radius_mm_max_;
    std::vector<ShardId> all_;      ///< of the layout
    std::vector<PerShard> shards_;  ///< by id; of an id without a shard, all is nowhere
};

}  // namespace marchland::shards
