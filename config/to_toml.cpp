#include "config/layout_draft.h"
#include "config/metres.h"
#include "config/settings.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <variant>

namespace marchland::config {

namespace {

/// The grid that the layout is, names and all, if it is one: two lines instead of many, and it
/// stays a grid when somebody changes the world.
std::optional<GridShape> grid_of(const shards::Layout& layout) {
    const auto is_in_first_row = [&](shards::ShardId shard) {
        return layout.region(shard).area.min_y == layout.world().min_y;
    };
    const auto columns =
        static_cast<std::uint32_t>(std::ranges::count_if(layout.shards(), is_in_first_row));
    const GridShape shape{columns, static_cast<std::uint32_t>(layout.size()) / columns};
    const auto divided = shards::Layout::grid(layout.world(), shape.columns, shape.rows);
    const auto* same = std::get_if<shards::Layout>(&divided);
    return same != nullptr && *same == layout ? std::optional(shape) : std::nullopt;
}

std::string write_section(const Section& section, const Settings& settings) {
    std::string text = '[' + std::string(section.name) + "]\n";
    for (const Field<Settings>& field : section.fields) {
        if (const std::string value = field.write(settings); !value.empty()) {
            text += std::string(field.name) + " = " + value + '\n';
        }
    }
    return text + '\n';
}

}  // namespace

std::string to_toml(const shards::Layout& layout) {
    const Fields<ShardEntry> fields = entry_fields();
    std::string text;
    for (const shards::ShardId shard : layout.shards()) {
        const auto& [name, area] = layout.region(shard);
        const ShardEntry entry{name, to_edges(area, layout.world()), {}, {}};
        text += text.empty() ? "[[shard]]\n" : "\n[[shard]]\n";
        for (const Field<ShardEntry>& field : fields) {
            text += std::string(field.name) + " = " + field.write(entry) + '\n';
        }
    }
    return text;
}

std::string to_toml(const ServerConfig& config) {
    const std::optional<GridShape> grid = grid_of(config.layout);
    const Settings settings{config, {grid.value_or(GridShape{}), {}}, grid.has_value(), {}};

    std::string text;
    for (const Section& section : server_sections()) {
        text += write_section(section, settings);
    }
    // The list in full, wherever it came from: so what is printed depends on no other file.
    text += grid ? "" : to_toml(config.layout);
    if (grid) {
        text.pop_back();  // the empty line after the last table
    }
    return text;
}

}  // namespace marchland::config
