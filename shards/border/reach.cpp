#include "shards/border/reach.h"

#include "engine/assert.h"

#include <algorithm>
#include <array>

namespace marchland::shards {

namespace {

/// 0 for an empty rectangle. In double: it only ranks, and the square of a world overflows int64.
double area_of(const engine::Rect& r) {
    if (r.is_empty()) {
        return 0;
    }
    return static_cast<double>(r.max_x - r.min_x + 1) * static_cast<double>(r.max_y - r.min_y + 1);
}

/// The largest rectangle that one straight cut through `interior` leaves clear of `needed`.
engine::Rect cut_clear(const engine::Rect& interior, const engine::Rect& needed) {
    if (!interior.touches(needed)) {
        return interior;
    }
    std::array<engine::Rect, 4> cuts;
    cuts.fill(interior);
    cuts[0].max_x = needed.min_x - 1;
    cuts[1].min_x = needed.max_x + 1;
    cuts[2].max_y = needed.min_y - 1;
    cuts[3].min_y = needed.max_y + 1;
    return *std::ranges::max_element(cuts, {}, area_of);
}

}  // namespace

Reach::Reach(const Layout& layout, std::int32_t leave_radius_mm_max, std::int32_t hysteresis_mm)
    : leave_radius_mm_max_(leave_radius_mm_max),
      all_(layout.shards().begin(), layout.shards().end()) {
    const std::int64_t reach_mm = std::int64_t{leave_radius_mm_max} + hysteresis_mm;
    shards_.resize(std::size_t{to_number(layout.shards().back())} + 1);
    for (const ShardId id : layout.shards()) {
        const engine::Rect& area = layout.region(id).area;
        const engine::Rect kept = area.grown_by(hysteresis_mm);
        shards_[to_number(id)] = {kept, area.grown_by(reach_mm), kept, {}};
    }
    for (const ShardId id : layout.shards()) {
        PerShard& shard = shards_[to_number(id)];
        for (const ShardId other : layout.shards()) {
            const engine::Rect& needed = shards_[to_number(other)].needed;
            if (other == id || !needed.touches(shard.kept)) {
                continue;
            }
            shard.neighbours.push_back(other);
            shard.interior = cut_clear(shard.interior, needed);
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
