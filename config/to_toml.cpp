#include "config/layout_draft.h"
#include "config/metres.h"
#include "config/settings.h"

#include <optional>
#include <variant>

namespace marchland::config {

namespace {

bool is_same(const shards::Layout& a, const shards::Layout& b) {
    if (a.world() != b.world() || a.size() != b.size()) {
        return false;
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a.region(a.shards()[i]) != b.region(b.shards()[i])) {
            return false;
        }
    }
    return true;
}

/// The grid that the layout is, names and all, if it is one: two lines instead of many, and it stays
/// a grid when somebody changes the world. O(shards) for each divisor of their number.
std::optional<GridShape> grid_of(const shards::Layout& layout) {
    const auto size = static_cast<std::uint32_t>(layout.size());
    for (std::uint32_t columns = 1; columns <= size; ++columns) {
        if (size % columns != 0) {
            continue;
        }
        const auto grid = shards::Layout::grid(layout.world(), columns, size / columns);
        const auto* same = std::get_if<shards::Layout>(&grid);
        if (same != nullptr && is_same(*same, layout)) {
            return GridShape{columns, size / columns};
        }
    }
    return std::nullopt;
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
