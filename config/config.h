#pragma once

#include "shards/layout/balancer.h"
#include "shards/layout/layout.h"
#include "shards/state/keeper.h"
#include "shards/zone_options.h"
#include "net/server_options.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace marchland::config {

/// One thing that is wrong with a file. Printed as
///   zone.toml:9:1: shards.colums: unknown key
///     hint: did you mean 'columns'? Known keys: columns, rows
struct Diagnostic {
    std::string file;
    std::uint32_t line = 0;    ///< from 1; 0: the file as a whole
    std::uint32_t column = 0;  ///< from 1; 0: the file as a whole
    std::string key;           ///< dotted; empty where no key is concerned
    std::string reason;
    std::string hint;  ///< may be empty
};

std::string to_text(const Diagnostic& diagnostic);

using Diagnostics = std::vector<Diagnostic>;

/// One below the other, without a newline after the last.
std::string to_text(const Diagnostics& diagnostics);

/// A server's zone has limits that the library's has not: whoever is on the internet meets crowds.
inline shards::ZoneOptions zone_defaults() {
    shards::ZoneOptions zone;
    zone.crowd.frame_bytes_max = 64U << 10U;
    zone.client_bytes_per_second_max = 256U << 10U;
    zone.tick_bytes_max = 32U << 20U;
    return zone;
}

/// What a line of the log looks like: for people, or an object of JSON.
enum class LogFormat : std::uint8_t { text, json };

/// What a server's file says beside the layout.
struct ServerSettings {
    shards::ZoneOptions zone = zone_defaults();
    net::ServerOptions server;
    shards::BalancerOptions balancer;
    shards::StateOptions state;
    LogFormat log_format = LogFormat::text;
    std::string log_level = "info";  ///< debug, info, warning, error or off
    std::size_t log_queue_lines_max = 4'096;
};

/// Everything that marchland-server runs with.
struct ServerConfig : ServerSettings {
    shards::Layout layout;
};

/// Reads a server's configuration, all errors at once. `layout_override` (a path from the command
/// line) takes the place of the layout that the file names. Relative paths in a file are relative
/// to that file's folder.
std::variant<ServerConfig, Diagnostics> load_server_config(
    const std::filesystem::path& file, const std::optional<std::filesystem::path>& layout_override);

/// Two entrances that are both on and want one port of one address: the kernel would give it to the
/// first alone.
struct SharedPort {
    std::string_view first;   ///< its key, such as "server.port"
    std::string_view second;  ///< likewise
};

/// Nothing when each has its own. Port 0 is never shared.
std::optional<SharedPort> shared_port(const net::ServerOptions& options);

/// The configuration in force, defaults included, as TOML that load_server_config reads back.
std::string to_toml(const ServerConfig& config);

/// The layout as a file that load_layout reads back, shard by shard.
std::string to_toml(const shards::Layout& layout);

/// Reads a layout. `world`: what it must tile; without one, the rectangle around its regions (a
/// regular grid has none of its own: then `grid_world` is what it divides, or it is refused).
std::variant<shards::Layout, Diagnostics> load_layout(
    const std::filesystem::path& file, const std::optional<engine::Rect>& world,
    const std::optional<engine::Rect>& grid_world);

/// The same of a text that came another way; `name` is what its errors call it.
std::variant<shards::Layout, Diagnostics> parse_layout(std::string_view text,
                                                       const std::string& name,
                                                       const engine::Rect& world);

}  // namespace marchland::config
