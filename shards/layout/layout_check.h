#pragma once

#include "shards/layout/layout.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace marchland::shards {

/// Do these regions tile the world? Every error at once, empty when they do. Gaps and overlaps are
/// named as rectangles, each as large as the edges of the regions around it allow.
///
/// Cost  O(n²) for overlaps, O(n² log n) for gaps with n regions, n at most kShardsMax.
std::vector<LayoutError> check_layout(const engine::Rect& world,
                                      const std::vector<Region>& regions);

/// Can the world be divided like this at all?
std::optional<LayoutError> check_grid(const engine::Rect& world, std::uint32_t columns,
                                      std::uint32_t rows);

}  // namespace marchland::shards
