#include "config/metres.h"
#include "config/settings.h"

#include <array>
#include <string>
#include <vector>

namespace marchland::config {

namespace {

using net::AdminOptions;
using net::AuthOptions;
using net::ServerOptions;

/// A key's value, for comparing and for showing.
struct Value {
    std::string_view key;
    std::int64_t number;
    std::string text;
};

Value distance(std::string_view key, std::int32_t mm) {
    return {key, mm, metres_text(mm)};
}

Value count(std::string_view key, std::uint64_t number) {
    return {key, static_cast<std::int64_t>(number), std::to_string(number)};
}

/// How much of a stream a message takes: its length comes before it.
Value whole_message(std::string_view key, std::uint64_t bytes) {
    constexpr std::uint64_t kPrefixBytes = 4;
    return {key, static_cast<std::int64_t>(bytes + kPrefixBytes),
            std::to_string(bytes) + " and a prefix of 4"};
}

/// "55", or "55, the default": a value that stands nowhere in the file is marked as the default.
std::string shown(const Value& value, const Reading& reading) {
    return value.text + (reading.place_of(value.key) ? "" : ", the default");
}

void check_at_most(const Value& small, const Value& large, std::string_view hint,
                   Reading& reading) {
    if (small.number <= large.number || reading.is_refused(small.key) ||
        reading.is_refused(large.key)) {
        return;
    }
    const bool is_at_small = reading.place_of(small.key) || !reading.place_of(large.key);
    const Value& sent = is_at_small ? small : large;
    const Value& other = is_at_small ? large : small;
    reading.refuse({sent.key, other.key},
                   shown(sent, reading) + " must be at " + (is_at_small ? "most " : "least ") +
                       std::string(other.key) + " (" + shown(other, reading) + ')',
                   std::string(hint));
}

void check_spawn(const Settings& settings, Reading& reading) {
    const engine::Position at = settings.server.default_spawn;
    if (settings.zone.world.contains(at) || reading.is_refused("spawn.at_m") ||
        reading.is_refused("world.bounds_m")) {
        return;
    }
    const Value spawn{"spawn.at_m", 0, "x " + metres_text(at.x) + ", y " + metres_text(at.y)};
    reading.refuse({"spawn.at_m", "world.bounds_m"},
                   shown(spawn, reading) + ", lies outside world.bounds_m (" +
                       edges_text(settings.zone.world) + ')',
                   "[spawn] at_m = { x = ..., y = ... } is where a client without a wish begins");
}

void check_slots(const engine::StateSlots& slots, Reading& reading) {
    const char* const flaw = engine::flaw_of(slots);
    if (flaw != nullptr && !reading.is_refused("entities.slots")) {
        reading.refuse({"entities.slots"}, std::string(flaw));
    }
}

/// A player is put on the grid: so there must be a point of it in the world.
void check_quantum(const Settings& settings, Reading& reading) {
    const engine::Rect& world = settings.zone.world;
    const std::int64_t quantum = settings.zone.quantum_mm;
    if (std::min(world.max_x - world.min_x, world.max_y - world.min_y) >= quantum ||
        reading.is_refused("world.bounds_m") || reading.is_refused("world.quantum_mm")) {
        return;
    }
    const Value value = count("world.quantum_mm", settings.zone.quantum_mm);
    reading.refuse(
        {value.key, "world.bounds_m"},
        shown(value, reading) + " is more than the world is wide (" + edges_text(world) + ')');
}

/// A client can take one frame a tick at most: a limit within two ticks would give up healthy ones.
void check_slow_timeout(const Settings& settings, Reading& reading) {
    const std::uint32_t rate_hz = settings.zone.tick_rate_hz;
    const std::uint32_t two_ticks_ms = (2'000 + rate_hz - 1) / rate_hz;
    if (settings.server.slow_timeout_ms >= two_ticks_ms ||
        reading.is_refused("limits.slow_timeout_ms") || reading.is_refused("tick.rate_hz")) {
        return;
    }
    const Value timeout = count("limits.slow_timeout_ms", settings.server.slow_timeout_ms);
    reading.refuse({timeout.key, "tick.rate_hz"},
                   shown(timeout, reading) + " is shorter than two ticks (" +
                       std::to_string(two_ticks_ms) + " ms at tick.rate_hz " +
                       std::to_string(rate_hz) + ')');
}

/// Each key by itself is within its range: what is left is about the update rings.
void check_crowd(const Settings& settings, Reading& reading) {
    constexpr std::array<std::string_view, engine::kUpdateRingsMax> kKeys = {
        "crowd.ring_1", "crowd.ring_2", "crowd.ring_3", "crowd.ring_4"};
    if (reading.is_refused("crowd")) {
        return;
    }
    engine::CrowdLimits limits = settings.zone.crowd;
    limits.rings = {};
    // Each beside those before it: the first that does not fit is what is wrong.
    for (std::size_t ring = 0; ring < kKeys.size(); ++ring) {
        limits.rings[ring] = settings.zone.crowd.rings[ring];
        if (const char* const flaw = engine::flaw_of(limits)) {
            reading.refuse({kKeys[ring]}, flaw, "{ beyond_m = 0, every_ticks = 0 } is no ring");
            return;
        }
    }
}

/// A frame has room for any item, the last that it takes, and a client for more than frames without
/// anything.
void check_budget(const Settings& settings, Reading& reading) {
    constexpr std::uint32_t kFrameBytesMin = 2'048;
    constexpr std::uint32_t kTickBytesMin = 256;
    const shards::ZoneOptions& zone = settings.zone;
    if (zone.crowd.frame_bytes_max == 0 || reading.is_refused("crowd.frame_bytes_max")) {
        return;
    }
    const auto refuse = [&](const Value& value, const std::string& why) {
        reading.refuse({value.key}, shown(value, reading) + why, "0: no such limit");
    };
    if (zone.crowd.frame_bytes_max < kFrameBytesMin) {
        refuse(count("crowd.frame_bytes_max", zone.crowd.frame_bytes_max),
               " is less than " + std::to_string(kFrameBytesMin) + ", in which any message fits");
    } else if (const std::uint32_t least = shards::frame_bytes_min(zone);
               zone.crowd.frame_bytes_max < least && !reading.is_refused("entities.slots")) {
        const Value value = count("crowd.frame_bytes_max", zone.crowd.frame_bytes_max);
        reading.refuse({value.key, "entities.slots"},
                       shown(value, reading) + " is less than " + std::to_string(least) +
                           ", in which whoever comes into view fits with all of entities.slots",
                       "0: no such limit");
    }
    const std::uint32_t least = kTickBytesMin * zone.tick_rate_hz;
    if (zone.client_bytes_per_second_max != 0 && zone.client_bytes_per_second_max < least &&
        !reading.is_refused("tick.rate_hz")) {
        refuse(count("crowd.client_bytes_per_second_max", zone.client_bytes_per_second_max),
               " is less than " + std::to_string(least) + ", " + std::to_string(kTickBytesMin) +
                   " in each tick");
    }
}

/// The world is divided in one way: a grid, a file, or shards written here.
void check_one_layout(Reading& reading) {
    static constexpr std::array<std::string_view, 4> kForms = {"shards.columns", "shards.rows",
                                                               "shards.layout", "shard"};
    std::string_view first;
    for (const std::string_view form : kForms) {
        if (!reading.place_of(form) || (first == kForms[0] && form == kForms[1])) {
            continue;
        }
        if (!first.empty()) {
            reading.refuse(*reading.place_of(form), form,
                           "excludes " + std::string(first) + " (line " +
                               std::to_string(reading.place_of(first)->line) + ')',
                           "the world is divided by columns and rows, or by a layout file, or by "
                           "[[shard]]");
            return;
        }
        first = form;
    }
}

/// Without tokens, whoever can connect may do everything: then only this machine may.
void check_open_door(const ServerOptions& options, Reading& reading) {
    if (options.auth.mode != AuthOptions::Mode::none || reading.is_refused("auth")) {
        return;
    }
    const auto refuse = [&](std::string_view key, const std::string& address) {
        if (!net::is_loopback(address) && !reading.is_refused(key)) {
            reading.refuse({key},
                           toml_string(address) +
                               " lets others connect than this machine, and auth.mode is \"none\"",
                           "[auth] mode = \"jwt\" asks for tokens; see docs/security.md");
        }
    };
    refuse("server.address", options.address);
    if (options.web_socket.is_on) {
        refuse("websocket.address", options.web_socket.address);
    }
}

void check_tokens(const AuthOptions& auth, Reading& reading) {
    if (auth.mode == AuthOptions::Mode::none &&
        auth.second_login != AuthOptions::SecondLogin::allow && !reading.is_refused("auth")) {
        reading.refuse({"auth.second_login"},
                       "needs mode \"jwt\": without tokens nobody has a subject");
    }
    if (auth.mode == AuthOptions::Mode::none || reading.is_refused("auth")) {
        return;
    }
    if (auth.audience.empty()) {
        reading.refuse({"auth.audience", "auth.mode"}, "is needed with mode \"jwt\"",
                       "the name that tokens for this zone have");
    }
    if (auth.keys.empty()) {
        reading.refuse({"auth.keys", "auth.mode"}, "is needed with mode \"jwt\"",
                       "keys = [{ file = \"login.pem\", algorithm = \"EdDSA\" }]");
    }
    if (const std::string flaw = net::kid_flaw(auth.keys); !flaw.empty()) {
        reading.refuse({"auth.keys"}, flaw,
                       "{ file = \"login.pem\", algorithm = \"EdDSA\", kid = \"2026\" }");
    }
}

void check_tls(const ServerOptions& options, Reading& reading) {
    const bool is_used = options.is_tls || (options.web_socket.is_on && options.web_socket.is_tls);
    if (!is_used || reading.is_refused("tls")) {
        return;
    }
    const auto need = [&](std::string_view key, const std::string& path) {
        if (path.empty()) {
            reading.refuse({key, "server.tls", "websocket.tls"}, "is needed where TLS is used");
        }
    };
    need("tls.certificate", options.tls.certificate);
    need("tls.key", options.tls.key);
}

/// A handshake comes as fast as the line is: more than one message's worth.
void check_room_for_handshake(const ServerOptions& options, Reading& reading) {
    constexpr std::uint32_t kHandshakeBytes = 16 * 1024;
    if ((options.is_tls || options.web_socket.is_on) &&
        options.bytes_per_second_max < kHandshakeBytes &&
        !reading.is_refused("limits.bytes_per_second_max")) {
        reading.refuse({"limits.bytes_per_second_max"},
                       std::to_string(options.bytes_per_second_max) +
                           " is too little for handshakes of TLS and WebSocket (16384)");
    }
}

void check_proxies(const ServerOptions& options, Reading& reading) {
    const bool is_used =
        options.is_behind_proxy || (options.web_socket.is_on && options.web_socket.is_behind_proxy);
    if (is_used && options.trusted_proxies.empty() && !reading.is_refused("server")) {
        reading.refuse(
            reading.place_of_first({"server.proxy_protocol", "websocket.proxy_protocol"}),
            "server.trusted_proxies", "is needed with proxy_protocol",
            "trusted_proxies = [\"192.0.2.7\"]: who may say whose a connection is");
    }
}

void check_ports(const ServerOptions& options, Reading& reading) {
    const auto shared = shared_port(options);
    if (!shared || reading.is_refused("server") || reading.is_refused("websocket") ||
        reading.is_refused("admin")) {
        return;
    }
    reading.refuse({shared->second, shared->first},
                   "is " + std::string(shared->first) + ", too, at an address of both",
                   "each entrance needs a port of its own");
}

void check_admin(const AdminOptions& admin, Reading& reading) {
    if (admin.is_on && admin.token_file.empty() && !admin.read_token_file.empty()) {
        reading.refuse({"admin.read_token_file"},
                       "needs admin.token_file: else whoever connects may change everything");
    }
    if (admin.is_on && admin.token_file.empty() && !net::is_loopback(admin.address) &&
        !reading.is_refused("admin")) {
        reading.refuse(reading.place_of_first({"admin.address"}), "admin.token_file",
                       "is needed where others than this machine can connect (" +
                           toml_string(admin.address) + ')');
    }
}

/// Who may come in, and how: what the sections about access ask of one another.
void check_door(const ServerOptions& options, Reading& reading) {
    check_open_door(options, reading);
    check_tokens(options.auth, reading);
    check_tls(options, reading);
    check_room_for_handshake(options, reading);
    check_proxies(options, reading);
    check_ports(options, reading);
    check_admin(options.admin, reading);
}

}  // namespace

std::optional<SharedPort> shared_port(const net::ServerOptions& options) {
    struct Wanted {
        std::string_view key;
        std::string address;
        std::uint16_t port;
    };
    std::vector<Wanted> all{{"server.port", options.address, options.port}};
    if (options.web_socket.is_on) {
        all.push_back({"websocket.port", options.web_socket.address, options.web_socket.port});
    }
    if (options.admin.is_on) {
        all.push_back({"admin.port", options.admin.address, options.admin.port});
    }
    for (std::size_t second = 1; second < all.size(); ++second) {
        for (std::size_t first = 0; first < second; ++first) {
            if (all[first].port != 0 && all[first].port == all[second].port &&
                net::share_an_address(all[first].address, all[second].address)) {
                return SharedPort{all[first].key, all[second].key};
            }
        }
    }
    return std::nullopt;
}

void check_relations(const Settings& settings, Reading& reading) {
    const auto& server = settings.server;
    const Value radius = distance("view.radius_m", server.default_view.radius_mm);
    const Value leave = distance("view.leave_radius_m", server.default_view.leave_radius_mm);
    const Value leave_max = distance("view.leave_radius_max_m", settings.zone.leave_radius_mm_max);
    check_at_most(radius, leave, "between the two, an entity that is seen stays seen", reading);
    check_at_most(leave, leave_max, "the default view is a view like any other", reading);
    check_at_most(whole_message("limits.message_bytes_max", server.message_bytes_max),
                  count("limits.bytes_per_second_max", server.bytes_per_second_max),
                  "or the largest legal message is never legal", reading);
    check_at_most(whole_message("services.message_bytes_max", server.services.message_bytes_max),
                  count("services.bytes_per_second_max", server.services.bytes_per_second_max),
                  "or the largest legal message is never legal", reading);
    check_spawn(settings, reading);
    check_quantum(settings, reading);
    check_slots(settings.zone.slots, reading);
    check_slow_timeout(settings, reading);
    check_crowd(settings, reading);
    check_budget(settings, reading);
    check_one_layout(reading);
    check_door(server, reading);
}

}  // namespace marchland::config
