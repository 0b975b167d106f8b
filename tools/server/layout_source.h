#pragma once

#include "engine/geometry.h"
#include "shards/layout/layout.h"
#include "config/config.h"

#include <filesystem>
#include <optional>
#include <string>
#include <variant>

namespace marchland::server {

/// Where a running server's layout comes from, to be read again: the file that --layout named, or
/// else whatever the configuration says.
struct LayoutSource {
    std::filesystem::path config;
    std::optional<std::filesystem::path> layout;

    [[nodiscard]] std::string name() const { return layout.value_or(config).string(); }
};

/// The layout as it stands there now, for a world that is in use and cannot change; or every error.
std::variant<shards::Layout, config::Diagnostics> read_again(const LayoutSource& source,
                                                             const engine::Rect& world);

}  // namespace marchland::server
