#pragma once

#include "engine/geometry.h"
#include "shards/layout.h"
#include "tools/trace/options.h"

#include <string>
#include <variant>

namespace marchland::trace {

/// The layout that the options ask for, whose world holds `extent`: a grid over the extent itself,
/// or that of a file. Otherwise why there is none, in whole lines.
std::variant<shards::Layout, std::string> choose_layout(const Options& options,
                                                        const engine::Rect& extent);

/// The same for a recording, whose world the layout must tile.
std::variant<shards::Layout, std::string> choose_replay_layout(const Options& options,
                                                               const engine::Rect& world);

}  // namespace marchland::trace
