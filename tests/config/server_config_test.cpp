#include "shards/tick_clock.h"
#include "tests/config/test_folder.h"

#include <gtest/gtest.h>

namespace marchland::config {

namespace {

using Errors = std::vector<std::string>;

}  // namespace

TEST(ServerConfig, OfAnEmptyFileIsTheDefaults) {
    const TestFolder folder;
    const auto file = folder.write("zone.toml", "");
    const auto config = folder.load(file);
    ASSERT_TRUE(config);
    const shards::ZoneOptions zone = zone_defaults();
    EXPECT_EQ(zone.crowd.frame_bytes_max, 65'536U);
    const auto single = std::get<shards::Layout>(shards::Layout::grid(zone.world, 1, 1));
    ServerConfig defaults{{}, single};
    defaults.state.directory = (file.parent_path() / defaults.state.directory).string();
    expect_same(*config, defaults);
}

TEST(ServerConfig, TakesEveryKindOfValue) {
    const TestFolder folder;
    const auto config = folder.load(folder.write("zone.toml", R"(
[server]
address = "::1"
port = 0
[world]
bounds_m = { min_x = -0.5, min_y = 0, max_x = 100.25, max_y = 7e1 }
dimensions = 3
[spawn]
at_m = { x = 1.5, y = 2 }
[shards]
columns = 3
)"));
    ASSERT_TRUE(config);
    EXPECT_EQ(config->server.address, "::1");
    EXPECT_EQ(config->server.port, 0);
    EXPECT_EQ(config->zone.world, (engine::Rect{-500, 0, 100'250, 70'000}));
    EXPECT_EQ(config->zone.dimensions, engine::Dimensions::three);
    EXPECT_EQ(config->server.default_spawn, (engine::Position{1'500, 2'000, 0}));
    EXPECT_EQ(config->layout.size(), 3U);
    EXPECT_EQ(config->layout.world(), config->zone.world);
}

TEST(ServerConfig, GivesTheZoneMoreTimeThanTheDoorForASlowClient) {
    const TestFolder folder;
    for (const auto* text : {"", "[limits]\nslow_timeout_ms = 100\n[tick]\nrate_hz = 128",
                             "[limits]\nslow_timeout_ms = 3600000\n[tick]\nrate_hz = 7"}) {
        const auto config = folder.load(folder.write("zone.toml", text));
        ASSERT_TRUE(config);
        const std::uint64_t slow_ticks =
            std::uint64_t{config->server.slow_timeout_ms} * config->zone.tick_rate_hz / 1'000;
        EXPECT_GE(config->zone.frame_gap_ticks_max, slow_ticks + config->zone.tick_rate_hz);
    }
}

TEST(ServerConfig, GivesTheZoneTimeForWhoeverIsSlowAndStaysAwayAndIsSlowAgain) {
    const TestFolder folder;
    const auto config = folder.load(folder.write(
        "zone.toml",
        "[limits]\nslow_timeout_ms = 2000\n[services]\ngrace_ms = 60000\n[tick]\nrate_hz = 7"));
    ASSERT_TRUE(config);
    EXPECT_EQ(config->zone.frame_gap_ticks_max, 66U * 7);
}

/// One that reads all that comes is not slow: its turn comes once a second, or in two where the
/// zone is overloaded.
TEST(ServerConfig, GivesAClientOfTheLowestRateTimeForItsTurnInAnOverloadedZone) {
    const TestFolder folder;
    const auto config =
        folder.load(folder.write("zone.toml",
                                 "[limits]\nslow_timeout_ms = 200\nresume_grace_ms = 0\n"
                                 "[services]\ngrace_ms = 0\n[tick]\nrate_hz = 20"));
    ASSERT_TRUE(config);
    EXPECT_GT(config->zone.frame_gap_ticks_max, 20 * shards::kTurnTicksMax);
}

TEST(ServerConfig, TellsEveryErrorOfAFileAtItsPlace) {
    const TestFolder folder;
    EXPECT_EQ(folder.errors_of(R"([server]
port = 70000
address = "localhost"
[world]
bounds_m = { min_x = 0, min_y = 0, max_x = 0, max_y = 100 }
[shards]
colums = 2
[log]
level = 3
)"),
              (Errors{
                  "zone.toml:2:8: server.port: 70000 is not between 0 and 65535",
                  "zone.toml:3:11: server.address: \"localhost\" is no IPv4 or IPv6 address; "
                  "127.0.0.1 is this machine, 0.0.0.0 all",
                  "zone.toml:5:12: world.bounds_m: max_x (0) must be greater than min_x (0)",
                  "zone.toml:7:1: shards.colums: unknown key\n"
                  "  hint: did you mean 'columns'? Known keys: border_hysteresis_m, columns, rows, "
                  "stall_ms_max, executor_threads, executor_pairs_min, pin_cores, layout",
                  "zone.toml:9:9: log.level: must be a string, not a whole number",
              }));
}

TEST(ServerConfig, TellsWhereAKeyBelongsThatStandsElsewhere) {
    const TestFolder folder;
    EXPECT_EQ(
        folder.errors_of("[server]\nslow_timeout_ms = 100\n"),
        Errors{"zone.toml:2:1: server.slow_timeout_ms: unknown key\n"
               "  hint: 'slow_timeout_ms' belongs to [limits]. Known keys: address, port, tls, "
               "proxy_protocol, trusted_proxies, io_threads"});
}

TEST(ServerConfig, TellsUnknownSectionsAndWhatIsNoSection) {
    const TestFolder folder;
    EXPECT_EQ(folder.errors_of("view = 50\n[sever]\n[[tick]]\n"),
              (Errors{"zone.toml:1:8: view: must be a table, not a whole number",
                      "zone.toml:2:2: sever: unknown key\n"
                      "  hint: did you mean 'server'? Known keys: server, websocket, tls, auth, "
                      "admin, services, limits, net, world, tick, "
                      "view, crowd, entities, spawn, index, shards, balancer, state, log, shard",
                      "zone.toml:3:1: tick: must be a table, not an array"}));
}

TEST(ServerConfig, NamesWrongTypes) {
    const TestFolder folder;
    EXPECT_EQ(
        folder.errors_of(R"([tick]
rate_hz = 20.0
border_wait_ms_max = "40"
[view]
radius_m = true
leave_radius_m = "55.5"
leave_radius_max_m = 1979-05-27
[spawn]
at_m = [0, 0]
)"),
        (Errors{
            "zone.toml:2:11: tick.rate_hz: must be a whole number, not a decimal number",
            "zone.toml:3:22: tick.border_wait_ms_max: must be a whole number, not a string\n"
            "  hint: write it without quotes",
            "zone.toml:5:12: view.radius_m: must be a distance in metres, not true or false",
            "zone.toml:6:18: view.leave_radius_m: must be a distance in metres, not a string\n"
            "  hint: write it without quotes",
            "zone.toml:7:22: view.leave_radius_max_m: must be a distance in metres, not a "
            "date or a time",
            "zone.toml:9:8: spawn.at_m: must be a table, not an array",
        }));
}

TEST(ServerConfig, SaysWhatAKeyIsCalledNow) {
    const TestFolder folder;
    const auto errors = folder.errors_of("[shards]\narena_threads = 2\n");
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_TRUE(
        errors[0].starts_with("zone.toml:2:1: shards.arena_threads: unknown key\n"
                              "  hint: it is 'shards.executor_threads' now. Known keys: "))
        << errors[0];
}

TEST(ServerConfig, RefusesDistancesThatAreNoWholeMillimetres) {
    const TestFolder folder;
    EXPECT_EQ(
        folder.errors_of("[view]\nradius_m = 0.0005\nleave_radius_m = nan\n"),
        (Errors{"zone.toml:2:12: view.radius_m: 0.0005 m is not a whole number of millimetres\n"
                "  hint: distances have at most three digits after the point",
                "zone.toml:3:18: view.leave_radius_m: nan is not between 0 and 1000000"}));
}

TEST(ServerConfig, RefusesPlacesThatInt32MillimetresCannotHold) {
    const TestFolder folder;
    EXPECT_EQ(folder.errors_of("[spawn]\nat_m = { x = 2147483.648, y = -3e9 }\n"),
              (Errors{"zone.toml:2:14: spawn.at_m.x: 2147483.648 is not between -2147483.648 and "
                      "2147483.647",
                      "zone.toml:2:31: spawn.at_m.y: -3000000000 is not between -2147483.648 and "
                      "2147483.647"}));
}

TEST(ServerConfig, NamesWhatATableLacks) {
    const TestFolder folder;
    EXPECT_EQ(folder.errors_of("[world]\nbounds_m = { min_x = 0, min_y = 0, max_x = 1 }\n"),
              Errors{"zone.toml:2:12: world.bounds_m.max_y: is missing\n"
                     "  hint: needed here: min_x, min_y, max_x, max_y"});
}

TEST(ServerConfig, TellsASyntaxErrorAtItsPlace) {
    const TestFolder folder;
    EXPECT_EQ(
        folder.errors_of("[server]\nport = 77 77\n"),
        Errors{"zone.toml:2:11: not valid TOML: parsing key-value pair: expected a comment or "
               "whitespace, saw '7'\n"
               "  hint: what stands after this place has not been looked at"});
}

TEST(ServerConfig, PrintsNoControlCharactersFromAFile) {
    const TestFolder folder;
    const auto errors = folder.errors_of("\"a\\u001b[31m\" = 1\n");
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_TRUE(errors[0].starts_with("zone.toml:1:1: a?[31m: unknown key")) << errors[0];
}

}  // namespace marchland::config
