#include "tools/server/layout_source.h"

#include "config/metres.h"

#include <fmt/format.h>

#include <utility>

namespace marchland::server {

std::variant<shards::Layout, config::Diagnostics> read_again(const LayoutSource& source,
                                                             const engine::Rect& world) {
    if (source.layout) {
        return config::load_layout(*source.layout, world, world);
    }
    auto loaded = config::load_server_config(source.config, std::nullopt);
    if (auto* errors = std::get_if<config::Diagnostics>(&loaded)) {
        return std::move(*errors);
    }
    auto& config = std::get<config::ServerConfig>(loaded);
    if (config.zone.world != world) {
        config::Diagnostic error;
        error.file = source.config.string();
        error.key = "world.bounds_m";
        error.reason =
            fmt::format("{} is not the world that is in use ({})",
                        config::edges_text(config.zone.world), config::edges_text(world));
        error.hint = "only the layout is read again; another world needs a restart";
        return config::Diagnostics{std::move(error)};
    }
    return std::move(config.layout);
}

}  // namespace marchland::server
