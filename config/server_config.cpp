#include "engine/assert.h"
#include "shards/tick_clock.h"
#include "config/layout_draft.h"
#include "config/settings.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

namespace marchland::config {

namespace {

using std::filesystem::path;

/// How long the zone remembers who left: for as long as a client may be behind, stay away, and be
/// behind again when it is back; a second more than the first at least. So the server gives a slow
/// client up first, with its own error code. And for as long as a healthy client may have to wait
/// for its turn: a second, and two while the zone is overloaded.
std::uint32_t frame_gap_ticks(const net::ServerOptions& server, const shards::StateOptions& state,
                              std::uint32_t rate_hz) {
    const auto ticks_in = [rate_hz](std::uint64_t ms) { return (ms * rate_hz + 999) / 1'000; };
    const std::uint64_t slow_ticks = ticks_in(server.slow_timeout_ms);
    const std::uint64_t away_ticks =
        ticks_in(std::max({server.resume_grace_ms, server.services.grace_ms,
                           state.is_on ? state.restart_grace_ms : 0}));
    const std::uint64_t turn_ticks = std::uint64_t{rate_hz} * shards::kTurnTicksMax;
    return static_cast<std::uint32_t>(
        slow_ticks + std::max(away_ticks + slow_ticks, std::uint64_t{rate_hz}) + turn_ticks);
}

/// A relative one is below what a service manager gives the server for its state (systemd's
/// StateDirectory=), else beside the configuration.
std::string state_directory(const std::string& written, const path& folder) {
    const char* const given = std::getenv("STATE_DIRECTORY");
    return std::filesystem::absolute((given != nullptr ? path(given) : folder) / written)
        .lexically_normal()
        .string();
}

/// Makes paths absolute, from the folder of the file that names them.
void resolve_paths(net::ServerOptions& server, const std::filesystem::path& folder) {
    const auto resolve = [&](std::string& path) {
        if (!path.empty()) {
            path = std::filesystem::absolute(folder / path).lexically_normal().string();
        }
    };
    resolve(server.tls.certificate);
    resolve(server.tls.key);
    resolve(server.admin.token_file);
    resolve(server.admin.read_token_file);
    for (net::TokenKeyFile& key : server.auth.keys) {
        resolve(key.file);
    }
}

/// What a server's file says, and what is wrong with it and with the layout file it names.
struct Loading {
    explicit Loading(const path& file) : reading(file.string()) {}

    Settings settings;
    Reading reading;
    Diagnostics layout_diagnostics;

    [[nodiscard]] std::optional<engine::Rect> world() const {
        return reading.is_refused("world.bounds_m") ? std::nullopt
                                                    : std::optional(settings.zone.world);
    }
};

/// A layout that is given in two ways, or wrongly, is not built: its gaps would be reported
/// besides.
std::optional<shards::Layout> layout_from_settings(Loading& loading) {
    Reading& reading = loading.reading;
    for (const auto* form : {"shards.columns", "shards.rows", "shards.layout", "shard"}) {
        if (reading.is_refused(form)) {
            return std::nullopt;
        }
    }
    const auto world = loading.world();
    return world ? build_layout(loading.settings.layout, *world, "shards", reading) : std::nullopt;
}

/// Where the world was refused the layout is read without one, so that its own errors are reported
/// all the same.
std::optional<shards::Layout> layout_from_file(const path& file, Loading& loading) {
    auto loaded = load_layout(file, loading.world(), loading.settings.zone.world);
    if (auto* layout = std::get_if<shards::Layout>(&loaded)) {
        return std::move(*layout);
    }
    loading.layout_diagnostics = std::get<Diagnostics>(std::move(loaded));
    return std::nullopt;
}

/// A file that is not there is the fault of whoever names it.
void blame_key_for_missing_file(Loading& loading) {
    const auto place = loading.reading.place_of("shards.layout");
    Diagnostics& diagnostics = loading.layout_diagnostics;
    if (place && diagnostics.size() == 1 && diagnostics.front().line == 0) {
        const Diagnostic& missing = diagnostics.front();
        loading.reading.refuse(*place, "shards.layout", missing.file + ' ' + missing.reason,
                               "the path is relative to the folder of this file");
        diagnostics.clear();
    }
}

std::optional<shards::Layout> find_layout(const path& file, const std::optional<path>& override,
                                          Loading& loading) {
    if (override) {
        return layout_from_file(*override, loading);
    }
    if (loading.settings.layout_file.empty()) {
        return layout_from_settings(loading);
    }
    const path named = (file.parent_path() / loading.settings.layout_file).lexically_normal();
    auto layout = layout_from_file(named, loading);
    blame_key_for_missing_file(loading);
    return layout;
}

}  // namespace

std::variant<ServerConfig, Diagnostics> load_server_config(
    const path& file, const std::optional<path>& layout_override) {
    Loading loading(file);
    auto document = read_document(file);
    if (const auto* problem = std::get_if<FileProblem>(&document)) {
        loading.reading.refuse(*problem);
        return loading.reading.take_diagnostics();
    }
    Settings& settings = loading.settings;
    read_settings(std::get<Node>(document), settings, loading.reading);
    check_relations(settings, loading.reading);
    auto layout = find_layout(file, layout_override, loading);

    Diagnostics diagnostics = loading.reading.take_diagnostics();
    std::ranges::move(loading.layout_diagnostics, std::back_inserter(diagnostics));
    if (!diagnostics.empty()) {
        return diagnostics;
    }
    // Whatever keeps a layout from being built has been refused by now.
    MARCHLAND_ASSERT(layout.has_value());
    resolve_paths(settings.server, file.parent_path());
    settings.state.directory = state_directory(settings.state.directory, file.parent_path());
    settings.zone.frame_gap_ticks_max =
        frame_gap_ticks(settings.server, settings.state, settings.zone.tick_rate_hz);
    return ServerConfig{std::move(settings), *std::move(layout)};
}

namespace {

std::variant<shards::Layout, Diagnostics> layout_of(const std::variant<Node, FileProblem>& document,
                                                    const std::optional<engine::Rect>& world,
                                                    const std::optional<engine::Rect>& grid_world,
                                                    Reading reading) {
    if (const auto* problem = std::get_if<FileProblem>(&document)) {
        reading.refuse(*problem);
        return reading.take_diagnostics();
    }
    LayoutDraft draft;
    read_layout(std::get<Node>(document), draft, reading);
    if (reading.refused_count() > 0) {
        return reading.take_diagnostics();
    }
    const auto own_world = draft.shards.empty() ? grid_world : edges_around(draft.shards);
    if (!world && !own_world) {
        reading.refuse({"grid"}, "a grid has no size of its own",
                       "name the world that it divides: --config FILE, a server's configuration");
    } else if (auto layout = build_layout(draft, world ? *world : *own_world, "grid", reading)) {
        return *std::move(layout);
    }
    return reading.take_diagnostics();
}

}  // namespace

std::variant<shards::Layout, Diagnostics> load_layout(
    const path& file, const std::optional<engine::Rect>& world,
    const std::optional<engine::Rect>& grid_world) {
    return layout_of(read_document(file), world, grid_world, Reading(file.string()));
}

std::variant<shards::Layout, Diagnostics> parse_layout(std::string_view text,
                                                       const std::string& name,
                                                       const engine::Rect& world) {
    return layout_of(parse_document(text), world, world, Reading(name));
}

}  // namespace marchland::config
