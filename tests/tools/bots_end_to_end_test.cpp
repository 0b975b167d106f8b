#include "tools/bots/poller.h"
#include "tools/bots/referee.h"
#include "tools/bots/scenario.h"
#include "tools/bots/swarm.h"
#include "tools/clients/cpp/client.h"
#include "tests/net/certificate_maker.h"
#include "tests/sanitizer.h"
#include "tests/tools/program_process.h"
#include "tests/tools/server_process.h"
#include "tests/tools/trace_scratch_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

namespace marchland::bots {
namespace {

using tests::ProgramProcess;
using namespace std::chrono_literals;

/// The demo zone, on a port that is free.
class Demo : public testing::Test {
protected:
    Demo() : address_("127.0.0.1:" + std::to_string(server_.wait_for_port())) {}

    [[nodiscard]] std::vector<std::string> bots(std::vector<std::string> more) const {
        std::vector<std::string> arguments = {MARCHLAND_BOTS_PROGRAM, "--connect", address_,
                                              "--json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }

    server::ServerProcess server_{{"--config", MARCHLAND_CONFIG_DIR "/demo.toml", "--port", "0"}};
    const std::string address_;
};

/// The number behind a key of the report; -1 without one.
double number(const ProgramProcess& bots, const std::string& key) {
    const auto at = bots.output().find("\"" + key + "\":");
    return at == std::string::npos ? -1 : std::stod(bots.output().substr(at + key.size() + 3));
}

void expect_well(ProgramProcess& bots) {
    EXPECT_EQ(bots.wait(), 0) << bots.output() << bots.errors();
    EXPECT_EQ(number(bots, "violations"), 0);
    EXPECT_EQ(number(bots, "players_lost"), 0);
    EXPECT_GT(number(bots, "pairs_checked"), 0);
    EXPECT_GT(number(bots, "positions_checked"), 0);
    EXPECT_GT(number(bots, "frames"), 0);
    EXPECT_GT(number(bots, "bytes_per_player_per_second"), 0);
    EXPECT_GE(number(bots, "p50"), 0);  // few moves are sent where all go on as before
}

class DemoScenario : public Demo, public testing::WithParamInterface<Scenario> {};

TEST_P(DemoScenario, ShowsAHundredPlayersExactlyWhatTheyMustSee) {
    ProgramProcess players(bots(
        {"--players", "100", "--seconds", "3", "--scenario", std::string(name_of(GetParam()))}));
    expect_well(players);
    EXPECT_EQ(number(players, "players"), 100);
    EXPECT_EQ(number(players, "players_joined"), 100);
}

INSTANTIATE_TEST_SUITE_P(BotsEndToEnd, DemoScenario,
                         testing::Values(Scenario::roam, Scenario::crowd, Scenario::market,
                                         Scenario::border, Scenario::teleport),
                         [](const auto& scenario) { return std::string(name_of(scenario.param)); });

/// A machine that has no time for the server, so that ticks are skipped: the pauses are what is
/// tested.
TEST_F(Demo, WhoseServerStandsStillNowAndThenShowsPlayersExactlyAllTheSame) {
    ProgramProcess players(bots({"--players", "100", "--seconds", "4", "--scenario", "crowd"}));
    for (int stop = 0; stop < 8; ++stop) {
        std::this_thread::sleep_for(300ms);
        server_.send_signal(SIGSTOP);
        std::this_thread::sleep_for(150ms);
        server_.send_signal(SIGCONT);
    }
    expect_well(players);
    server_.send_signal(SIGTERM);
    EXPECT_EQ(server_.wait(), 0);
    const std::string said = server_.output() + server_.errors();
    const auto at = said.find(" skipped_ticks=", said.find("totals:"));
    ASSERT_NE(at, std::string::npos) << said;
    EXPECT_NE(said.substr(at, 17), " skipped_ticks=0 ") << "else nothing was tested";
}

TEST_F(Demo, GroupsOfAPlanComeAndGoAndAreJudgedEach) {
    const trace::ScratchFolder folder;
    const std::filesystem::path plan = folder.write("plan.toml", R"(seconds = 5
[[group]]
name = "first"
scenario = "border"
players = 20
[[group]]
name = "roamers"
players = 10
joins_at_s = 2
joins_over_s = 1
leaves_at_s = 3
leaves_over_s = 1
)");
    const std::string page = folder.file("report.html").string();
    ProgramProcess players(bots({"--plan", plan.string(), "--report", page}));
    expect_well(players);
    EXPECT_EQ(number(players, "players_joined"), 30);
    EXPECT_NE(players.output().find(R"({"name":"roamers","scenario":"roam","players":10,)"),
              std::string::npos);
    EXPECT_TRUE(std::filesystem::exists(page));
    std::ifstream json(folder.file("report.json"));
    std::string text;
    std::getline(json, text);
    EXPECT_TRUE(players.output().ends_with(text + "\n"));
    const auto inside = text.find(R"("players":[)");
    ASSERT_NE(inside, std::string::npos);
    EXPECT_EQ(text.substr(inside + 11, 2), "20");  // and those of the last second likewise
    EXPECT_EQ(text.substr(text.find(']', inside) - 3, 3), ",20");
}

TEST_F(Demo, ProcessesPlayTogetherAndAddUpWhatTheySaw) {
    ProgramProcess players(bots({"--players", "50", "--processes", "3", "--seconds", "2"}));
    expect_well(players);
    EXPECT_EQ(number(players, "players"), 50);
    EXPECT_EQ(number(players, "processes"), 3);
    EXPECT_EQ(number(players, "players_joined"), 50);
}

TEST_F(Demo, StopOfSeveralProcessesIsPassedOnToAll) {
    ProgramProcess players(bots({"--players", "6", "--processes", "3", "--seconds", "60"}));
    for (const std::string title : {"1/3 ", "2/3 ", "3/3 "}) {
        EXPECT_FALSE(players.wait_for_line(title).empty()) << players.errors();
    }
    players.send_signal(SIGTERM);
    EXPECT_EQ(players.wait(), 0) << players.errors();
    EXPECT_EQ(number(players, "players_joined"), 6);
}

TEST_F(Demo, PlayersWhoseConnectionsAreCutGoOnAsTheSameEntitiesWithTheRightSet) {
    ProgramProcess players(
        bots({"--players", "100", "--seconds", "5", "--scenario", "resume", "--seed", "3"}));
    expect_well(players);
    EXPECT_EQ(number(players, "players_joined"), 100);
    EXPECT_GT(number(players, "resumed"), 20);
}

/// A zone that gives lost connections an hour: an entity that leaves it sooner was made to.
constexpr const char* kPatientZone = R"(
[world]
bounds_m = { min_x = -30, min_y = -30, max_x = 30, max_y = 30 }
[view]
radius_m = 90
leave_radius_m = 90
leave_radius_max_m = 100
[limits]
resume_grace_ms = 3600000
slow_timeout_ms = 3600000
)";

/// Each asks first to be where its way begins, which is too far: no move of who would keep to that
/// way would ever be made.
TEST(BotsCorrected, GoOnFromWhereTheServerPutThem) {
    const trace::ScratchFolder folder;
    const std::string config = folder
                                   .write("zone.toml",
                                          "[server]\nport = 0\n[spawn]\nby_client = false\n"
                                          "[limits]\nspeed_max_mm_per_s = 12000\n")
                                   .string();
    server::ServerProcess server({"--config", config});
    ProgramProcess players({MARCHLAND_BOTS_PROGRAM, "--connect",
                            "127.0.0.1:" + std::to_string(server.wait_for_port()), "--players",
                            "20", "--seconds", "2", "--json"});
    expect_well(players);
    EXPECT_GT(number(players, "moves_made"), number(players, "moves_sent") / 4);
}

/// A zone with a second entrance, and a certificate that it signed itself.
class Entrances : public testing::Test {
protected:
    void start(const std::string& server, const std::string& web_socket) {
        const tests::Certificate made = tests::make_certificate();
        certificate_ = folder_.write("certificate.pem", made.certificate_pem).string();
        folder_.write("key.pem", made.key_pem);
        const std::string config = "[server]\nport = 0\n" + server +
                                   "[websocket]\nenabled = true\nport = 0\n" + web_socket +
                                   "[tls]\ncertificate = \"certificate.pem\"\nkey = \"key.pem\"\n"
                                   "[world]\nbounds_m = { min_x = -200, min_y = -200, max_x = 200, "
                                   "max_y = 200 }\n";
        server_.emplace(std::vector<std::string>{
            "--config", folder_.write("zone.toml", config).string(), "--port", "0"});
    }

    [[nodiscard]] std::vector<std::string> bots(std::uint16_t port,
                                                std::vector<std::string> more) const {
        std::vector<std::string> arguments = {MARCHLAND_BOTS_PROGRAM,
                                              "--connect",
                                              "localhost:" + std::to_string(port),
                                              "--players",
                                              "50",
                                              "--seconds",
                                              "2",
                                              "--json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }

    trace::ScratchFolder folder_;
    std::string certificate_;
    std::optional<server::ServerProcess> server_;
};

TEST_F(Entrances, PlayersOverTlsSeeWhatTheyMustAlsoAfterTheirConnectionsWereCut) {
    start("tls = true\n", "");
    ProgramProcess players(
        bots(server_->wait_for_port(), {"--tls", "--ca", certificate_, "--scenario", "resume"}));
    expect_well(players);
    EXPECT_GT(number(players, "resumed"), 5);
}

TEST_F(Entrances, PlayersOverWebSocketSeeWhatTheyMust) {
    start("", "");
    ProgramProcess players(bots(server_->wait_for_web_socket_port(), {"--web-socket"}));
    expect_well(players);
}

TEST_F(Entrances, PlayersOverWebSocketAndTlsSeeWhatTheyMust) {
    start("", "tls = true\n");
    ProgramProcess players(
        bots(server_->wait_for_web_socket_port(), {"--web-socket", "--tls", "--any-certificate"}));
    expect_well(players);
}

TEST_F(Entrances, StrangersCertificateIsRefusedAndNamed) {
    start("tls = true\n", "");
    ProgramProcess players(bots(server_->wait_for_port(), {"--tls"}));
    EXPECT_EQ(players.wait(), 1);
    EXPECT_NE(players.errors().find("certificate is not accepted"), std::string::npos)
        << players.errors();
}

TEST_F(Entrances, WebSocketToAPortThatSpeaksNoneIsReported) {
    start("", "");
    ProgramProcess players(bots(server_->wait_for_port(), {"--web-socket"}));
    EXPECT_EQ(players.wait(), 1);
    EXPECT_EQ(number(players, "not_let_in"), 50);
}

TEST(BotsFarewell, LeavesNobodyInTheZoneNotEvenWhoWasCutAMomentBefore) {
    const trace::ScratchFolder folder;
    const std::string config = folder.write("zone.toml", kPatientZone).string();
    server::ServerProcess server({"--config", config, "--port", "0"});
    const auto addresses = std::get<std::vector<client::Address>>(
        client::resolve({"127.0.0.1", std::to_string(server.wait_for_port())}));
    auto joined = client::Client::join(addresses, {});
    auto& witness = std::get<client::Client>(joined);
    const auto witness_sees = [&](std::size_t players) {
        while (witness.world().seen().size() != players) {
            ASSERT_FALSE(witness.serve(std::chrono::seconds(1)));
        }
    };

    ViolationLog log(stderr, 5);
    ZoneFacts zone;
    zone.world = {{-30'000, -30'000, 0}, {30'000, 30'000, 0}, engine::Dimensions::two};
    Referee referee(zone, 2, 1'000, log);
    Poller poller;
    Swarm swarm({addresses.front(), {}, 2, std::nullopt, ""}, referee, poller);
    const auto serve_until = [&](auto is_true) {
        while (!is_true()) {
            swarm.start_waiting();
            for (const epoll_event& event : poller.wait(100)) {
                swarm.on_event(static_cast<PlayerIndex>(event.data.u64), event.events);
            }
        }
    };
    swarm.join(PlayerIndex{0}, {1'000, 0, 0});
    swarm.join(PlayerIndex{1}, {2'000, 0, 0});
    serve_until([&] { return swarm.playing() == 2; });
    witness_sees(2);

    swarm.cut(PlayerIndex{0});
    swarm.leave_all();
    serve_until([&] { return swarm.present() == 0; });
    witness_sees(0);
    EXPECT_EQ(swarm.fates().resumed, 1U);
    EXPECT_EQ(swarm.fates().left, 2U);
    EXPECT_EQ(log.total(), 0U);
}

/// Everybody sees everybody, so that frames are large, and the kernel holds little for the slow.
constexpr const char* kZoneOfSlowReaders = R"(
[limits]
unsent_bytes_max = 1024
[admin]
enabled = true
port = 0
[world]
bounds_m = { min_x = -30, min_y = -30, max_x = 30, max_y = 30 }
[view]
radius_m = 90
leave_radius_m = 90
leave_radius_max_m = 100
)";

TEST(SlowReaders, GetTheRightSetInTheirNextFrameAndNobodyElseNotices) {
    const trace::ScratchFolder folder;
    server::ServerProcess server(
        {"--config", folder.write("zone.toml", kZoneOfSlowReaders).string(), "--port", "0"});
    const std::string port = std::to_string(server.wait_for_port());
    const std::string admin = std::to_string(server.wait_for_admin_port());
    ProgramProcess players({MARCHLAND_BOTS_PROGRAM, "--connect", "127.0.0.1:" + port, "--admin",
                            "127.0.0.1:" + admin, "--players", "120", "--seconds", "6",
                            "--scenario", "slow", "--stall-seconds", "2", "--json"});
    expect_well(players);
    EXPECT_GT(number(players, "gaps"), 0);  // how many depends on how busy the machine is
    EXPECT_EQ(number(players, "gaps_looked_at"), number(players, "gaps"));
    // unsent_bytes_max, and one frame of all who enter or move.
    EXPECT_GT(number(players, "unsent_bytes_max"), 1024);
    EXPECT_LT(number(players, "unsent_bytes_max"), 1024 + 120 * 64);
    EXPECT_GT(number(players, "resident_bytes_max"), 1 << 20);
    const std::string& report = players.output();
    const auto quick = [&](const char* part) {
        const std::string key = "frames_per_player_per_second\":";
        return std::stod(report.substr(report.find(key, report.find(part)) + key.size()));
    };
    // As many as before, less what a busy machine takes away.
    EXPECT_GT(quick("\"beside\":"), 0.75 * quick("\"before\":"));
}

TEST_F(Entrances, SoakGoesWellBesideConnectionsThatBehaveBadly) {
    start("tls = true\n", "[admin]\nenabled = true\nport = 0\n");
    const std::uint16_t port = server_->wait_for_port();
    std::vector<std::string> soak =
        bots(port, {"--tls", "--ca", certificate_, "--scenario", "soak", "--admin",
                    "127.0.0.1:" + std::to_string(server_->wait_for_admin_port())});
    *std::find(soak.begin(), soak.end(), "2") = "5";
    ProgramProcess players(soak);
    expect_well(players);
    EXPECT_GT(number(players, "players_joined"), 50);
    EXPECT_GT(number(players, "resumed"), 5);
    EXPECT_GT(number(players, "ended_by_server"), 10);
    EXPECT_GT(number(players, "resident_bytes_settled"), 1 << 20);
}

/// Where a sanitizer slows all down, only that what must end does.
constexpr double kSlowness = tests::kIsSanitized ? 20 : 1;

/// config/secure.toml as it is shipped, but for ports that are free, a slot that players write and
/// players who begin all over the map, with its files made as docs/operating.md says.
/// Small: what the attacks do to a server is the same with fewer players beside them, and
/// sanitizers are slow.
TEST(Siege, OfTheSecureZoneIsNotNoticedByThePlayersInside) {
    const trace::ScratchFolder folder;
    std::ifstream shipped(MARCHLAND_CONFIG_DIR "/secure.toml");
    std::string config((std::istreambuf_iterator<char>(shipped)), {});
    for (std::size_t at = 0; (at = config.find("\nport = 777", at)) != std::string::npos;) {
        config.replace(at, 12, "\nport = 0 #");
    }
    const std::string no_states = "player_states_per_second_max = 0";
    config.replace(config.find(no_states), no_states.size(), "player_states_per_second_max = 1");
    const std::string at_one_place = "by_client = false";
    config.replace(config.find(at_one_place), at_one_place.size(), "by_client = true");
    config += R"(
[[entities.slots]]
name = "look"
type = "bytes"
bytes_max = 1024
writer = "player"
)";
    std::filesystem::create_directory(folder.file("tls"));
    std::filesystem::create_directory(folder.file("keys"));
    const tests::Certificate made = tests::make_certificate();
    const std::string certificate = folder.write("tls/certificate.pem", made.certificate_pem);
    folder.write("tls/key.pem", made.key_pem);
    std::filesystem::permissions(folder.file("tls/key.pem"), std::filesystem::perms::owner_read);
    const std::string key = folder.file("login-private.pem");
    ProgramProcess maker({MARCHLAND_TOKEN_PROGRAM, "new-key", "--out", key, "--public",
                          folder.file("keys/login.pem")});
    ASSERT_EQ(maker.wait(), 0) << maker.errors();

    server::ServerProcess server({"--config", folder.write("secure.toml", config).string()});
    const std::string port = std::to_string(server.wait_for_port());
    const std::string web_socket = std::to_string(server.wait_for_web_socket_port());
    const std::string admin = std::to_string(server.wait_for_admin_port());
    ProgramProcess players({MARCHLAND_BOTS_PROGRAM,
                            "--connect",
                            "localhost:" + port,
                            "--tls",
                            "--ca",
                            certificate,
                            "--token-key",
                            key,
                            "--token-kid",
                            "2026",
                            "--token-audience",
                            "marchland",
                            "--siege-web-socket",
                            "127.0.0.1:" + web_socket,
                            "--admin",
                            "127.0.0.1:" + admin,
                            "--scenario",
                            "siege",
                            "--players",
                            "30",
                            "--siege-crowd",
                            "30",
                            "--seconds",
                            "18",
                            "--json"});
    expect_well(players);
    const std::string& report = players.output();
    const auto of_phase = [&](const std::string& phase, const std::string& what) {
        const auto at = report.find("\"" + what + "\":", report.find("\"name\":\"" + phase + '"'));
        return at == std::string::npos ? -1 : std::stod(report.substr(at + what.size() + 3));
    };
    for (const char* const attack :
         {"strangers", "tokens", "web_socket", "wave", "crowd", "take_over", "logins", "churn",
          "large", "resume_pool", "never_read", "admin", "all"}) {
        EXPECT_GT(of_phase(attack, "connections"), 10) << attack;
    }
    for (const char* const attack :
         {"strangers", "tokens", "web_socket", "logins", "churn", "admin", "all"}) {
        EXPECT_GT(of_phase(attack, "ended_by_server"), 5) << attack;
    }
    EXPECT_EQ(of_phase("quiet", "connections"), 0);
    EXPECT_LT(of_phase("large", "ended_by_server"), kSlowness * 5);  // it is allowed
    EXPECT_EQ(number(players, "failures"), 0);  // the operator's questions were answered
    // Take-overs make nobody faster than limits.speed_max_mm_per_s, and are no reason not to move.
    EXPECT_LE(number(players, "speed_mm_per_s_max"), 12'000);
    EXPECT_GT(number(players, "take_over_moves"), 0);
    EXPECT_LT(number(players, "resident_bytes_max"), kSlowness * (128 << 20));
    const auto of_siege = report.find("\"p99\":", report.find("\"siege_latency_ms\":"));
    EXPECT_LT(std::stod(report.substr(of_siege + 6)), kSlowness * 250);
    server.send_signal(SIGTERM);
    EXPECT_EQ(server.wait(), 0) << server.log();
    const std::string said = server.output() + server.errors();
    const auto late = said.find(" late_ticks=", said.find("totals:"));
    ASSERT_NE(late, std::string::npos) << said;
    EXPECT_LT(std::stod(said.substr(late + 12)), kSlowness * 100) << said;
}

TEST_F(Demo, SomeAreComparedWithTheTruthOfAllWhenOnlySomeAreLookedInto) {
    ProgramProcess players(
        bots({"--players", "200", "--seconds", "4", "--scenario", "crowd", "--check-share", "10"}));
    expect_well(players);
    EXPECT_EQ(number(players, "looked_into"), 20);
    // Each of the twenty, against each of the others; a frame comes once a second at least.
    EXPECT_GT(number(players, "pairs_checked"), 20 * 199);
    EXPECT_GT(number(players, "frames"), 200 * 3);
}

TEST_F(Demo, OtherPlayersSeeAKilledProcessLeaveAsTheContractSays) {
    ProgramProcess victims(bots({"--players", "60", "--scenario", "crowd"}));
    victims.wait_for_line("players 60 ");
    ProgramProcess witnesses(
        bots({"--players", "60", "--seconds", "3", "--scenario", "crowd", "--seed", "2"}));
    witnesses.wait_for_line("players 60 ");
    victims.send_signal(SIGKILL);
    EXPECT_EQ(victims.wait(), -SIGKILL);
    expect_well(witnesses);
    EXPECT_GT(number(witnesses, "leaves"), 0);
}

TEST_F(Demo, SignalEndsTheRunInOrderWithItsReport) {
    ProgramProcess players(bots({"--players", "50", "--scenario", "crowd"}));
    players.wait_for_line("  2 s  players 50 ");
    players.send_signal(SIGINT);
    expect_well(players);
}

TEST_F(Demo, DeadServerIsLostPlayersAndNotAHang) {
    ProgramProcess players(bots({"--players", "20"}));
    players.wait_for_line("players 20 ");
    server_.send_signal(SIGKILL);
    EXPECT_EQ(players.wait(), 1);
    EXPECT_EQ(number(players, "players_lost"), 20);
    EXPECT_EQ(number(players, "violations"), 0);
}

TEST_F(Demo, TraceIsPlayedToItsEndAndEveryEntityIsAPlayer) {
    const trace::ScratchFolder folder;
    std::string rows = "t,id,x,y\n";
    for (int tick = 0; tick < 20; ++tick) {
        const std::string t = std::to_string(tick / 10) + "." + std::to_string(tick % 10);
        rows += t + ",7,0," + std::to_string(tick) + "\n";
        if (tick < 10) {
            rows += t + ",8,5,5\n";
        }
    }
    const std::string file = folder.write("walk.csv", rows).string();
    ProgramProcess players(bots({"--trace", file, "--hold", "0.5"}));
    EXPECT_EQ(players.wait(), 0) << players.output() << players.errors();
    EXPECT_EQ(number(players, "players_joined"), 2);
    EXPECT_EQ(number(players, "violations"), 0);
    EXPECT_GT(number(players, "positions_checked"), 0);
    EXPECT_GT(number(players, "leaves"), 0);
}

TEST_F(Demo, TraceThatDoesNotFitTheWorldIsABadFile) {
    const trace::ScratchFolder folder;
    const std::string file = folder.write("far.csv", "t,id,x,y\n0,1,444,0\n").string();
    ProgramProcess players(bots({"--trace", file}));
    EXPECT_EQ(players.wait(), 2);
    EXPECT_NE(players.errors().find("does not hold the trace"), std::string::npos)
        << players.errors();
}

TEST_F(Demo, BadRowOfATraceIsNamedByFileAndLine) {
    const trace::ScratchFolder folder;
    const std::string file = folder.write("bad.csv", "t,id,x,y\n0,1,0,0\n1,1,zero,0\n").string();
    ProgramProcess players(bots({"--trace", file}));
    EXPECT_EQ(players.wait(), 2);
    EXPECT_NE(players.errors().find(file + ":3:"), std::string::npos) << players.errors();
}

TEST(BotsTokens, EachPlayerShowsOneThatIsSignedWithTheGivenKey) {
    const trace::ScratchFolder folder;
    const std::string key = folder.write("key", "0123456789abcdef0123456789abcdef\n").string();
    const std::string config =
        folder
            .write("zone.toml",
                   "[server]\nport = 0\n[auth]\nmode = \"jwt\"\naudience = "
                   "\"zone\"\nkeys = [{ file = \"key\", algorithm = \"HS256\", kid = "
                   "\"old\" }]\n")
            .string();
    server::ServerProcess server({"--config", config});
    const std::string address = "127.0.0.1:" + std::to_string(server.wait_for_port());
    ProgramProcess bots({MARCHLAND_BOTS_PROGRAM, "--connect", address, "--json", "--players", "20",
                         "--seconds", "1", "--token-key", key, "--token-audience", "zone",
                         "--token-kid", "old"});
    EXPECT_EQ(bots.wait(), 0) << bots.output() << bots.errors();
    EXPECT_EQ(number(bots, "players_lost"), 0);
    EXPECT_GT(number(bots, "frames"), 0);
}

}  // namespace
}  // namespace marchland::bots
