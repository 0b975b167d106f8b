#include "engine/index/index.h"
#include "net/proxy_header.h"
#include "config/settings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <span>
#include <system_error>
#include <utility>
#include <arpa/inet.h>
#include <netinet/in.h>

namespace marchland::config {

namespace {

using engine::View;
using net::AdminOptions;
using net::AuthOptions;
using net::ServerOptions;
using net::ServiceOptions;
using net::TlsOptions;
using net::TokenAlgorithm;
using net::TokenKeyFile;
using net::WebSocketOptions;
using shards::BalancerOptions;
using shards::StateOptions;
using shards::ZoneOptions;

// Ranges bound what the rest of the server has to cope with; they are no advice.
// docs/configuration.md has a line for each key.

// The farthest that a view, and ownership across a border, may reach: 1,000 km each, so that their
// sum is still an int32 of millimetres.
constexpr std::int64_t kReachMmMax = 1'000'000'000;
constexpr std::int64_t kHourMs = 3'600'000;
constexpr std::int64_t kMillion = 1'000'000;

constexpr std::size_t kOriginsMax = 64;
constexpr std::size_t kProxiesMax = 64;

// Where options are, for a Field.
constexpr auto server = under(&Settings::server);
constexpr auto web = under(&Settings::server, &ServerOptions::web_socket);
constexpr auto tls = under(&Settings::server, &ServerOptions::tls);
constexpr auto auth = under(&Settings::server, &ServerOptions::auth);
constexpr auto admin = under(&Settings::server, &ServerOptions::admin);
constexpr auto services = under(&Settings::server, &ServerOptions::services);
constexpr auto address_limits = under(&Settings::server, &ServerOptions::address_limits);
constexpr auto zone = under(&Settings::zone);
constexpr auto balancer = under(&Settings::balancer);
constexpr auto state = under(&Settings::state);
constexpr auto messages = under(&Settings::server, &ServerOptions::player_messages);
constexpr auto view = under(&Settings::server, &ServerOptions::default_view);
constexpr auto grid = under(&Settings::layout, &LayoutDraft::grid);
constexpr auto crowd = under(&Settings::zone, &ZoneOptions::crowd);

/// One of the update rings, and what is in it.
Field<Settings> ring(std::string_view name, std::size_t place) {
    using engine::UpdateRing;
    const auto at = [place](auto& settings) -> auto& {
        return settings.zone.crowd.rings.at(place);
    };
    return table<Settings>(
        name, at,
        Fields<UpdateRing>{
            required(metres<UpdateRing>("beyond_m", &UpdateRing::beyond_mm, {0, kReachMmMax})),
            required(whole<UpdateRing>("every_ticks", &UpdateRing::every_ticks,
                                       {0, engine::kRingTicksMax}))},
        [](const UpdateRing& wanted, const std::string& key, Place where, Reading& reading) {
            if (wanted.every_ticks == 1) {
                reading.refuse(where, key + ".every_ticks",
                               "1 is not between 2 and " + std::to_string(engine::kRingTicksMax),
                               "everything is sent in every tick where there is no ring");
            }
        });
}

Field<Settings> number(std::string_view name, auto at, std::int64_t min, std::int64_t max) {
    return whole<Settings>(name, at, {min, max});
}

Field<Settings> distance(std::string_view name, auto at, std::int64_t min_mm, std::int64_t max_mm) {
    return metres<Settings>(name, at, {min_mm, max_mm});
}

/// Written only where a grid divides the world.
Field<Settings> of_grid(Field<Settings> field) {
    field.write = [write = std::move(field.write)](const Settings& settings) {
        return settings.is_grid ? write(settings) : std::string();
    };
    return field;
}

/// Never written: a layout in force is written out whole.
Field<Settings> unwritten(Field<Settings> field) {
    field.write = [](const Settings&) { return std::string(); };
    return field;
}

/// No names: which of a name's addresses would the server take, and whom would it ask?
std::string check_address(const std::string& address) {
    in6_addr parsed{};  // the larger of the two
    const bool is_address = inet_pton(AF_INET, address.c_str(), &parsed) == 1 ||
                            inet_pton(AF_INET6, address.c_str(), &parsed) == 1;
    return is_address ? "" : "is no IPv4 or IPv6 address; 127.0.0.1 is this machine, 0.0.0.0 all";
}

std::string accept_any(const std::string&) {
    return "";
}

std::string check_given(const std::string& text) {
    return text.empty() ? "must not be empty" : "";
}

/// As browsers write it, or nothing would ever match: "https://play.example.org", or "null" for a
/// page without one; or with "*." in front of the host. Source: RFC 6454, section 6.2.
std::string check_origin(const std::string& origin) {
    constexpr std::string_view kAnyHost = "://*.";
    if (const auto star = origin.find('*'); star != std::string::npos) {
        const auto any = origin.find(kAnyHost);
        if (any == std::string::npos || any + kAnyHost.size() == origin.size() || star != any + 3 ||
            origin.find('*', star + 1) != std::string::npos) {
            return "has a * that is not all in front of a host's name, like https://*.example.org";
        }
    }
    const auto scheme = origin.find("://");
    const auto is_printable = [](char c) { return c > ' ' && c <= '~'; };  // hosts are in ASCII
    const bool is_origin =
        std::ranges::all_of(origin, is_printable) && scheme != std::string::npos && scheme > 0 &&
        origin.find('/', scheme + 3) == std::string::npos && origin.size() > scheme + 3;
    if (origin == "null") {
        return "";
    }
    const std::string_view host = is_origin ? std::string_view(origin).substr(scheme + 3) : "";
    const auto colon = host.find(':', host.starts_with('[') ? host.find(']') : 0);
    const std::string_view port = colon == host.npos ? "1" : host.substr(colon + 1);
    std::uint16_t number = 0;
    const auto [end, error] = std::from_chars(port.begin(), port.end(), number);
    if (host.empty() || colon == 0 || host.find_first_of("?#@\\") != host.npos ||
        port.starts_with('0') || error != std::errc() || end != port.end()) {
        return "is no origin: scheme and host, like https://play.example.org";
    }
    std::string sent = origin;
    for (char& c : sent) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    if ((sent.starts_with("https:") && port == "443") ||
        (sent.starts_with("http:") && port == "80")) {
        sent.resize(sent.size() - port.size() - 1);
    }
    return sent == origin ? "" : "never matches: browsers send " + sent;
}

std::string check_network(const std::string& text) {
    return net::TrustedProxies::is_network(text)
               ? ""
               : "is no address or network, like 192.0.2.7 or 10.0.0.0/8";
}

Fields<TokenKeyFile> key_fields() {
    return {required(text<TokenKeyFile>("file", &TokenKeyFile::file, check_given)),
            required(choice<TokenKeyFile, TokenAlgorithm, 2>(
                "algorithm", &TokenKeyFile::algorithm,
                {{{"HS256", TokenAlgorithm::hs256}, {"EdDSA", TokenAlgorithm::eddsa}}})),
            text<TokenKeyFile>("kid", &TokenKeyFile::kid, accept_any)};
}

std::string check_log_level(const std::string& level) {
    static constexpr std::array<std::string_view, 5> kLevels = {"debug", "info", "warning", "error",
                                                                "off"};
    return std::ranges::find(kLevels, level) != kLevels.end()
               ? ""
               : "is no level; levels: " + listing(kLevels);
}

std::string check_index(const std::string& name) {
    const auto names = engine::index_names();
    return std::ranges::find(names, name) != names.end()
               ? ""
               : "is no index; indexes: " + listing(names);
}

std::string check_slot_name(const std::string& name) {
    engine::StateSlot slot;
    slot.name = name;
    return engine::flaw_of(engine::StateSlots{slot}) == nullptr
               ? ""
               : "is no name of a slot: 1 to 32 of a-z, 0-9 and _";
}

std::string check_path(const std::string& path) {
    return path.empty() ? "is no path" : "";
}

Fields<engine::StateSlot> slot_fields() {
    using engine::StateAudience;
    using engine::StateSlot;
    using engine::StateType;
    using engine::StateWriter;
    constexpr auto kBytesMax = static_cast<std::int64_t>(engine::kBlobBytesMax);
    return {required(text<StateSlot>("name", &StateSlot::name, check_slot_name)),
            required(choice<StateSlot, StateType, 3>("type", &StateSlot::type,
                                                     {{{"integer", StateType::integer},
                                                       {"float", StateType::real},
                                                       {"bytes", StateType::bytes}}})),
            choice<StateSlot, StateWriter, 3>("writer", &StateSlot::writer,
                                              {{{"service", StateWriter::service},
                                                {"player", StateWriter::player},
                                                {"facing", StateWriter::facing}}}),
            choice<StateSlot, StateAudience, 4>("audience", &StateSlot::audience,
                                                {{{"all", StateAudience::all},
                                                  {"own", StateAudience::own},
                                                  {"near", StateAudience::near},
                                                  {"layer", StateAudience::layer}}}),
            metres<StateSlot>("radius_m", &StateSlot::radius_mm, {0, kReachMmMax}),
            whole<StateSlot>("layers", &StateSlot::layers,
                             {0, std::numeric_limits<std::uint32_t>::max()}),
            whole<StateSlot>("bytes_max", &StateSlot::bytes_max, {1, kBytesMax}),
            whole<StateSlot>("facing_step_deg", &StateSlot::facing_step_deg, {0, 180})};
}

/// { x = 0, y = 0, z = 0 }; z may be left out.
Fields<engine::Position> position_fields() {
    using engine::Position;
    return {required(metres<Position>("x", &Position::x, kAnywhereMm)),
            required(metres<Position>("y", &Position::y, kAnywhereMm)),
            metres<Position>("z", &Position::z, kAnywhereMm)};
}

/// A section is a table of the file that fills the same Settings as its neighbours.
Field<Settings> as_field(const Section& section) {
    return {
        section.name,
        [&section](const Node& node, const std::string& key, Settings& settings, Reading& reading) {
            read_table(node, key, section.fields, settings, reading);
        },
        nullptr};
}

}  // namespace

const std::vector<Section>& server_sections() {
    using Io = ServerOptions::Io;
    static const std::vector<Section> sections = {
        {"server",
         {text<Settings>("address", server(&ServerOptions::address), check_address),
          number("port", server(&ServerOptions::port), 0, 65'535),
          flag<Settings>("tls", server(&ServerOptions::is_tls)),
          flag<Settings>("proxy_protocol", server(&ServerOptions::is_behind_proxy)),
          text_list<Settings>("trusted_proxies", server(&ServerOptions::trusted_proxies),
                              kProxiesMax, check_network),
          number("io_threads", server(&ServerOptions::io_threads), 1, 64)}},

        {"websocket",
         {flag<Settings>("enabled", web(&WebSocketOptions::is_on)),
          text<Settings>("address", web(&WebSocketOptions::address), check_address),
          number("port", web(&WebSocketOptions::port), 0, 65'535),
          flag<Settings>("tls", web(&WebSocketOptions::is_tls)),
          flag<Settings>("proxy_protocol", web(&WebSocketOptions::is_behind_proxy)),
          text_list<Settings>("origins", web(&WebSocketOptions::origins), kOriginsMax,
                              check_origin)}},

        {"tls",
         {text<Settings>("certificate", tls(&TlsOptions::certificate), accept_any),
          text<Settings>("key", tls(&TlsOptions::key), accept_any)}},

        {"auth",
         {choice<Settings, AuthOptions::Mode, 2>(
              "mode", auth(&AuthOptions::mode),
              {{{"none", AuthOptions::Mode::none}, {"jwt", AuthOptions::Mode::jwt}}}),
          text<Settings>("audience", auth(&AuthOptions::audience), accept_any),
          number("leeway_s", auth(&AuthOptions::leeway_s), 0, 600),
          choice<Settings, AuthOptions::SecondLogin, 3>(
              "second_login", auth(&AuthOptions::second_login),
              {{{"allow", AuthOptions::SecondLogin::allow},
                {"refuse", AuthOptions::SecondLogin::refuse},
                {"replace", AuthOptions::SecondLogin::replace}}}),
          text_list<Settings>("claims_for_services", auth(&AuthOptions::claims_for_services),
                              net::kClaimsForServicesMax, check_given),
          table_list<Settings>("keys", auth(&AuthOptions::keys), net::kTokenKeysMax,
                               key_fields())}},

        {"admin",
         {flag<Settings>("enabled", admin(&AdminOptions::is_on)),
          text<Settings>("address", admin(&AdminOptions::address), check_address),
          number("port", admin(&AdminOptions::port), 0, 65'535),
          text<Settings>("token_file", admin(&AdminOptions::token_file), accept_any),
          text<Settings>("read_token_file", admin(&AdminOptions::read_token_file), accept_any),
          number("viewers_max", admin(&AdminOptions::viewers_max), 0, 64)}},

        // The least message is the largest that a player's limit may be: what is asked of a service
        // is never less.
        {"services",
         {number("services_max", services(&ServiceOptions::services_max), 0, 1'000),
          number("entities_max", services(&ServiceOptions::entities_max), 1, 1 * kMillion),
          number("watchers_max", services(&ServiceOptions::watchers_max), 0, 100'000),
          number("message_bytes_max", services(&ServiceOptions::message_bytes_max), 65'536,
                 16 * kMillion),
          number("messages_per_second_max", services(&ServiceOptions::messages_per_second_max), 1,
                 kMillion),
          number("bytes_per_second_max", services(&ServiceOptions::bytes_per_second_max), 65'536,
                 1'000 * kMillion),
          number("grace_ms", services(&ServiceOptions::grace_ms), 0, 3'600'000),
          number("waiting_messages_max", services(&ServiceOptions::waiting_messages_max), 1,
                 1 * kMillion),
          number("waiting_message_bytes_max", services(&ServiceOptions::waiting_message_bytes_max),
                 65'536, 1'000 * kMillion),
          choice<Settings, ServiceOptions::Admission, 3>(
              "admission", services(&ServiceOptions::admission),
              {{{"open", ServiceOptions::Admission::open},
                {"asked", ServiceOptions::Admission::asked},
                {"required", ServiceOptions::Admission::required}}}),
          number("admission_ms_max", services(&ServiceOptions::admission_ms_max), 1, 60'000),
          choice<Settings, net::Authority, 2>(
              "authority", services(&ServiceOptions::authority),
              {{{"client", net::Authority::client}, {"service", net::Authority::service}}})}},

        // The least sizes: a Hello without a state fits 256 bytes, a small frame fits 1,024. The
        // least times are a bad line's round trip. What these keys ask of one another:
        // check_relations.
        {"limits",
         {number("connections_max", server(&ServerOptions::connections_max), 1, kMillion),
          number("handshakes_max", server(&ServerOptions::handshakes_max), 1, kMillion),
          number("address_connections_max", address_limits(&net::AddressLimits::connections_max), 1,
                 kMillion),
          number("address_connections_per_second_max",
                 address_limits(&net::AddressLimits::connections_per_second_max), 1, kMillion),
          number("address_handshakes_max", address_limits(&net::AddressLimits::handshakes_max), 1,
                 kMillion),
          number("restart_factor", address_limits(&net::AddressLimits::restart_factor), 1, 100),
          flag<Settings>("address_loopback_exempt",
                         address_limits(&net::AddressLimits::is_loopback_exempt)),
          number("entities_max", zone(&ZoneOptions::entities_max), 1, 10 * kMillion),
          number("departures_max", zone(&ZoneOptions::departures_max), 2, 10 * kMillion),
          number("message_bytes_max", server(&ServerOptions::message_bytes_max), 256, 65'536),
          number("messages_per_second_max", server(&ServerOptions::messages_per_second_max), 1,
                 kMillion),
          number("bytes_per_second_max", server(&ServerOptions::bytes_per_second_max), 256,
                 1'000 * kMillion),
          number("handshake_timeout_ms", server(&ServerOptions::handshake_timeout_ms), 100,
                 kHourMs),
          number("idle_timeout_ms", server(&ServerOptions::idle_timeout_ms), 100, kHourMs),
          number("slow_timeout_ms", server(&ServerOptions::slow_timeout_ms), 100, kHourMs),
          number("linger_timeout_ms", server(&ServerOptions::linger_timeout_ms), 0, 60'000),
          number("memory_bytes_max", server(&ServerOptions::memory_bytes_max), 0,
                 1'000'000 * kMillion),
          number("speed_max_mm_per_s", server(&ServerOptions::speed_max_mm_per_s), 0,
                 1'000 * kMillion),
          number("resume_grace_ms", server(&ServerOptions::resume_grace_ms), 0, kHourMs),
          number("resume_waiting_max", server(&ServerOptions::resume_waiting_max), 0, kMillion),
          number("player_messages_per_second_max", messages(&net::SendLimit::per_second_max), 0,
                 1'000),
          number("player_message_bytes_max", messages(&net::SendLimit::bytes_max), 0, 1'024),
          number("player_states_per_second_max",
                 server(&ServerOptions::player_states_per_second_max), 0, 1'000),
          number("idle_buffer_bytes_max", server(&ServerOptions::idle_buffer_bytes_max), 1'024,
                 16 * kMillion),
          number("unsent_bytes_max", server(&ServerOptions::unsent_bytes_max), 1'024,
                 16 * kMillion)}},

        {"net",
         {choice<Settings, Io, 3>(
              "io", server(&ServerOptions::io),
              {{{"auto", Io::automatic}, {"epoll", Io::epoll}, {"io_uring", Io::io_uring}}}),
          number("batch_us", server(&ServerOptions::batch_us), 0, 100'000)}},

        {"world",
         {table<Settings>("bounds_m", zone(&ZoneOptions::world), rect_fields(), check_rect),
          choice<Settings, net::ServerOptions::Edge, 2>(
              "edge", server(&ServerOptions::edge),
              {{{"refuse", net::ServerOptions::Edge::refuse},
                {"clamp", net::ServerOptions::Edge::clamp}}}),
          number("dimensions", zone(&ZoneOptions::dimensions), 2, 3),
          number("quantum_mm", zone(&ZoneOptions::quantum_mm), 1, 1'000)}},

        {"tick",
         {number("rate_hz", zone(&ZoneOptions::tick_rate_hz), 1, 128),
          number("frames_hz", server(&ServerOptions::frames_hz), 0, 128),
          number("prediction_error_mm", zone(&ZoneOptions::prediction_error_mm), 0,
                 engine::kPredictionErrorMaxMm),
          number("prediction_ms_max", server(&ServerOptions::prediction_ms_max), 0, 60'000),
          number("border_wait_ms_max", zone(&ZoneOptions::border_wait_ms_max), 0, 10'000),
          number("time_scale_percent_min", zone(&ZoneOptions::time_scale_percent_min), 1, 100)}},

        {"view",
         {distance("radius_m", view(&View::radius_mm), 0, kReachMmMax),
          distance("leave_radius_m", view(&View::leave_radius_mm), 0, kReachMmMax),
          distance("leave_radius_max_m", zone(&ZoneOptions::leave_radius_mm_max), 0, kReachMmMax),
          distance("notify_leave_radius_max_m", zone(&ZoneOptions::notify_leave_radius_mm_max), 0,
                   kReachMmMax)}},

        {"crowd",
         {number("visible_max", crowd(&engine::CrowdLimits::visible_max), 0, 10 * kMillion),
          number("sticky_percent", crowd(&engine::CrowdLimits::sticky_percent), 0,
                 engine::kStickyPercentMax),
          ring("ring_1", 0), ring("ring_2", 1), ring("ring_3", 2), ring("ring_4", 3),
          number("frame_bytes_max", crowd(&engine::CrowdLimits::frame_bytes_max), 0, 16 * kMillion),
          number("stale_ticks_max", crowd(&engine::CrowdLimits::stale_ticks_max), 1,
                 engine::kStaleTicksMax),
          number("client_bytes_per_second_max", zone(&ZoneOptions::client_bytes_per_second_max), 0,
                 1'000 * kMillion),
          number("tick_bytes_max", zone(&ZoneOptions::tick_bytes_max), 0, 1'000'000 * kMillion)}},

        {"entities",
         {table_list<Settings>("slots", zone(&ZoneOptions::slots), engine::kStateSlotsMax,
                               slot_fields())}},

        {"spawn",
         {table<Settings>("at_m", server(&ServerOptions::default_spawn), position_fields()),
          flag<Settings>("by_client", server(&ServerOptions::spawn_by_client))}},

        // Cells smaller than a metre would be more cells than entities on any map.
        {"index",
         {text<Settings>("name", zone(&ZoneOptions::index), check_index),
          distance("cell_m", zone(&ZoneOptions::cell_mm), 1'000, kReachMmMax)}},

        {"shards",
         {distance("border_hysteresis_m", zone(&ZoneOptions::border_hysteresis_mm), 0, kReachMmMax),
          of_grid(whole<Settings>("columns", grid(&GridShape::columns), kAlongAnAxis)),
          of_grid(whole<Settings>("rows", grid(&GridShape::rows), kAlongAnAxis)),
          number("stall_ms_max", zone(&ZoneOptions::shard_stall_ms_max), 1'000, kHourMs),
          number("executor_threads", zone(&ZoneOptions::executor_threads), 0, 1'024),
          number("executor_pairs_min", zone(&ZoneOptions::executor_pairs_min), 0, 1'000 * kMillion),
          number("pin_cores", zone(&ZoneOptions::pin_cores), 0, 1'024),
          unwritten(text<Settings>("layout", &Settings::layout_file, check_path))}},

        // An interval of 0 is off.
        {"balancer",
         {number("interval_ms_min", balancer(&BalancerOptions::interval_ms_min), 0, 24 * kHourMs),
          number("gain_percent_min", balancer(&BalancerOptions::gain_percent_min), 1, 100),
          distance("step_m_max", balancer(&BalancerOptions::step_mm_max), 1'000, kReachMmMax),
          distance("shard_side_m_min", balancer(&BalancerOptions::side_mm_min), 1'000,
                   kReachMmMax)}},

        // Files are written no more often than a disk can do with.
        {"state",
         {flag<Settings>("enabled", state(&StateOptions::is_on)),
          text<Settings>("directory", state(&StateOptions::directory), check_path),
          number("checkpoint_ms", state(&StateOptions::checkpoint_ms), 100, 60'000),
          number("restart_grace_ms", state(&StateOptions::restart_grace_ms), 100, kHourMs)}},

        {"log",
         {text<Settings>("level", &Settings::log_level, check_log_level),
          choice<Settings, LogFormat, 2>("format", &Settings::log_format,
                                         {{{"text", LogFormat::text}, {"json", LogFormat::json}}}),
          number("queue_lines_max", &Settings::log_queue_lines_max, 16, kMillion)}},
    };
    return sections;
}

void read_settings(const Node& document, Settings& settings, Reading& reading) {
    Fields<Settings> fields;
    for (const Section& section : server_sections()) {
        fields.push_back(as_field(section));
        for (const Field<Settings>& field : section.fields) {
            reading.note_home(field.name, section.name);
        }
    }
    fields.push_back({"shard",
                      [](const Node& node, const std::string& key, Settings& s, Reading& r) {
                          read_shard_entries(node, key, s.layout.shards, r);
                      },
                      nullptr});
    read_table(document, "", fields, settings, reading);
}

}  // namespace marchland::config
