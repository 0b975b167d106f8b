#pragma once

#include "engine/geometry.h"
#include "shards/layout/layout.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace marchland::layout {

struct BalanceLimits {
    std::size_t shards = 1;        ///< 1 to kShardsMax
    std::int64_t side_mm_min = 1;  ///< no shard is narrower or lower than this
    /// As of Reach: how far from a border entities have ghosts; 0: they are not counted.
    std::int64_t reach_mm = 0;
};

/// Can a world be cut into so many shards of at least that size? A cut that wastes nothing fits
/// floor(width / side) columns and as many rows.
bool can_balance(const engine::Rect& world, const BalanceLimits& limits);

/// Cuts the world so that each shard holds about as many of `positions` and of their ghosts: in
/// two, by the share of shards that each side gets, then each part again. Each cut is along the
/// axis that divides more evenly, the longer one where both do, and lies halfway between two
/// positions. Of the cuts that leave either side at least half of its share, it is the one with the
/// fewest positions and ghosts on the fuller side. (More may stand on one line, or lie within the
/// least side.)
///
/// Needs   can_balance; the positions lie in the world. Without any, the cuts divide the ground.
/// Order   Names s0, s1, ... from min_x, min_y. The same positions in any order, the same layout.
/// Cost    O(n log n) for each halving, O(log shards) of them.
/// Source  k-d tree: J. L. Bentley, "Multidimensional binary search trees", CACM 18 (1975).
shards::Layout balanced_layout(const engine::Rect& world, std::vector<engine::Position> positions,
                               const BalanceLimits& limits);

}  // namespace marchland::layout
