#include "shards/border/reach.h"

#include "engine/assert.h"

namespace marchland::shards {

Reach::Reach(const Layout& layout, std::int32_t leave_radius_mm_max, std::int32_t hysteresis_mm)
    : leave_radius_mm_max_(leave_radius_mm_max),
      all_(layout.shards().begin(), layout.shards().end()) {
    const std::int64_t reach_mm = std::int64_t{leave_radius_mm_max} + hysteresis_mm;
    shards_.resize(std::size_t{to_number(layout.shards().back())} + 1);
    for (const ShardId id : layout.shards()) {
        const engine::Rect& area = layout.region(id).area;
        const engine::Rect kept = area.grown_by(hysteresis_mm);
        shards_[to_number(id)] = {kept, area.grown_by(reach_mm), area.grown_by(-reach_mm), {}};
    }
    for (const ShardId id : layout.shards()) {
        PerShard& shard = shards_[to_number(id)];
        for (const ShardId other : layout.shards()) {
            if (other != id && shards_[to_number(other)].needed.touches(shard.kept)) {
                shard.neighbours.push_back(other);
            }
        }
    }
}

bool Reach::keeps(ShardId shard, engine::Position at) const {
    return to_number(shard) < shards_.size() && shards_[to_number(shard)].kept.contains(at);
}

ShardSet Reach::ghosts_for(ShardId owner, engine::Position at,
                           std::int32_t notify_leave_radius_mm) const {
    MARCHLAND_ASSERT(keeps(owner, at));
    if (notify_leave_radius_mm > leave_radius_mm_max_) {
        return ghosts_of_notify_source(owner, at, notify_leave_radius_mm);
    }
    const PerShard& shard = shards_[to_number(owner)];
    ShardSet holders;
    if (shard.interior.contains(at)) {
        return holders;
    }
    for (const ShardId neighbour : shard.neighbours) {
        if (shards_[to_number(neighbour)].needed.contains(at)) {
            holders.add(neighbour);
        }
    }
    return holders;
}

/// Whoever keeps a watcher that may be in its range.
ShardSet Reach::ghosts_of_notify_source(ShardId owner, engine::Position at,
                                        std::int32_t notify_leave_radius_mm) const {
    ShardSet holders;
    for (const ShardId shard : all_) {
        const engine::Rect& kept = shards_[to_number(shard)].kept;
        if (shard != owner && kept.grown_by(notify_leave_radius_mm).contains(at)) {
            holders.add(shard);
        }
    }
    return holders;
}

}  // namespace marchland::shards
