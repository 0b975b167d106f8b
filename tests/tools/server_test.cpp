#include "tests/config/test_folder.h"
#include "tests/net/test_client.h"
#include "tests/net/token_maker.h"
#include "tests/tools/admin_request.h"
#include "tests/tools/server_process.h"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <thread>
#include <vector>
#include <sys/stat.h>

namespace marchland::server {

namespace {

const std::filesystem::path kConfigs = MARCHLAND_CONFIG_DIR;
const std::string kDemo = (kConfigs / "demo.toml").string();

void expect_refused(const std::string& config, const std::vector<std::string>& layout,
                    const std::string& error) {
    std::vector<std::string> arguments{"--config", config};
    arguments.insert(arguments.end(), layout.begin(), layout.end());
    const Ended ended = run_server(arguments);
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_NE(ended.log.find(error), std::string::npos) << ended.log;
    EXPECT_EQ(ended.output, "");
}

/// The port at the end of the line that says where an entrance is.
std::uint16_t port_of(ServerProcess& server, const std::string& entrance) {
    const std::string line = server.wait_for_line(entrance + " at ");
    return static_cast<std::uint16_t>(std::stoi(line.substr(line.rfind(':') + 1)));
}

/// A pipe in the place of whatever has that name.
std::string make_pipe_in(const config::TestFolder& folder, const std::string& name) {
    const std::string path = folder.write(name, "").string();
    EXPECT_TRUE(std::filesystem::remove(path));
    EXPECT_EQ(mkfifo(path.c_str(), 0600), 0);
    return path;
}

/// Signals that a program which is started while it lives is not ended by, but finds when it asks:
/// as one that came while it began.
class HeldBack {
public:
    explicit HeldBack(std::initializer_list<int> signals) {
        sigset_t set;
        sigemptyset(&set);
        for (const int signal : signals) {
            sigaddset(&set, signal);
        }
        pthread_sigmask(SIG_BLOCK, &set, &before_);
    }
    HeldBack(const HeldBack&) = delete;
    HeldBack& operator=(const HeldBack&) = delete;
    ~HeldBack() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
    sigset_t before_{};
};

}  // namespace

TEST(Server, AnAdminPortTellsMetricsTakesLayoutsAndStops) {
    const config::TestFolder folder;
    const std::string config =
        folder.write("zone.toml", "[server]\nport = 0\n[admin]\nenabled = true\nport = 0\n");
    ServerProcess server({"--config", config});
    const std::uint16_t admin = port_of(server, "admin");
    tests::TestClient client(server.wait_for_port());
    client.join();
    EXPECT_NE(ask_admin(admin, "GET", "/health").find("\r\n\r\nok\n"), std::string::npos);
    EXPECT_NE(ask_admin(admin, "GET", "/metrics").find("\nmarchland_players 1\n"),
              std::string::npos);
    EXPECT_NE(ask_admin(admin, "GET", "/status").find("\"players\": 1,"), std::string::npos);

    const std::string refused = ask_admin(admin, "POST", "/layout", "[grid]\ncolums = 2\n");
    EXPECT_EQ(refused.substr(0, 12), "HTTP/1.1 422");
    EXPECT_NE(refused.find("POST /layout:2:1: grid.colums: unknown key"), std::string::npos)
        << refused;
    const std::string taken =
        ask_admin(admin, "POST", "/layout", "[grid]\ncolumns = 3\nrows = 1\n");
    EXPECT_EQ(taken.substr(0, 12), "HTTP/1.1 200") << taken;
    EXPECT_NE(server.wait_for_line(" shards=3 "), "");
    EXPECT_EQ(ask_admin(admin, "POST", "/layout", std::string(300'000, '#')).substr(0, 12),
              "HTTP/1.1 413");

    EXPECT_EQ(ask_admin(admin, "POST", "/stop").substr(0, 12), "HTTP/1.1 202");
    client.close();
    EXPECT_EQ(server.wait(), 0) << server.log();
}

TEST(Server, CheckTellsWhichKeysAndCertificatesAreMissing) {
    const Ended ended = run_server({"--config", (kConfigs / "secure.toml").string(), "--check"});
    EXPECT_EQ(ended.exit_code, 2);
    for (const auto* const file : {"tls/certificate.pem", "tls/key.pem", "keys/login.pem"}) {
        EXPECT_NE(ended.log.find((kConfigs / file).string() + ": cannot be read: "),
                  std::string::npos)
            << ended.log;
    }
}

TEST(Server, CheckPrintsAConfigurationThatItReadsBackAsTheSame) {
    const config::TestFolder folder;
    const Ended first = run_server({"--config", kDemo, "--check"});
    EXPECT_EQ(first.exit_code, 0);
    EXPECT_EQ(first.log, "");
    EXPECT_NE(first.output.find("columns = 2\nrows = 2\n"), std::string::npos) << first.output;
    const Ended second =
        run_server({"--config", folder.write("effective.toml", first.output), "--check"});
    EXPECT_EQ(second.exit_code, 0);
    EXPECT_EQ(second.output, first.output);
}

TEST(Server, CheckPrintsWhatTheCommandLineChanges) {
    const std::string layout = (kConfigs / "layouts" / "irregular.toml").string();
    const Ended ended =
        run_server({"--config", kDemo, "--layout", layout, "--port", "7", "--check"});
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_NE(ended.output.find("port = 7\n"), std::string::npos);
    EXPECT_NE(ended.output.find("name = \"west_gate\"\n"), std::string::npos);
}

TEST(Server, CheckSaysNothingOfWhatACommandLineWouldDoToTheState) {
    for (const std::vector<std::string>& option : std::initializer_list<std::vector<std::string>>{
             {"--fresh"}, {"--restore", "zone.db"}, {"--record", "zone.rec"}}) {
        std::vector<std::string> arguments{"--config", kDemo, "--check"};
        arguments.insert(arguments.end(), option.begin(), option.end());
        const Ended ended = run_server(arguments);
        EXPECT_EQ(ended.exit_code, 2) << option.front();
        EXPECT_NE(ended.log.find(option.front()), std::string::npos) << ended.log;
        EXPECT_EQ(ended.output, "");
    }
}

TEST(Server, CheckRefusesAStateWhereNoFolderCanBe) {
    const config::TestFolder folder;
    const std::string file = folder.write("file", "").string();
    for (const std::string& directory : {file, file + "/below/it"}) {
        const Ended ended =
            run_server({"--config",
                        folder.write("zone.toml", "[state]\nenabled = true\ndirectory = \"" +
                                                      directory + "\"\n"),
                        "--check"});
        EXPECT_EQ(ended.exit_code, 2) << ended.output;
        EXPECT_NE(ended.log.find("state.directory: "), std::string::npos) << ended.log;
    }
}

/// Anybody may read the token: that is warned of, once, and in the log's own form.
TEST(Server, WhatItWarnsOfIsNeverAmongWhatItPrints) {
    const config::TestFolder folder;
    const std::string token = folder.write("token", "0123456789abcdef\n").string();
    ASSERT_EQ(chmod(token.c_str(), 0644), 0);
    const std::string config = folder.write(
        "zone.toml",
        "[server]\nport = 0\n[admin]\nenabled = true\nport = 0\ntoken_file = \"token\"\n"
        "[log]\nformat = \"json\"\n");
    const auto warnings = [](const std::string& text) {
        const auto first = text.find("everybody on this machine");
        return first == std::string::npos                                       ? 0
               : text.find("everybody on this machine", first + 1) == text.npos ? 1
                                                                                : 2;
    };
    const Ended check = run_server({"--config", config, "--check"});
    EXPECT_EQ(check.exit_code, 0);
    EXPECT_EQ(warnings(check.output), 0) << check.output;
    EXPECT_EQ(warnings(check.log), 1) << check.log;

    ServerProcess server({"--config", config});
    EXPECT_NE(server.wait_for_port(), 0);
    server.send_signal(SIGTERM);
    EXPECT_EQ(server.wait(), 0);
    EXPECT_EQ(server.output(), "");
    EXPECT_EQ(warnings(server.log()), 1) << server.log();
    std::istringstream lines(server.log());
    for (std::string line; std::getline(lines, line);) {
        boost::system::error_code error;
        const auto value = boost::json::parse(line, error);
        ASSERT_TRUE(!error && value.is_object()) << line;
        for (const char* const key : {"time", "level", "text"}) {
            EXPECT_TRUE(value.get_object().contains(key)) << line;
        }
    }
}

TEST(Server, WritesNoLogIntoAFileWhereItsCallerClosedTheStandardStreams) {
    const config::TestFolder folder;
    const std::string config = folder.write(
        "zone.toml", "[server]\nport = 0\n[state]\nenabled = true\ndirectory = \"state\"\n");
    for (const std::string closed : {"exec </dev/null >&- 2>&-", "exec <&- >&- 2>&-"}) {
        const std::filesystem::path recording = folder.write("old", "").parent_path() / "zone.rec";
        std::filesystem::remove(recording);
        ServerProcess server(closed, {"--config", config, "--record", recording.string()});
        const std::filesystem::path lock = recording.parent_path() / "state" / "lock";
        // It has no log to say that it is there.
        const auto both = [&] { return exists(lock) && exists(recording); };
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while (!both() && std::chrono::steady_clock::now() < end) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        ASSERT_TRUE(both());
        server.send_signal(SIGTERM);
        EXPECT_EQ(server.wait(), 0);
        for (const std::filesystem::path& file : {recording, lock}) {
            std::ifstream in(file, std::ios::binary);
            const std::string bytes{std::istreambuf_iterator<char>(in), {}};
            EXPECT_EQ(bytes.find("info"), std::string::npos) << file << ": " << bytes;
        }
        std::filesystem::remove(lock);
    }
}

TEST(Server, ABrokenFileIsRefusedAtItsPlace) {
    const config::TestFolder folder;
    const std::string syntax = folder.write("syntax.toml", "[server]\nport = = 1\n");
    expect_refused(syntax, {}, syntax + ":2:8: not valid TOML: ");
    const std::string unknown = folder.write("unknown.toml", "[shards]\ncolums = 2\n");
    expect_refused(unknown, {"--check"}, unknown + ":2:1: shards.colums: unknown key\n  hint: ");
    const std::string gap = folder.write(
        "gap.toml",
        "[[shard]]\nname = \"a\"\nrect_m = { min_x=-443, min_y=-443, max_x=0, max_y=443 }\n");
    expect_refused(kDemo, {"--layout", gap}, gap + ":3:10: shard: no shard owns x 0 to 443");
}

TEST(Server, HelpAndVersionAreAnswered) {
    for (const auto* option : {"--help", "--version"}) {
        const Ended ended = run_server({option});
        EXPECT_EQ(ended.exit_code, 0) << option;
        EXPECT_NE(ended.output.find("marchland-server"), std::string::npos) << ended.output;
    }
}

TEST(Server, BadArgumentsAreRefused) {
    EXPECT_EQ(run_server({}).exit_code, 2);
    const Ended unknown = run_server({"dance"});
    EXPECT_EQ(unknown.exit_code, 2);
    EXPECT_NE(unknown.log.find("dance"), std::string::npos) << unknown.log;
    EXPECT_EQ(run_server({"--config", kDemo, "--chek"}).exit_code, 2);
    EXPECT_EQ(run_server({"--config", kDemo, "--port", "65536"}).exit_code, 2);
    for (const auto* const option : {"--port", "--layout", "--admin-port", "--record-parts"}) {
        EXPECT_EQ(run_server({"--check", "--config", kDemo, option, ""}).exit_code, 2) << option;
    }
}

TEST(Server, StopsInOrderOnEitherSignal) {
    for (const int signal : {SIGINT, SIGTERM}) {
        ServerProcess server({"--config", kDemo, "--port", "0"});
        EXPECT_NE(server.wait_for_port(), 0);
        server.send_signal(signal);
        EXPECT_EQ(server.wait(), 0) << server.log();
        EXPECT_NE(server.log().find("stopped after "), std::string::npos) << server.log();
    }
}

TEST(Server, ASignalThatComesBeforeItHasReadItsFilesCounts) {
    const HeldBack held({SIGHUP, SIGTERM});
    ServerProcess stopped({"--config", kDemo, "--port", "0"});
    stopped.send_signal(SIGTERM);
    EXPECT_EQ(stopped.wait(), 0) << stopped.log();

    ServerProcess reloads({"--config", kDemo, "--port", "0"});
    reloads.send_signal(SIGHUP);
    EXPECT_NE(reloads.wait_for_line("is what it was: the one in force stays"), "");
    reloads.send_signal(SIGTERM);
    EXPECT_EQ(reloads.wait(), 0) << reloads.log();
}

TEST(Server, NeverOpensItsDoorWhereBothASignalToReloadAndOneToStopCameBefore) {
    const HeldBack held({SIGHUP, SIGTERM});
    // Both wait for the program before it begins, whatever the machine does meanwhile.
    tests::ProgramProcess server({"/bin/sh", "-c", R"(kill -HUP $$; kill -TERM $$; exec "$@")",
                                  "sh", MARCHLAND_SERVER_PROGRAM, "--config", kDemo, "--port",
                                  "0"});
    EXPECT_EQ(server.wait(), 0) << server.errors();
    EXPECT_NE(server.errors().find("stopped before it listened"), std::string::npos)
        << server.errors();
    EXPECT_EQ(server.errors().find("listening on"), std::string::npos) << server.errors();
}

TEST(Server, APipeIsNoFileAtTheStart) {
    const config::TestFolder folder;
    const std::string pipe = make_pipe_in(folder, "zone.toml");
    expect_refused(pipe, {}, pipe + ": is a pipe, not a regular file");
    expect_refused(kDemo, {"--layout", pipe}, pipe + ": is a pipe, not a regular file");
}

TEST(Server, APipeIsNoFileAtSighupEither) {
    const config::TestFolder folder;
    const std::string layout = folder.write("layout.toml", "[grid]\ncolumns = 2\nrows = 1\n");
    ServerProcess server({"--config", kDemo, "--layout", layout, "--port", "0"});
    EXPECT_NE(server.wait_for_port(), 0);
    make_pipe_in(folder, "layout.toml");
    server.send_signal(SIGHUP);
    EXPECT_NE(server.wait_for_line(layout + ": is a pipe, not a regular file"), "");
    server.send_signal(SIGTERM);
    EXPECT_EQ(server.wait(), 0) << server.log();
}

TEST(Server, ABadFileIsExitCode2AlsoWhereNobodyReadsWhatIsWrong) {
    const config::TestFolder folder;
    const std::string config = folder.write("zone.toml", "[shards]\ncolums = 2\n");
    ServerProcess server({"--config", config}, tests::ProgramProcess::Reader::nobody);
    EXPECT_EQ(server.wait(), 2);
}

TEST(Server, TellsItsClientsThatItStops) {
    ServerProcess server({"--config", kDemo, "--port", "0"});
    tests::TestClient client(server.wait_for_port());
    client.join();
    server.send_signal(SIGTERM);
    std::optional<net::ServerMessage> last;
    for (auto message = client.receive(); message; message = client.receive()) {
        last = std::move(message);
    }
    ASSERT_TRUE(last && std::holds_alternative<net::ErrorMessage>(*last));
    EXPECT_EQ(std::get<net::ErrorMessage>(*last).code, net::ErrorCode::stopping);
    client.close();
    EXPECT_EQ(server.wait(), 0) << server.log();
}

TEST(Server, ASecondSignalEndsItAtOnce) {
    const config::TestFolder folder;
    const std::string patient =
        folder.write("patient.toml", "[limits]\nlinger_timeout_ms = 60000\n");
    ServerProcess server({"--config", patient, "--port", "0"});
    tests::TestClient client(server.wait_for_port());
    client.join();
    server.send_signal(SIGTERM);
    EXPECT_NE(server.wait_for_line("stopping: "), "");
    server.send_signal(SIGTERM);  // the client keeps its end open: an orderly stop takes a minute
    EXPECT_EQ(server.wait(), -SIGTERM) << server.log();
}

TEST(Server, SighupPutsTheLayoutFileInForceAndClientsNoticeNothing) {
    const config::TestFolder folder;
    const std::string layout = folder.write("layout.toml", "[grid]\ncolumns = 2\nrows = 1\n");
    ServerProcess server({"--config", kDemo, "--layout", layout, "--port", "0"});
    tests::TestClient client(server.wait_for_port());
    client.join();
    EXPECT_NE(server.wait_for_line(" shards=2 "), "");
    folder.write("layout.toml", "[grid]\ncolumns = 5\nrows = 3\n");
    server.send_signal(SIGHUP);
    EXPECT_NE(server.wait_for_line(layout + ": 15 shards from tick "), "");
    const std::string line = server.wait_for_line(" shards=15 ");
    EXPECT_NE(line.find(" players=1 entities=1 "), std::string::npos) << line;
    folder.write("layout.toml", "[grid]\ncolumns = 1\nrows = 1\n");
    server.send_signal(SIGHUP);
    EXPECT_NE(server.wait_for_line(" shards=1 "), "") << "the fourteen others are retired";
    client.close();
    server.send_signal(SIGTERM);
    EXPECT_EQ(server.wait(), 0) << server.log();
    EXPECT_NE(server.log().find(" layout_changes=2"), std::string::npos) << server.log();
}

TEST(Server, SighupLeavesALayoutThatWasPostedUntilTheFileIsAnother) {
    const config::TestFolder folder;
    const std::string door = "[server]\nport = 0\n[admin]\nenabled = true\nport = 0\n";
    const std::string config = folder.write("zone.toml", door + "[shards]\ncolumns = 2\n");
    ServerProcess server({"--config", config});
    const std::uint16_t admin = port_of(server, "admin");
    EXPECT_NE(server.wait_for_port(), 0);
    ask_admin(admin, "POST", "/layout", "[grid]\ncolumns = 3\nrows = 1\n");
    EXPECT_NE(server.wait_for_line(" shards=3 "), "");
    server.send_signal(SIGHUP);
    EXPECT_NE(server.wait_for_line("layout of " + config + " is what it was"), "");
    folder.write("zone.toml", door + "[shards]\ncolumns = 4\n");
    server.send_signal(SIGHUP);
    EXPECT_NE(server.wait_for_line(" shards=4 "), "");
    folder.write("zone.toml", door + "[shards]\ncolumns = 2\n");
    server.send_signal(SIGHUP);
    EXPECT_NE(server.wait_for_line(" shards=2 "), "") << "another than at the last reading";
    EXPECT_EQ(server.log().find(config + ": 3 shards"), std::string::npos) << server.log();
}

TEST(Server, SighupReadsTheConfigurationWhereNoLayoutFileWasNamed) {
    const config::TestFolder folder;
    const std::string config = folder.write("zone.toml", "[shards]\ncolumns = 2\n");
    ServerProcess server({"--config", config, "--port", "0"});
    EXPECT_NE(server.wait_for_port(), 0);
    folder.write("zone.toml", "[shards]\ncolumns = 3\n");
    server.send_signal(SIGHUP);
    EXPECT_NE(server.wait_for_line(config + ": 3 shards from tick "), "");
    folder.write("zone.toml",
                 "[world]\nbounds_m = { min_x = 0, min_y = 0, max_x = 9, max_y = 9 }\n");
    server.send_signal(SIGHUP);
    EXPECT_NE(server.wait_for_line("layout refused: " + config + ": world.bounds_m: "), "");
    EXPECT_NE(server.wait_for_line(" shards=3 "), "");
}

TEST(Server, SighupReadsTheListOfTokenKeysWholeOrNotAtAll) {
    const config::TestFolder folder;
    folder.write("old", "0123456789abcdef0123456789abcdef");
    folder.write("new", "fedcba9876543210fedcba9876543210");
    const std::string auth = "[auth]\nmode = \"jwt\"\naudience = \"zone\"\nkeys = [";
    const std::string old_key = "{ file = \"old\", algorithm = \"HS256\", kid = \"old\" }";
    const std::string new_key = "{ file = \"new\", algorithm = \"HS256\", kid = \"new\" }";
    const std::string config = folder.write("zone.toml", auth + old_key + "]\n");
    ServerProcess server({"--config", config, "--port", "0"});
    const auto is_let_in = [&] {  // signed with the new one
        tests::TestClient client(server.wait_for_port());
        net::Hello hello;
        hello.token = tests::hs256_token(R"({"aud":"zone","exp":99999999999})",
                                         "fedcba9876543210fedcba9876543210",
                                         R"({"alg":"HS256","kid":"new"})");
        client.send(hello);
        return std::holds_alternative<net::Welcome>(client.receive().value());
    };
    EXPECT_FALSE(is_let_in());
    folder.write("zone.toml", auth + old_key + ", " + new_key + ", { file = \"none\" }]\n");
    server.send_signal(SIGHUP);
    EXPECT_NE(server.wait_for_line("list of token keys refused, "), "");
    EXPECT_FALSE(is_let_in());
    folder.write("zone.toml", auth + old_key + ", " + new_key + "]\n");
    server.send_signal(SIGHUP);
    EXPECT_NE(server.wait_for_line("were read again: 2 token keys are listed"), "");
    EXPECT_TRUE(is_let_in());
}

TEST(Server, ABrokenLayoutIsRefusedWholeWithEveryErrorAndTheOldOneStays) {
    const config::TestFolder folder;
    const std::string layout = folder.write("layout.toml", "[grid]\ncolumns = 2\n");
    ServerProcess server({"--config", kDemo, "--layout", layout, "--port", "0"});
    EXPECT_NE(server.wait_for_port(), 0);
    folder.write(
        "layout.toml",
        "[[shard]]\nname = \"a\"\nrect_m = { min_x=-443, min_y=-443, max_x=0, max_y=443 }\n"
        "[[shard]]\nname = \"b\"\nrect_m = { min_x=-1, min_y=-443, max_x=400, max_y=443 }\n");
    server.send_signal(SIGHUP);
    EXPECT_NE(server.wait_for_line("layout refused, 2 error(s): the one in force stays"), "");
    EXPECT_NE(server.log().find("overlaps 'a'"), std::string::npos) << server.log();
    EXPECT_NE(server.log().find("no shard owns x 400 to 443"), std::string::npos) << server.log();
    EXPECT_NE(server.wait_for_line(" shards=2 "), "");
}

TEST(Server, BalancerMovesTheEdgesOfALopsidedZoneAndClientsNoticeNothing) {
    const config::TestFolder folder;
    const std::string config = folder.write(
        "zone.toml",
        "[shards]\ncolumns = 2\n[balancer]\ninterval_ms_min = 100\nshard_side_m_min = 100\n"
        "[spawn]\nat_m = { x = -900, y = 0 }\n");
    ServerProcess server({"--config", config, "--port", "0"});
    tests::TestClient client(server.wait_for_port());
    client.join();
    EXPECT_NE(server.wait_for_line("balancer: an edge moves in tick "), "");
    EXPECT_NE(server.wait_for_line(" players=1 entities=1 "), "");
    server.send_signal(SIGTERM);
}

TEST(Server, SaysWhichPortIsTakenAndFails) {
    ServerProcess first({"--config", kDemo, "--port", "0"});
    const std::string port = std::to_string(first.wait_for_port());
    const Ended second = run_server({"--config", kDemo, "--port", port});
    EXPECT_EQ(second.exit_code, 1);
    EXPECT_NE(second.log.find("cannot listen on 127.0.0.1:" + port), std::string::npos)
        << second.log;
}

TEST(Server, ReportsAPlayerInItsStatusLine) {
    ServerProcess server({"--config", kDemo, "--port", "0"});
    tests::TestClient client(server.wait_for_port());
    client.join();
    const std::string line = server.wait_for_line(" players=1 entities=1 ");
    EXPECT_NE(line.find(" rss_mib="), std::string::npos) << server.log();
}

}  // namespace marchland::server
