#pragma once

#include "engine/geometry.h"
#include "config/fields.h"

namespace marchland::config {

/// { min_x = -100, min_y = -100, max_x = 100, max_y = 100 }, as edges (see to_inclusive).
Fields<engine::Rect> rect_fields();

/// Refuses a rectangle without an inside.
void check_rect(const engine::Rect& edges, const std::string& key, Place place, Reading& reading);

/// { x = 0, y = 0, z = 0 }; z may be left out.
Fields<engine::Position> position_fields();

/// Any distance along an axis that the engine can hold.
inline constexpr WholeRange kAnywhereMm{kMillimetresMin, kMillimetresMax};

}  // namespace marchland::config
