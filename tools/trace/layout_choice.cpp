#include "tools/trace/layout_choice.h"

#include "config/config.h"
#include "config/metres.h"
#include "tools/trace/trace_run.h"

#include <fmt/core.h>

#include <optional>
#include <string_view>
#include <vector>

namespace marchland::trace {
namespace {

std::variant<shards::Layout, std::string> grid_over(std::string_view what,
                                                    const engine::Rect& extent,
                                                    const Options::Grid& grid) {
    auto made = shards::Layout::grid(extent, grid.columns, grid.rows);
    if (auto* layout = std::get_if<shards::Layout>(&made)) return std::move(*layout);
    std::string text = fmt::format("--shards {}x{}: {} ({}) cannot be cut like that\n",
                                   grid.columns, grid.rows, what, config::edges_text(extent));
    for (const auto& error : std::get<std::vector<shards::LayoutError>>(made)) {
        text += fmt::format("  {}\n", error.message);
    }
    return text;
}

std::string lines_of(const config::Diagnostics& errors) {
    std::string text;
    for (const config::Diagnostic& error : errors) {
        text += config::to_text(error) + '\n';
    }
    return text;
}

std::variant<shards::Layout, std::string> from_file(const std::filesystem::path& file,
                                                    const engine::Rect& extent) {
    auto loaded = config::load_layout(file, std::nullopt, extent);
    if (const auto* errors = std::get_if<config::Diagnostics>(&loaded)) return lines_of(*errors);
    auto& layout = std::get<shards::Layout>(loaded);
    if (!holds(layout.world(), extent)) {
        return fmt::format(
            "{}: positions of the trace are outside the layout\n"
            "  the trace:  {}\n  the layout: {}\n"
            "  hint: widen the layout's outer regions to hold the trace\n",
            file.string(), config::edges_text(extent), config::edges_text(layout.world()));
    }
    return std::move(layout);
}

}  // namespace

std::variant<shards::Layout, std::string> choose_layout(const Options& options,
                                                        const engine::Rect& extent) {
    if (options.layout) return from_file(*options.layout, extent);
    return grid_over("the trace's extent", extent, options.shards.value_or(Options::Grid{}));
}

std::variant<shards::Layout, std::string> choose_replay_layout(const Options& options,
                                                               const engine::Rect& world) {
    if (!options.layout) {
        return grid_over("the recording's world", world, options.shards.value_or(Options::Grid{}));
    }
    auto loaded = config::load_layout(*options.layout, world, world);
    if (const auto* errors = std::get_if<config::Diagnostics>(&loaded)) return lines_of(*errors);
    return std::get<shards::Layout>(std::move(loaded));
}

}  // namespace marchland::trace
