#include "tests/config/test_folder.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <utility>

namespace marchland::config {

namespace {

std::int32_t between(std::int32_t min, std::int32_t max) {
    return *rc::gen::inRange(min, max);  // max itself left out
}

std::uint32_t count_between(std::int32_t min, std::int32_t max) {
    return static_cast<std::uint32_t>(between(min, max));
}

bool any_flag() {
    return *rc::gen::arbitrary<bool>();
}

/// With tokens asked for, as every address needs it; paths are absolute, or they would be resolved.
void open_any_door(net::ServerOptions& server) {
    server.is_tls = any_flag();
    server.web_socket = {any_flag(),
                         "::1",
                         static_cast<std::uint16_t>(between(0, 65'536)),
                         any_flag(),
                         {"https://a.example", "null"}};
    server.web_socket.is_behind_proxy = any_flag();
    server.is_behind_proxy = any_flag();
    server.trusted_proxies = {"192.0.2.7", "2001:db8::/32"};
    server.tls = {"/tls/certificate \"1\".pem", "/tls/\x1B[2J\t\n\x7F\xC2\x9B\xC2\xA0key.pem"};
    server.auth.mode = net::AuthOptions::Mode::jwt;
    server.auth.audience = "zone";
    server.auth.leeway_s = count_between(0, 601);
    server.auth.keys = {{"/keys/a", net::TokenAlgorithm::hs256, "a"},
                        {"/keys/b", net::TokenAlgorithm::eddsa, "b"}};
    server.auth.second_login = net::AuthOptions::SecondLogin::replace;
    server.auth.claims_for_services = {"name", "guild"};
    const bool has_admin_token = any_flag();
    server.admin = {any_flag(),
                    "127.0.0.1",
                    0,
                    has_admin_token ? "/keys/admin" : "",
                    has_admin_token && any_flag() ? "/keys/looking" : "",
                    count_between(0, 65)};
    server.services = {count_between(0, 1'001),     count_between(1, 1'000'001),
                       count_between(0, 100'001),   count_between(65'536, 16'000'001),
                       count_between(1, 1'000'001), count_between(16'000'004, 1'000'000'001),
                       count_between(0, 3'600'001)};
    server.services.admission = *rc::gen::element(net::ServiceOptions::Admission::open,
                                                  net::ServiceOptions::Admission::required);
    server.services.admission_ms_max = count_between(1, 60'001);
    server.services.authority = *rc::gen::element(net::Authority::client, net::Authority::service);
    server.handshakes_max = count_between(1, 1'000'001);
    server.memory_bytes_max = count_between(0, 1'000'000'001);
    server.address_limits = {count_between(1, 1'000'001), count_between(1, 1'000'001),
                             count_between(1, 1'000'001), count_between(1, 101), any_flag()};
}

net::ServerOptions any_server(const engine::Rect& world) {
    net::ServerOptions server;
    server.address = *rc::gen::element<std::string>("127.0.0.1", "0.0.0.0", "::1", "fe80::1");
    open_any_door(server);
    server.port = static_cast<std::uint16_t>(between(0, 65'536));
    server.io_threads = count_between(1, 65);
    server.connections_max = count_between(1, 1'000'001);
    server.message_bytes_max = count_between(256, 65'537);
    server.messages_per_second_max = count_between(1, 1'000'001);
    server.bytes_per_second_max = count_between(65'540, 1'000'000'001);
    server.handshake_timeout_ms = count_between(100, 3'600'001);
    server.edge = any_flag() ? net::ServerOptions::Edge::clamp : net::ServerOptions::Edge::refuse;
    server.idle_buffer_bytes_max = count_between(1'024, 16'000'001);
    server.idle_timeout_ms = count_between(100, 3'600'001);
    server.slow_timeout_ms = count_between(2'000, 3'600'001);
    server.linger_timeout_ms = count_between(0, 60'001);
    server.speed_max_mm_per_s = count_between(0, 1'000'000'001);
    server.resume_grace_ms = count_between(0, 3'600'001);
    server.resume_waiting_max = count_between(0, 1'000'001);
    server.player_messages = {count_between(0, 1'001), count_between(0, 1'025)};
    server.player_states_per_second_max = count_between(0, 1'001);
    server.io = *rc::gen::element(net::ServerOptions::Io::automatic, net::ServerOptions::Io::epoll,
                                  net::ServerOptions::Io::io_uring);
    server.batch_us = count_between(0, 100'001);
    server.unsent_bytes_max = count_between(1'024, 16'000'001);
    const std::int32_t radius_mm = between(0, 500'000'001);
    server.frames_hz = count_between(0, 129);
    server.prediction_ms_max = count_between(0, 60'001);
    server.default_view = engine::View::circle(radius_mm, between(radius_mm, 500'000'001));
    server.spawn_by_client = *rc::gen::arbitrary<bool>();
    server.default_spawn = {static_cast<std::int32_t>(world.min_x),
                            static_cast<std::int32_t>(world.max_y), between(-1'000'000, 1'000'000)};
    return server;
}

shards::ZoneOptions any_zone(const engine::Rect& world, std::int32_t leave_radius_mm) {
    shards::ZoneOptions zone;
    zone.world = world;
    zone.dimensions = *rc::gen::element(engine::Dimensions::two, engine::Dimensions::three);
    zone.quantum_mm = between(1, 1'001);
    zone.tick_rate_hz = count_between(1, 129);
    zone.prediction_error_mm = between(0, engine::kPredictionErrorMaxMm + 1);
    zone.leave_radius_mm_max = between(leave_radius_mm, 1'000'000'001);
    zone.notify_leave_radius_mm_max = between(0, 1'000'000'001);
    zone.border_hysteresis_mm = between(0, 1'000'000'001);
    zone.border_wait_ms_max = count_between(0, 10'001);
    zone.shard_stall_ms_max = count_between(1'000, 3'600'001);
    zone.time_scale_percent_min = count_between(1, 101);
    zone.executor_threads = count_between(0, 1'025);
    zone.pin_cores = count_between(0, 1'025);
    zone.executor_pairs_min = count_between(0, 1'000'000'001);
    zone.index = *rc::gen::element<std::string>("grid_cross_list", "quadtree", "geohash");
    zone.cell_mm = between(1'000, 1'000'000'001);
    zone.crowd.visible_max = count_between(0, 10'000'001);
    zone.crowd.sticky_percent = count_between(0, 91);
    zone.crowd.frame_bytes_max = any_flag() ? 0 : count_between(2'048, 16'000'001);
    zone.client_bytes_per_second_max = any_flag() ? 0 : count_between(256 * 128, 1'000'000'001);
    zone.tick_bytes_max = count_between(0, 1'000'000'001);
    zone.crowd.stale_ticks_max = count_between(256, 10'001);
    for (std::int32_t ring = 0; ring < between(0, 5); ++ring) {
        zone.crowd.rings.at(static_cast<std::size_t>(ring)) = {
            ring * 1'000 + between(0, 1'000),
            static_cast<std::uint32_t>(10 * ring + between(2, 9))};
    }
    zone.entities_max = count_between(1, 10'000'001);
    zone.departures_max = count_between(2, 10'000'001);
    return zone;
}

/// Cuts the world into two or three unequal shards, with names that need quoting.
shards::Layout any_regions(const engine::Rect& world) {
    const std::int64_t cut_x = world.min_x + 1 + between(0, 1'000);
    const std::int64_t cut_y = world.min_y + 1 + between(0, 1'000);
    auto layout = shards::Layout::from_regions(
        world, {{"a \"quoted\" \\ name", {world.min_x, world.min_y, cut_x - 1, world.max_y}},
                {"Öst", {cut_x, world.min_y, world.max_x, cut_y - 1}},
                {"#3", {cut_x, cut_y, world.max_x, world.max_y}}});
    return std::get<shards::Layout>(std::move(layout));
}

shards::Layout any_layout(const engine::Rect& world) {
    if (*rc::gen::arbitrary<bool>()) {
        return any_regions(world);
    }
    auto grid = shards::Layout::grid(world, count_between(1, 17), count_between(1, 17));
    return std::get<shards::Layout>(std::move(grid));
}

shards::BalancerOptions any_balancer() {
    shards::BalancerOptions options;
    options.interval_ms_min = count_between(0, 86'400'001);
    options.gain_percent_min = count_between(1, 101);
    options.step_mm_max = between(1'000, 1'000'000'001);
    options.side_mm_min = between(1'000, 1'000'000'001);
    return options;
}

shards::StateOptions any_state() {
    return {any_flag(), "/var/lib/zone", count_between(100, 60'001), count_between(100, 3'600'001)};
}

ServerConfig any_config() {
    const std::int32_t min_x = between(-2'147'483'648, 2'147'400'000);
    const std::int32_t min_y = between(-2'147'483'648, 2'147'400'000);
    const engine::Rect world{min_x, min_y, between(min_x + 2'000, 2'147'483'647),
                             between(min_y + 2'000, 2'147'483'647)};
    net::ServerOptions server = any_server(world);
    const std::int32_t leave_radius_mm = server.default_view.leave_radius_mm;
    return {{any_zone(world, leave_radius_mm), std::move(server), any_balancer(), any_state(),
             any_flag() ? LogFormat::text : LogFormat::json,
             *rc::gen::element<std::string>("debug", "info", "warning", "error", "off")},
            any_layout(world)};
}

}  // namespace

RC_GTEST_PROP(RoundTrip, AWrittenConfigurationIsReadBackAsItWas, ()) {
    const TestFolder folder;
    const ServerConfig written = any_config();
    const auto read = folder.load(folder.write("zone.toml", to_toml(written)));
    RC_ASSERT(read.has_value());
    expect_same(*read, written);
    RC_ASSERT(!testing::Test::HasFailure());
}

TEST(RoundTrip, KeepsWhatFollowsFromOtherKeys) {
    const TestFolder folder;
    const auto config = folder.load(
        folder.write("zone.toml", "[limits]\nslow_timeout_ms = 7777\n[tick]\nrate_hz = 31\n"));
    ASSERT_TRUE(config);
    const auto again = folder.load(folder.write("again.toml", to_toml(*config)));
    ASSERT_TRUE(again);
    EXPECT_EQ(again->zone.frame_gap_ticks_max, config->zone.frame_gap_ticks_max);
}

}  // namespace marchland::config
