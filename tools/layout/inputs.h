#pragma once

#include "engine/geometry.h"
#include "shards/layout.h"
#include "config/config.h"

#include <filesystem>
#include <optional>
#include <variant>
#include <vector>

namespace marchland::layout {

/// The world that a server's configuration says.
std::variant<engine::Rect, config::Diagnostics> read_world(const std::filesystem::path& config);

/// A layout file; without a world it is the rectangle around the shards, and a grid is refused.
std::variant<shards::Layout, config::Diagnostics> read_layout(
    const std::filesystem::path& file, const std::optional<engine::Rect>& world);

/// Where a trace was.
struct Positions {
    std::vector<engine::Position> samples;  ///< all of them
    std::vector<engine::Position> last;     ///< the last of each entity, by ascending id
    engine::Rect extent;
};

/// All of them lie in `world`, where there is one.
std::variant<Positions, config::Diagnostics> read_positions(
    const std::filesystem::path& trace, const std::optional<engine::Rect>& world);

}  // namespace marchland::layout
