#include "tools/bots/options.h"
#include "tests/tools/trace_scratch_folder.h"

#include <gtest/gtest.h>

#include <chrono>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace marchland::bots {
namespace {

struct Parsed {
    std::variant<Options, tools::ExitCode> result;
    std::string out;
    std::string err;
};

Parsed parse(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "marchland-bots");
    std::ostringstream out;
    std::ostringstream err;
    std::variant<Options, tools::ExitCode> result;
    const auto run = [&] {
        result =
            parse_options(static_cast<int>(arguments.size()), arguments.data(), "1.2.3", out, err);
        return -1;
    };
    if (const int code = tools::run_or_refuse(run, err); code != -1) {
        result = tools::ExitCode{code};
    }
    return {std::move(result), out.str(), err.str()};
}

Options expect_options(std::vector<const char*> arguments) {
    const Parsed parsed = parse(std::move(arguments));
    EXPECT_TRUE(std::holds_alternative<Options>(parsed.result)) << parsed.err;
    return std::holds_alternative<Options>(parsed.result) ? std::get<Options>(parsed.result)
                                                          : Options{};
}

void expect_refused(std::vector<const char*> arguments, const std::string& said) {
    const Parsed parsed = parse(std::move(arguments));
    ASSERT_TRUE(std::holds_alternative<tools::ExitCode>(parsed.result));
    EXPECT_EQ(std::get<tools::ExitCode>(parsed.result).value, 2);
    EXPECT_NE(parsed.err.find(said), std::string::npos) << parsed.err;
}

TEST(BotsOptions, OfADocumentedCommandLineAreUnderstood) {
    const Options options =
        expect_options({"--connect", "localhost:7777", "--players", "2000", "--seconds", "2.5",
                        "--scenario", "border", "--seed", "7", "--json"});
    EXPECT_EQ(options.server.host, "localhost");
    EXPECT_EQ(options.server.port, "7777");
    EXPECT_EQ(options.scenario.players, 2'000U);
    EXPECT_EQ(options.duration_ns, 2'500'000'000);
    EXPECT_EQ(options.scenario.scenario, Scenario::border);
    EXPECT_EQ(options.scenario.seed, 7U);
    EXPECT_EQ(options.scenario.speed_mm_per_s, 5'000);
    EXPECT_FALSE(options.view);
    EXPECT_TRUE(options.json);
}

TEST(BotsOptions, WaysInAndWhichCertificatesAreAccepted) {
    const Options plain = expect_options({"--connect", "h:1"});
    EXPECT_FALSE(plain.is_tls);
    EXPECT_FALSE(plain.is_web_socket);
    const Options both =
        expect_options({"--connect", "h:1", "--web-socket", "--tls", "--ca", "own.pem"});
    EXPECT_TRUE(both.is_tls);
    EXPECT_TRUE(both.is_web_socket);
    EXPECT_EQ(both.trust.ca_file, "own.pem");
    EXPECT_FALSE(both.trust.any_certificate);
    expect_refused({"--connect", "h:1", "--ca", "own.pem"}, "--tls");
    expect_refused({"--connect", "h:1", "--tls", "--ca", "own.pem", "--any-certificate"}, "--ca");
}

TEST(BotsOptions, SlowReadersStopForASpanThatServersForgive) {
    const Options options = expect_options(
        {"--connect", "h:1", "--scenario", "slow", "--stall-seconds", "1.5", "--admin", "h:7779"});
    EXPECT_EQ(options.scenario.scenario, Scenario::slow);
    EXPECT_EQ(options.scenario.stall, std::chrono::milliseconds(1'500));
    EXPECT_EQ(options.admin->port, "7779");
    expect_refused({"--connect", "h:1", "--stall-seconds", "16"}, "--stall-seconds");
    expect_refused({"--connect", "h:1", "--admin", "7779"}, "--admin");
}

TEST(BotsOptions, SoakSaysHowLong) {
    const Options options =
        expect_options({"--connect", "h:1", "--scenario", "soak", "--minutes", "1.5"});
    EXPECT_EQ(options.duration_ns, 90'000'000'000);
    expect_refused({"--connect", "h:1", "--scenario", "soak"}, "how long");
    expect_refused({"--connect", "h:1", "--seconds", "1", "--minutes", "1"}, "--minutes");
}

TEST(BotsOptions, SiegeSaysHowLongAndWhatElseIsAttacked) {
    const Options options = expect_options({"--connect", "h:1", "--scenario", "siege", "--seconds",
                                            "60", "--siege-web-socket", "h:2"});
    EXPECT_EQ(options.siege_crowd, 200U);
    EXPECT_EQ(options.siege_web_socket->port, "2");
    expect_refused({"--connect", "h:1", "--scenario", "siege"}, "how long");
    expect_refused({"--connect", "h:1", "--siege-crowd", "2001"}, "--siege-crowd");
    expect_refused({"--connect", "h:1", "--siege-web-socket", "h"}, "--siege-web-socket");
}

TEST(BotsOptions, ShareOfPlayersThatIsLookedIntoIsNeverNobody) {
    const auto looked_into = [](const char* players, const char* percent) {
        return expect_options({"--connect", "h:1", "--players", players, "--check-share", percent})
            .scenario.looked_into;
    };
    EXPECT_EQ(looked_into("1000", "5"), 50U);
    EXPECT_EQ(looked_into("10", "1"), 1U);
    EXPECT_GE(looked_into("10", "100"), 10U);
    expect_refused({"--connect", "h:1", "--check-share", "5", "--scenario", "resume"}, "resume");
    expect_refused({"--connect", "h:1", "--check-share", "0"}, "--check-share");
}

TEST(BotsOptions, AddressOfVersionSixStandsInBrackets) {
    const Options options = expect_options({"--connect", "[::1]:7777"});
    EXPECT_EQ(options.server.host, "::1");
}

TEST(BotsOptions, LeaveRadiusIsTheViewRadiusUnlessGiven) {
    EXPECT_EQ(expect_options({"--connect", "a:1", "--view-radius-m", "12.5"}).view,
              engine::View::circle(12'500, 12'500));
    EXPECT_EQ(
        expect_options({"--connect", "a:1", "--view-radius-m", "12.5", "--leave-radius-m", "15"})
            .view,
        engine::View::circle(12'500, 15'000));
}

TEST(BotsOptions, TraceTakesTheScenariosPlace) {
    const Options options = expect_options(
        {"--connect", "a:1", "--trace", "walk.csv", "--hold", "0.5", "--trace-speed", "2"});
    ASSERT_TRUE(options.trace);
    EXPECT_EQ(options.trace->hold_ns, 500'000'000);
    EXPECT_EQ(options.trace->speed, 2.0);
    expect_refused({"--connect", "a:1", "--trace", "walk.csv", "--players", "5"}, "--players");
}

TEST(BotsOptions, WrongOnesAreRefusedByName) {
    expect_refused({}, "--connect");
    expect_refused({"--connect", "localhost"}, "--connect: 'localhost' is not HOST:PORT");
    expect_refused({"--connect", "localhost:0"}, "--connect");
    expect_refused({"--connect", "::1:7777"}, "--connect");
    expect_refused({"--connect", "a:1", "--players", "0"}, "--players");
    expect_refused({"--connect", "a:1", "--seconds", "-1"}, "--seconds");
    expect_refused({"--connect", "a:1", "--seconds", "soon"}, "--seconds: 'soon'");
    expect_refused({"--connect", "a:1", "--scenario", "riot"}, "--scenario");
    expect_refused({"--connect", "a:1", "--hold", "1"}, "--hold");
    expect_refused({"--connect", "a:1", "--speed-m-s", "0.0001"}, "--speed-m-s");
    expect_refused({"--connect", "a:1", "--view-radius-m", "10", "--leave-radius-m", "9"},
                   "--leave-radius-m");
    expect_refused({"--connect", "a:1", "--token-key", "k"}, "--token-audience");
    expect_refused({"--connect", "a:1", "--token-kid", "k"}, "--token-key");
    expect_refused({"--connect", "a:1", "--no-such"}, "--no-such");
}

TEST(BotsOptions, EmptyOnesAreRefused) {
    for (const char* const option :
         {"--plan", "--trace", "--report", "--minutes", "--admin", "--token", "--view-radius-m"}) {
        expect_refused({"--connect", "a:1", option, ""},
                       std::string(option) + ": is empty; leave the option out");
    }
}

TEST(BotsOptions, ReportTakesThePlaceOfNothingThatIsRead) {
    const trace::ScratchFolder folder;
    const std::string plan = "seconds = 1\n[[group]]\nplayers = 1\n";
    const auto refused = [](const char* option, const std::string& read, const std::string& report,
                            const std::string& said) {
        expect_refused(
            {"--connect", "a:1", option, read.c_str(), "--report", report.c_str()},
            "--report: " + said + " would be overwritten, and it is read: name another file");
    };
    const std::string page = folder.write("evening.html", plan);
    refused("--plan", page, page, page);
    const std::string beside = folder.write("evening.json", plan);
    refused("--plan", beside, page, beside);
    refused("--trace", page, page, page);
    refused("--trace", beside, folder.file("evening"), beside);
    refused("--token", page, page, page);
    expect_options({"--connect", "a:1", "--plan", page.c_str(), "--report",
                    folder.file("other.html").c_str()});
}

TEST(BotsOptions, ReportNeedsAFolder) {
    const trace::ScratchFolder folder;
    expect_refused({"--connect", "a:1", "--report", folder.file("no/evening.html").c_str()},
                   "--report: there is no folder " + folder.file("no").string());
    expect_refused({"--connect", "a:1", "--report", folder.file("").c_str()}, "--report: ");
    EXPECT_EQ(expect_options({"--connect", "a:1", "--report", "evening.html"}).report,
              "evening.html");
}

TEST(BotsOptions, HelpAndVersionGoToStandardOutputAndEndWell) {
    for (const char* const argument : {"--help", "--version"}) {
        const Parsed parsed = parse({argument});
        ASSERT_TRUE(std::holds_alternative<tools::ExitCode>(parsed.result));
        EXPECT_EQ(std::get<tools::ExitCode>(parsed.result).value, 0);
        EXPECT_FALSE(parsed.out.empty());
        EXPECT_TRUE(parsed.err.empty());
    }
    EXPECT_NE(parse({"--version"}).out.find("1.2.3"), std::string::npos);
}

}  // namespace
}  // namespace marchland::bots
