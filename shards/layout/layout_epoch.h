#pragma once

#include "engine/ids.h"
#include "shards/border/reach.h"
#include "shards/layout/layout.h"

#include <array>
#include <cstdint>
#include <memory>
#include <utility>

namespace marchland::shards {

/// The ticks that one layout is in force in, and what follows from that layout. Which epoch a tick
/// belongs to is decided before any shard begins it, so all shards run it under one layout, also one
/// that is late.
///
/// Threads  Immutable: shared by all shards, and kept alive by the last that runs under it.
struct LayoutEpoch {
    /// `before`: the epoch that it follows; null for the first.
    LayoutEpoch(const LayoutEpoch* before, engine::Tick from_, Layout layout_,
                std::int32_t leave_radius_mm_max, std::int32_t hysteresis_mm);

    const std::uint64_t number;  ///< 0 for the layout that the zone began with, then 1, 2, ...
    const engine::Tick from;     ///< its first tick
    const Layout layout;
    const Reach reach;
    /// The first shard of the layout before: it tells newcomers what nobody else may still know.
    const ShardId informer;

    /// The epoch that `shard` came with, and has been in every layout since. It has a region in this one.
    [[nodiscard]] std::uint64_t came_with(ShardId shard) const {
        return came_with_[to_number(shard)];
    }

private:
    std::array<std::uint64_t, kShardsMax> came_with_{};  ///< by shard
};

using EpochPtr = std::shared_ptr<const LayoutEpoch>;

}  // namespace marchland::shards
