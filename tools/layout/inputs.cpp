#include "tools/layout/inputs.h"

#include "config/metres.h"
#include "tools/trace_file/trace_file.h"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace marchland::layout {

namespace {

config::Diagnostics refusal(const std::filesystem::path& file, std::string reason,
                            std::string hint) {
    config::Diagnostic error;
    error.file = file.string();
    error.reason = std::move(reason);
    error.hint = std::move(hint);
    return {std::move(error)};
}

}  // namespace

std::variant<engine::Rect, config::Diagnostics> read_world(const std::filesystem::path& config) {
    auto loaded = config::load_server_config(config, std::nullopt);
    if (auto* errors = std::get_if<config::Diagnostics>(&loaded)) {
        return std::move(*errors);
    }
    return std::get<config::ServerConfig>(loaded).zone.world;
}

std::variant<shards::Layout, config::Diagnostics> read_layout(
    const std::filesystem::path& file, const std::optional<engine::Rect>& world) {
    // A grid divides whatever it is given: two worlds, two layouts, and it has no size of its own.
    constexpr engine::Rect kSome{0, 0, 999'999, 999'999};
    constexpr engine::Rect kOther{0, 0, 1'999'999, 1'999'999};
    auto layout = config::load_layout(file, world, world.value_or(kSome));
    if (world || std::holds_alternative<config::Diagnostics>(layout)) {
        return layout;
    }
    const auto again = config::load_layout(file, std::nullopt, kOther);
    const auto* same = std::get_if<shards::Layout>(&again);
    if (same == nullptr || same->world() != std::get<shards::Layout>(layout).world()) {
        return refusal(file, "a grid has no size of its own",
                       "name the world that it divides: --config FILE, a server's configuration");
    }
    return layout;
}

std::variant<Positions, config::Diagnostics> read_positions(
    const std::filesystem::path& file, const std::optional<engine::Rect>& world) {
    auto loaded = trace::load_trace(file);
    if (auto* error = std::get_if<config::Diagnostic>(&loaded)) {
        return config::Diagnostics{std::move(*error)};
    }
    const auto& trace = std::get<trace::Trace>(loaded);
    const engine::Rect& extent = trace.extent;
    if (world && (extent.min_x < world->min_x || extent.min_y < world->min_y ||
                  extent.max_x > world->max_x || extent.max_y > world->max_y)) {
        return refusal(file,
                       fmt::format("positions ({}) lie outside the world ({})",
                                   config::edges_text(extent), config::edges_text(*world)),
                       "the trace and the layout must be of one world, in metres");
    }
    Positions positions;
    positions.extent = extent;
    positions.samples.reserve(trace.samples.size());
    std::map<engine::EntityId, engine::Position> last;
    for (const trace::TraceSample& sample : trace.samples) {
        positions.samples.push_back(sample.at);
        last[sample.id] = sample.at;
    }
    for (const auto& [id, at] : last) {
        positions.last.push_back(at);
    }
    return positions;
}

}  // namespace marchland::layout
