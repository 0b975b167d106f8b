#pragma once

#include "engine/ids.h"
#include "shards/layout.h"
#include "shards/reach.h"

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
    LayoutEpoch(std::uint64_t number_, engine::Tick from_, Layout layout_,
                std::int32_t leave_radius_mm_max, std::int32_t hysteresis_mm)
        : number(number_),
          from(from_),
          layout(std::move(layout_)),
          reach(layout, leave_radius_mm_max, hysteresis_mm) {}

    const std::uint64_t number;  ///< 0 for the layout that the zone began with, then 1, 2, ...
    const engine::Tick from;     ///< its first tick
    const Layout layout;
    const Reach reach;
};

using EpochPtr = std::shared_ptr<const LayoutEpoch>;

}  // namespace marchland::shards
