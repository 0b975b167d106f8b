#include "tools/bots/processes.h"
#include "tools/bots/program.h"
#include "tests/tools/bots_rogue_server.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace marchland::bots {
namespace {

struct Ended {
    int exit_code = 0;
    std::string out;
    std::string err;
};

/// One player for a fraction of a second.
Ended run_against(std::uint16_t port, const std::string& seconds = "0.2") {
    const std::string address = "127.0.0.1:" + std::to_string(port);
    const std::vector<const char*> arguments = {"marchland-bots", "--connect", address.c_str(),
                                                "--players",      "1",         "--seconds",
                                                seconds.c_str(),  "--json"};
    std::ostringstream out;
    std::ostringstream err;
    const int exit_code =
        run_program(static_cast<int>(arguments.size()), arguments.data(), "1.2.3", out, err);
    return {exit_code, out.str(), err.str()};
}

Script welcomed() {
    Script script;
    say(script, welcome_as(2));
    return script;
}

net::FrameMessage frame(engine::Tick tick) {
    net::FrameMessage message;
    message.tick = tick;
    return message;
}

void expect_json(const Ended& ended, const std::string& part) {
    EXPECT_NE(ended.out.find(part), std::string::npos) << part << "\nis not in\n" << ended.out;
}

void expect_violation(Script script, const std::string& kind) {
    RogueServer server({std::move(script)}, RogueServer::Then::waits_for_leave);
    const Ended ended = run_against(server.port());
    EXPECT_EQ(ended.exit_code, 1);
    expect_json(ended, "violations  1: " + kind + " 1\n");
    expect_json(ended, R"("violations":1,)");
}

TEST(BotsProcesses, AddUpEachFigureThatTheySentByItsKind) {
    const Report sum = play_in_processes(2, [](std::size_t process, Together&) {
        const std::size_t one_or_two = process + 1;
        Report report;
        report.seconds = 10.0 * static_cast<double>(one_or_two);
        report.shown_error_mm_max = 3.5 * static_cast<double>(one_or_two);
        report.pairs_checked = one_or_two;
        report.traffic.frames = one_or_two;
        report.latency.add_us(one_or_two);
        report.fates.joined = one_or_two;
        report.fates.return_ms_max = one_or_two;
        report.fates.errors[net::ErrorCode::too_fast] = one_or_two;
        report.violations_by_kind = "missing 1";
        report.groups = {{"roamers", "roam", one_or_two, 0, 0}};
        report.points = {{10.0 * static_cast<double>(one_or_two), 1, one_or_two, {}}};
        if (process == 1) {
            report.fates.first_trouble = "no Welcome in time";
            report.server = Report::Server{.resident_bytes_first = 5};
        }
        return report;
    });
    EXPECT_EQ(sum.seconds, 20);
    EXPECT_EQ(sum.shown_error_mm_max, 7);
    EXPECT_EQ(sum.pairs_checked, 3);
    EXPECT_EQ(sum.traffic.frames, 3);
    EXPECT_EQ(sum.latency.count(), 2);
    EXPECT_EQ(sum.fates.joined, 3);
    EXPECT_EQ(sum.fates.return_ms_max, 2);
    EXPECT_EQ(sum.fates.errors.at(net::ErrorCode::too_fast), 3);
    EXPECT_EQ(sum.fates.first_trouble, "no Welcome in time");
    EXPECT_EQ(sum.violations_by_kind, "missing 1; missing 1");
    ASSERT_TRUE(sum.server);
    EXPECT_EQ(sum.server->resident_bytes_first, 5);
    ASSERT_EQ(sum.groups.size(), 1);
    EXPECT_EQ(sum.groups.front().name, "roamers");
    EXPECT_EQ(sum.groups.front().players, 3);
    ASSERT_EQ(sum.points.size(), 1);
    EXPECT_EQ(sum.points.front().at_s, 20);
    EXPECT_EQ(sum.points.front().players, 3);
}

TEST(BotsReport, IsNotWellWhereNobodysMoveIsMadeAnyMore) {
    Report report;
    const auto play = [&](int seconds, std::uint64_t sent, std::uint64_t made) {
        for (int i = 0; i < seconds; ++i) {
            Report::Point point;
            point.seconds = 1;
            point.traffic.moves_sent = sent;
            point.traffic.moves_made = made;
            report.add(point);
        }
    };
    play(10, 40, 1);
    EXPECT_TRUE(report.is_all_well());
    play(4, 40, 0);
    EXPECT_TRUE(report.is_all_well()) << "it may be stalled, and go on";
    play(1, 40, 0);
    EXPECT_FALSE(report.is_all_well());
    EXPECT_NE(to_text(report).find("NOT WELL: nobody moved any more: the server made none of 200 "
                                   "moves in the last 5 s"),
              std::string::npos);
    play(5, 0, 0);
    EXPECT_TRUE(report.is_all_well()) << "nobody wants to move";
}

TEST(BotsSiege, AttacksNobodyElsesServer) {
    const std::vector<const char*> arguments = {
        "marchland-bots", "--connect", "192.0.2.1:7777", "--scenario", "siege", "--seconds", "1"};
    std::ostringstream out;
    std::ostringstream err;
    EXPECT_EQ(run_program(static_cast<int>(arguments.size()), arguments.data(), "", out, err), 2);
    EXPECT_NE(err.str().find("only a server on 127.0.0.1"), std::string::npos) << err.str();
}

TEST(BotsAgainstARogueServer, ProperStreamIsWell) {
    Script script = welcomed();
    net::FrameMessage first = frame(5);
    first.enters = {{engine::EntityId{9}, 0, {1'000, 0, 0}, {}}};
    say(script, first);
    net::FrameMessage second = frame(6);
    second.moves = {{engine::EntityId{9}, true, 250, 0, 0}};
    say(script, second);
    RogueServer server({script}, RogueServer::Then::waits_for_leave);
    const Ended ended = run_against(server.port());
    EXPECT_EQ(ended.exit_code, 0) << ended.out;
    expect_json(ended, R"("players":1,)");
    expect_json(ended, R"("violations":0,)");
    expect_json(ended, R"("players_lost":0,)");
}

TEST(BotsAgainstARogueServer, DoubleEnterIsAViolation) {
    Script script = welcomed();
    net::FrameMessage entering = frame(5);
    entering.enters = {{engine::EntityId{9}, 0, {1'000, 0, 0}, {}}};
    say(script, entering);
    entering.tick = 6;
    say(script, entering);
    expect_violation(script, "double_enter");
}

TEST(BotsAgainstARogueServer, AcknowledgedMoveThatWasNotSentIsAViolation) {
    Script script = welcomed();
    net::FrameMessage acknowledging = frame(5);
    acknowledging.move_ack = 1'000'000;
    say(script, acknowledging);
    expect_violation(script, "wrong_ack");
}

TEST(BotsAgainstARogueServer, SecondWelcomeIsAViolation) {
    Script script = welcomed();
    say(script, welcome_as(3));
    expect_violation(script, "unexpected");
}

TEST(BotsAgainstARogueServer, FrameBeforeTheWelcomeIsAViolation) {
    Script script;
    say(script, frame(5));
    expect_violation(script, "unexpected");
}

TEST(BotsAgainstARogueServer, GarbageIsAViolation) {
    Script script = welcomed();
    script.insert(script.end(), {std::byte{4}, std::byte{0}, std::byte{0}, std::byte{0},
                                 std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}});
    expect_violation(script, "malformed");
}

TEST(BotsAgainstARogueServer, LengthBeyondAllMessagesIsAViolation) {
    Script script = welcomed();
    script.insert(script.end(), 4, std::byte{0xff});
    expect_violation(script, "malformed");
}

TEST(BotsAgainstARogueServer, ErrorInsteadOfAWelcomeIsALostPlayerWithItsCode) {
    Script script;
    say(script, net::ErrorMessage{net::ErrorCode::full, "no more players"});
    RogueServer server({script}, RogueServer::Then::closes);
    const Ended ended = run_against(server.port());
    EXPECT_EQ(ended.exit_code, 1);
    expect_json(ended, "player 0: the server says full (10): no more players");
    expect_json(ended, R"("violations":0,)");
    expect_json(ended, R"("not_let_in":1,)");
    expect_json(ended, R"("error_codes":{"10":1})");
}

TEST(BotsAgainstARogueServer, ConnectionClosedInTheMiddleIsALostPlayer) {
    Script script = welcomed();
    say(script, frame(5));
    RogueServer server({script}, RogueServer::Then::closes);
    const Ended ended = run_against(server.port(), "5");
    EXPECT_EQ(ended.exit_code, 1);
    expect_json(ended, R"("closed_by_server":1,)");
}

TEST(BotsProgram, NobodyListeningIsReportedAndAllPlayersAreLost) {
    std::uint16_t port = 0;
    {
        const RogueServer server({}, RogueServer::Then::closes);
        port = server.port();
    }
    const Ended ended = run_against(port);
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_NE(ended.err.find("Connection refused"), std::string::npos) << ended.err;
    expect_json(ended, R"("players_lost":1,)");
}

TEST(BotsProgram, MorePlayersThanOpenFilesIsRefusedWithTheNumberThatFits) {
    std::ostringstream out;
    std::ostringstream err;
    const std::vector<const char*> arguments = {"marchland-bots", "--connect", "127.0.0.1:1",
                                                "--players", "1000000"};
    EXPECT_EQ(run_program(static_cast<int>(arguments.size()), arguments.data(), "1", out, err), 2);
    EXPECT_NE(err.str().find("players fit"), std::string::npos) << err.str();
    EXPECT_NE(err.str().find("ulimit -Hn"), std::string::npos) << err.str();
}

TEST(BotsProgram, TraceThatIsNotThereIsABadFile) {
    std::ostringstream out;
    std::ostringstream err;
    const std::vector<const char*> arguments = {"marchland-bots", "--connect", "127.0.0.1:1",
                                                "--trace", "/no/such.csv"};
    EXPECT_EQ(run_program(static_cast<int>(arguments.size()), arguments.data(), "1", out, err), 2);
    EXPECT_NE(err.str().find("/no/such.csv"), std::string::npos) << err.str();
}

}  // namespace
}  // namespace marchland::bots
