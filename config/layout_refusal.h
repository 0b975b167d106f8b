#pragma once

#include "engine/geometry.h"
#include "shards/layout/layout.h"
#include "config/layout_draft.h"
#include "config/reading.h"

#include <string>

namespace marchland::config {

/// Says what `error` means in the file that the draft came from: at the line that is to blame, with
/// rectangles as the file writes them.
void refuse_layout(const shards::LayoutError& error, const LayoutDraft& draft,
                   const engine::Rect& world, const std::string& grid_key, Reading& reading);

}  // namespace marchland::config
