#pragma once

#include "engine/geometry.h"
#include "shards/layout/layout.h"
#include "tools/layout/report.h"

#include <span>
#include <string>
#include <vector>

namespace marchland::layout {

/// A layout as a picture: SVG, north (large y) up, each shard in a colour of its own with its name
/// where there is room for it, edges in metres along the world's sides.
///
/// `positions` become dots, at most some thousands of them, evenly chosen. `changes` are hatched.
/// Names from a file are escaped: they may hold anything but control characters.
std::string draw(const shards::Layout& layout, std::span<const engine::Position> positions,
                 const std::vector<OwnerChange>& changes);

}  // namespace marchland::layout
