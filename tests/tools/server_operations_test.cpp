// What operators ask of a running server and do to it, by HTTP and by marchland-admin.

#include "tests/config/test_folder.h"
#include "tests/net/test_client.h"
#include "tests/tools/admin_request.h"
#include "tests/tools/server_process.h"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace marchland::server {

namespace {

namespace json = boost::json;

constexpr const char* kConfig = "[server]\nport = 0\n[admin]\nenabled = true\nport = 0\n";

json::value read_json(const std::string& path) {
    std::ifstream file(path);
    return json::parse(std::string{std::istreambuf_iterator<char>(file), {}});
}

class Operations : public testing::Test {
protected:
    struct Answer {
        int status = 0;
        std::string body;
    };

    Answer ask(const std::string& method, const std::string& path, const std::string& body = "") {
        const std::string all = ask_admin(admin_, method, path, body);
        return {std::stoi(all.substr(9, 3)), all.substr(all.find("\r\n\r\n") + 4)};
    }
    json::value get(const std::string& path) { return json::parse(ask("GET", path).body); }

    struct Run {
        int exit_code = 0;
        std::string output;
    };
    Run run_admin(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {MARCHLAND_ADMIN_PROGRAM, "--connect",
                                             "127.0.0.1:" + std::to_string(admin_)});
        tests::ProgramProcess program(std::move(arguments));
        const int exit_code = program.wait();
        return {exit_code, program.output() + program.errors()};
    }

    const config::TestFolder folder_;
    ServerProcess server_{{"--config", folder_.write("zone.toml", kConfig)}};
    const std::uint16_t port_ = server_.wait_for_port();
    const std::uint16_t admin_ = server_.wait_for_admin_port();
};

/// The Error that ends a stream, whatever comes before it.
net::ErrorMessage error_of(tests::TestClient& client) {
    while (auto message = client.receive()) {
        if (auto* const error = std::get_if<net::ErrorMessage>(&*message)) {
            return *error;
        }
    }
    return {};
}

}  // namespace

TEST_F(Operations, WhoTellsOfEachConnectionItsEntityAndShard) {
    tests::TestClient player(port_);
    const net::Welcome welcome = player.join();
    json::value who;
    do {  // a tick takes it in
        who = get("/connections");
    } while (who.at("connections").at(0).at("shard").is_null());
    EXPECT_EQ(who.at("count"), 1);
    const json::value& it = who.at("connections").at(0);
    EXPECT_EQ(it.at("role"), "player");
    EXPECT_EQ(it.at("entity").to_number<std::uint64_t>(), to_number(welcome.entity));
    EXPECT_TRUE(it.at("address").get_string().starts_with("127.0.0.1:"));
    EXPECT_EQ(it.at("shard"), "c0r0");
}

TEST_F(Operations, AKickEndsThatConnectionAndIsAudited) {
    tests::TestClient player(port_);
    tests::TestClient other(port_);
    const auto entity = to_number(player.join().entity);
    other.join();
    const std::string whom =
        R"({"entity": )" + std::to_string(entity) + R"(, "reason": "be kind"})";
    EXPECT_EQ(json::parse(ask("POST", "/kick", whom).body).at("kicked"), 1);
    const net::ErrorMessage error = error_of(player);
    EXPECT_EQ(error.code, net::ErrorCode::removed);
    EXPECT_EQ(error.text, "removed by an operator: be kind");
    EXPECT_NE(server_.wait_for_line("audit: who=\"127.0.0.1 (no token)\" what=kick"), "");
    EXPECT_TRUE(other.send(net::Ping{1}));
    EXPECT_EQ(ask("POST", "/kick", R"({"entity": 999})").status, 404);
    EXPECT_EQ(ask("POST", "/kick", R"({"reason": "none"})").status, 422);
    EXPECT_EQ(ask("POST", "/kick", R"({"entty": 1})").body, "unknown key: entty\n");
    EXPECT_EQ(ask("POST", "/kick", "[]").body, "the body is no object of JSON\n");
}

TEST_F(Operations, AnEntityIsShownWithItsConnectionAndWhomItsClientKnows) {
    tests::TestClient player(port_);
    tests::TestClient other(port_);
    const auto id = to_number(player.join().entity);
    const auto seen = to_number(other.join().entity);
    json::value entity;
    do {  // some ticks, until it was sent
        entity = get("/entity/" + std::to_string(id));
    } while (!entity.get_object().contains("known") || entity.at("known").get_array().empty());
    EXPECT_EQ(entity.at("known"), json::array({seen}));
    EXPECT_EQ(entity.at("in_view"), json::array({seen}));
    EXPECT_EQ(entity.at("known_count"), 1);
    EXPECT_TRUE(entity.at("connection").at("address").get_string().starts_with("127.0.0.1:"));
    EXPECT_EQ(entity.at("connection").at("role"), "player");
}

TEST_F(Operations, AnEntityWithoutAClientIsNoRefusal) {
    tests::TestClient game(port_);
    game.send(net::ServiceHello{.name = "game"});
    game.send(net::Spawn{{net::SpawnOne{}}});
    std::uint64_t id = 0;
    while (const auto message = game.receive()) {
        if (const auto* const spawned = std::get_if<net::Spawned>(&*message)) {
            id = to_number(spawned->entities.at(0).entity);
            break;
        }
    }
    while (ask("GET", "/entity/" + std::to_string(id)).status != 200) {  // a tick takes it in
    }
    for (const auto& how : {std::vector<std::string>{}, {"--json"}}) {
        std::vector<std::string> arguments{"entity", std::to_string(id)};
        arguments.insert(arguments.end(), how.begin(), how.end());
        const Run shown = run_admin(arguments);
        EXPECT_EQ(shown.exit_code, 0);
        EXPECT_NE(shown.output.find("takes_frames"), std::string::npos) << shown.output;
        EXPECT_EQ(shown.output.find("refused:"), std::string::npos) << shown.output;
    }
}

TEST_F(Operations, KickOfALostPlayerTakesItOutOfTheZoneForGood) {
    std::uint64_t id = 0;
    std::vector<std::byte> resume_token;
    {
        tests::TestClient player(port_);
        const net::Welcome welcome = player.join();
        id = to_number(welcome.entity);
        resume_token = welcome.resume_token;
    }
    const std::string path = "/entity/" + std::to_string(id);
    while (get(path).at("connection").is_object()) {  // until the server noticed
    }
    const std::string whom = R"({"entity": )" + std::to_string(id) + '}';
    EXPECT_EQ(json::parse(ask("POST", "/kick", whom).body).at("kicked"), 1);
    while (ask("GET", path).status != 404) {
    }
    tests::TestClient again(port_);
    net::Hello hello;
    hello.resume_token = resume_token;
    ASSERT_TRUE(again.send(hello));
    EXPECT_NE(error_of(again).code, net::ErrorCode{});
}

TEST_F(Operations, TheLimitOfMemoryChangesWhileItRuns) {
    EXPECT_EQ(ask("POST", "/limits", R"({"memory_bytes": 1})").status, 200);
    EXPECT_EQ(get("/limits").at("memory_bytes").at("max"), 1);
    EXPECT_NE(server_.wait_for_line("audit: who=\"127.0.0.1 (no token)\" what=limits "
                                    "before={\"memory_bytes\":0} after={\"memory_bytes\":1}"),
              "");
    EXPECT_NE(server_.wait_for_line("nobody may join"), "");
    EXPECT_EQ(ask("GET", "/readyz").status, 503);
    EXPECT_EQ(ask("POST", "/limits", R"({"memory_bytes": 0})").status, 200);
    EXPECT_NE(server_.wait_for_line("players may join again"), "");
    EXPECT_EQ(ask("POST", "/limits", "{}").status, 422);
    EXPECT_EQ(ask("POST", "/limits", R"({"memory_bytes": -1})").status, 422);
}

TEST_F(Operations, AReloadSaysWhatItReadAndWhatNeedsARestart) {
    EXPECT_EQ(json::parse(ask("POST", "/reload").body).at("needs_restart"), json::array());
    folder_.write("zone.toml", std::string(kConfig) + "[tick]\nrate_hz = 30\n");
    const json::value said = json::parse(ask("POST", "/reload").body);
    EXPECT_EQ(said.at("layout"), true);
    EXPECT_EQ(said.at("needs_restart"), json::array({"tick.rate_hz (20, in the file 30)"}));
    EXPECT_NE(server_.wait_for_line("a restart is needed for tick.rate_hz (20, in the file 30)"),
              "");
    EXPECT_NE(server_.wait_for_line("what=reload"), "");
    EXPECT_EQ(run_admin({"reload"}).exit_code, 0);
    folder_.write("zone.toml", "[tick]\nrate = 30\n");
    EXPECT_EQ(json::parse(ask("POST", "/reload").body).at("file"), false);
    const Run refused = run_admin({"reload"});
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_NE(refused.output.find("file: false\n"), std::string::npos) << refused.output;
    EXPECT_NE(refused.output.find("refused: see the zone's log\n"), std::string::npos)
        << refused.output;
}

TEST_F(Operations, MemoryIsCountedByOwner) {
    tests::TestClient player(port_);
    player.join();
    json::value memory;
    do {  // it is counted once a second
        memory = get("/status").at("memory_bytes");
    } while (memory.at("entities").to_number<double>() == 0 ||
             memory.at("connections").to_number<double>() == 0 ||
             memory.at("known_sets").to_number<double>() == 0);
    EXPECT_GT(memory.at("frames").to_number<double>(), 0);
    EXPECT_GT(memory.at("rest").to_number<double>(), 0);
    EXPECT_EQ(memory.at("recorder").to_number<double>(), 0);
}

TEST_F(Operations, WhoIsBannedIsOutUntilTheBanIsLifted) {
    tests::TestClient player("127.0.0.2", port_);
    player.join();
    EXPECT_EQ(json::parse(ask("POST", "/ban", R"({"address": "127.0.0.2", "seconds": 1000})").body)
                  .at("kicked"),
              1);
    EXPECT_EQ(error_of(player).text, "banned");
    EXPECT_EQ(get("/bans").at("bans").at(0).at("address"), "127.0.0.2");
    tests::TestClient rude("127.0.0.4", port_);
    rude.join();
    EXPECT_EQ(run_admin({"ban", "--address", "127.0.0.4", "--reason", "be kind"}).exit_code, 0);
    EXPECT_EQ(error_of(rude).text, "banned: be kind");

    tests::TestClient again("127.0.0.2", port_);
    again.send(net::Hello{});
    EXPECT_EQ(error_of(again).code, net::ErrorCode::not_allowed);
    tests::TestClient elsewhere("127.0.0.3", port_);
    elsewhere.join();

    EXPECT_EQ(ask("POST", "/unban", R"({"address": "127.0.0.2"})").status, 200);
    EXPECT_EQ(ask("POST", "/unban", R"({"address": "127.0.0.2"})").status, 404);
    tests::TestClient back("127.0.0.2", port_);
    back.join();
    EXPECT_EQ(run_admin({"ban", "--subject", "ann"}).exit_code, 0);
    const Run bans = run_admin({"bans"});
    EXPECT_TRUE(bans.output.starts_with("address\treason\tseconds_left\tsubject\t\n") ||
                bans.output.starts_with("subject\treason\tseconds_left\taddress\t\n"))
        << bans.output;
    EXPECT_NE(bans.output.find("127.0.0.4\tbe kind\t-\t-\t\n"), std::string::npos) << bans.output;
    EXPECT_NE(bans.output.find("-\t\t-\tann\t\n"), std::string::npos) << bans.output;
    for (const auto* const path : {"/ban", "/kick", "/unban"}) {
        for (const auto* const wrong : {"nowhere", "10.0.0", "127.0.0.1:80"}) {
            const Answer answer =
                ask("POST", path, R"({"address": ")" + std::string(wrong) + "\"}");
            EXPECT_EQ(answer.status, 422);
            EXPECT_EQ(answer.body,
                      "address: not one like 192.0.2.7 or 2001:db8::7, without a port\n");
        }
    }
    EXPECT_EQ(ask("POST", "/ban", R"({"address": "::1", "subject": "ann"})").status, 422);
}

TEST_F(Operations, AuditLinesSayWhatWasInForceBefore) {
    const auto is_logged = [&](const std::string& line) {
        return !server_.wait_for_line("audit: who=\"127.0.0.1 (no token)\" what=" + line).empty();
    };
    ASSERT_EQ(ask("POST", "/ban", R"({"subject": "ann", "reason": "rude"})").status, 200);
    const std::string first = R"({"subject":"ann","reason":"rude","seconds_left":null})";
    EXPECT_TRUE(is_logged("ban before=null after=" + first));
    ASSERT_EQ(ask("POST", "/ban", R"({"subject": "ann", "reason": "kind\u009b\u007f"})").status,
              200);
    const std::string second =
        R"({"subject":"ann","reason":"kind\u009b\u007f","seconds_left":null})";
    EXPECT_TRUE(is_logged("ban before=" + first + " after=" + second));
    ASSERT_EQ(ask("POST", "/unban", R"({"subject": "ann"})").status, 200);
    EXPECT_TRUE(is_logged("unban before=" + second + " after=null"));
    tests::TestClient player(port_);  // the zone goes on
    player.join();
    ASSERT_EQ(ask("POST", "/drain", R"({"seconds": 3000, "text": "soon"})").status, 202);
    EXPECT_TRUE(is_logged(R"(drain before=null after={"seconds":3000,"text":"soon"})"));
    ASSERT_EQ(ask("POST", "/drain", R"({"seconds": 4000, "text": "later"})").status, 202);
    EXPECT_TRUE(is_logged(R"(drain before={"seconds":)"));
    server_.send_signal(SIGHUP);
    EXPECT_NE(server_.wait_for_line("audit: who=\"SIGHUP\" what=reload"), "");
}

TEST_F(Operations, ALayoutIsCheckedAppliedAndUndone) {
    const std::string two = "[grid]\ncolumns = 2\nrows = 1\n";
    const std::string one = ask("GET", "/layout").body;
    EXPECT_EQ(ask("POST", "/layout/undo").status, 422);
    EXPECT_EQ(ask("POST", "/layout/check", two).body,
              "2 shards instead of 1; nothing was changed\n");
    EXPECT_EQ(ask("POST", "/layout/check", "[grid]\ncolums = 2\n").status, 422);
    EXPECT_EQ(ask("GET", "/layout").body, one);
    EXPECT_EQ(ask("POST", "/layout", two).status, 200);
    EXPECT_NE(ask("GET", "/layout").body, one);
    EXPECT_EQ(ask("POST", "/layout/undo").status, 200);
    EXPECT_EQ(ask("GET", "/layout").body, one);
}

TEST_F(Operations, TheLogsLevelChangesWhileItRuns) {
    EXPECT_EQ(get("/log-level").at("level"), "info");
    EXPECT_EQ(ask("POST", "/log-level", R"({"level": "loud"})").status, 422);
    EXPECT_EQ(ask("POST", "/log-level", R"({"level": "warning"})").status, 200);
    EXPECT_EQ(get("/log-level").at("level"), "warning");
    EXPECT_NE(server_.wait_for_line("what=log_level before=\"info\" after=\"warning\""), "");
}

TEST_F(Operations, ADrainTellsWhoIsInsideLetsNobodyInAndEndsWhenAllAreGone) {
    tests::TestClient player(port_);
    player.join();
    EXPECT_EQ(ask("GET", "/readyz").status, 200);
    EXPECT_EQ(ask("POST", "/drain", R"({"seconds": 3000, "text": "back soon"})").status, 202);
    net::Notice notice;
    while (notice == net::Notice{}) {
        const net::ServerMessage message = player.receive().value();
        if (const auto* const found = std::get_if<net::Notice>(&message)) {
            notice = *found;
        }
    }
    EXPECT_EQ(notice, (net::Notice{"back soon", 3'000'000}));
    EXPECT_EQ(ask("GET", "/readyz").status, 503);
    tests::TestClient late(port_);
    late.send(net::Hello{});
    EXPECT_EQ(error_of(late).code, net::ErrorCode::stopping);
    player.send(net::LeaveZone{});
    EXPECT_EQ(server_.wait(), 0) << server_.log();
    EXPECT_NE(server_.log().find("drained: 0 players are still inside"), std::string::npos);
}

TEST_F(Operations, ADrainEndsAtItsTimeAndSaysWhatIsLost) {
    tests::TestClient player(port_);
    player.join();
    EXPECT_EQ(run_admin({"drain", "--seconds", "1"}).exit_code, 0);
    EXPECT_EQ(error_of(player).code, net::ErrorCode::stopping);
    EXPECT_EQ(server_.wait(), 0) << server_.log();
    EXPECT_NE(server_.log().find("drained: 1 players are still inside, and are cut off; lost with "
                                 "the process are 1 players' entities"),
              std::string::npos)
        << server_.log();
}

TEST_F(Operations, TheProgramAsksAndChangesWhatHttpDoes) {
    tests::TestClient player(port_);
    player.join();
    const Run who = run_admin({"who", "--json"});
    EXPECT_EQ(who.exit_code, 0) << who.output;
    EXPECT_EQ(json::parse(who.output).at("count"), 1) << who.output;
    const Run table = run_admin({"who"});
    EXPECT_EQ(table.output.find("E0"), std::string::npos) << table.output;
    const Run kick = run_admin({"--json", "kick", "--address", "127.0.0.1"});
    EXPECT_EQ(kick.output, "{\"kicked\":1}\n");
    const std::string wrong = folder_.write("wrong.toml", "[grid]\ncolums = 2\n");
    const Run check = run_admin({"layout", "check", wrong, "--json"});
    EXPECT_EQ(check.exit_code, 1);
    EXPECT_TRUE(json::parse(check.output).at("error").is_string()) << check.output;
    EXPECT_EQ(run_admin({"log-level", "debug"}).output, "level: debug\n");
    EXPECT_EQ(run_admin({"layout", "check", "/nonexistent/layout.toml"}).exit_code, 2);
    for (const std::vector<std::string>& unknown :
         {std::vector<std::string>{"dance"}, {"layout", "dance"}}) {
        const Run ended = run_admin(unknown);
        EXPECT_EQ(ended.exit_code, 2);
        EXPECT_NE(ended.output.find("not expected: dance"), std::string::npos) << ended.output;
    }
    const std::string help = run_admin({"--help"}).output + run_admin({"drain", "--help"}).output +
                             run_admin({"ban", "--help"}).output;
    for (const auto* const fallback : {"127.0.0.1:7779", "=30", "=0"}) {
        EXPECT_NE(help.find(fallback), std::string::npos) << help;
    }
    tests::ProgramProcess manual({MARCHLAND_ADMIN_PROGRAM, "--print-man"});
    EXPECT_EQ(manual.wait(), 0);
    EXPECT_NE(manual.output().find("\\fIHOST:PORT\\fR"), std::string::npos) << manual.output();
    const Run of_a_folder = run_admin({"status", "--token-file", MARCHLAND_CONFIG_DIR});
    EXPECT_EQ(of_a_folder.exit_code, 2);
    EXPECT_EQ(of_a_folder.output,
              "marchland-admin: " MARCHLAND_CONFIG_DIR ": cannot be read: Is a directory\n");
}

TEST_F(Operations, AdminPrintsNothingThatATerminalWouldActOnOrThatForgesARow) {
    const auto* const rude =
        R"({"subject": "ann\u001b[2J\u007f", "reason": "be\tkind\nbob\u009b"})";
    ASSERT_EQ(ask("POST", "/ban", rude).status, 200);
    const std::string table = run_admin({"bans"}).output;
    EXPECT_NE(table.find("ann?[2J?\t"), std::string::npos) << table;
    EXPECT_NE(table.find("be?kind?bob??\t"), std::string::npos) << table;
    EXPECT_EQ(table.find_first_of("\x1b\x7f"), std::string::npos) << table;
    const json::value all = json::parse(run_admin({"--json", "bans"}).output);
    EXPECT_EQ(all.at("bans").at(0).at("reason"), "be\tkind\nbob\u009b");
}

TEST_F(Operations, AdminRefusesEmptyArguments) {
    for (const std::vector<std::string>& empty :
         {std::vector<std::string>{"drain", "--seconds", ""},
          {"ban", "--subject", "ann", "--seconds", ""},
          {"kick", "--entity", "1", "--reason", ""},
          {"layout", "check", ""},
          {"backup", ""},
          {"entity", ""}}) {
        const Run ended = run_admin(empty);
        EXPECT_EQ(ended.exit_code, 2) << empty.front();
        EXPECT_NE(ended.output.find("is empty; leave the option out, or name something"),
                  std::string::npos)
            << ended.output;
    }
    EXPECT_TRUE(get("/bans").at("bans").get_array().empty());
}

TEST(Admin, SaysWhichFormAnAddressHas) {
    for (const std::string wrong :
         {"127.0.0.1:-1", "http://x/", "127.0.0.1", "127.0.0.1:65536", ":7779", "::1:7779"}) {
        tests::ProgramProcess program({MARCHLAND_ADMIN_PROGRAM, "--connect", wrong, "status"});
        EXPECT_EQ(program.wait(), 2) << wrong;
        EXPECT_NE(program.errors().find("--connect: '" + wrong +
                                        "' is not HOST:PORT, such as 127.0.0.1:7779"),
                  std::string::npos)
            << program.errors();
    }
}

TEST_F(Operations, PlayPageSaysThatItIsOffWithoutAWebSocketListener) {
    const json::value zone = get("/play/zone");
    EXPECT_NE(zone.at("off").as_string().find("no WebSocket listener"), std::string::npos);
    EXPECT_EQ(zone.at("websocket").at("port").as_int64(), 0);
}

TEST(PlayPage, SaysThatItIsOffWhereTokensAreNeeded) {
    const config::TestFolder folder;
    folder.write("key.pem",
                 "-----BEGIN PUBLIC KEY-----\n"
                 "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n"
                 "-----END PUBLIC KEY-----\n");
    ServerProcess server(
        {"--websocket-port", "0", "--config",
         folder.write("zone.toml", std::string(kConfig) +
                                       "[auth]\nmode = \"jwt\"\naudience = \"zone\"\nkeys = [{ "
                                       "file = \"key.pem\", algorithm = \"EdDSA\" }]\n")});
    EXPECT_NE(server.wait_for_web_socket_port(), 0);
    const std::string said = ask_admin(server.wait_for_admin_port(), "GET", "/play/zone");
    EXPECT_NE(said.find("Players need a token"), std::string::npos) << said;
}

/// What is wrong with it by this part of docs/admin_api.json; empty: nothing.
std::string flaw_of(const json::value& value, const json::object& schema) {
    const auto is = [&](const json::value& name) {
        const std::string_view type = name.get_string();
        return type == "object"    ? value.is_object()
               : type == "array"   ? value.is_array()
               : type == "string"  ? value.is_string()
               : type == "boolean" ? value.is_bool()
               : type == "integer" ? value.is_int64() || value.is_uint64()
               : type == "number"  ? value.is_number()
                                   : type == "null" && value.is_null();
    };
    if (const json::value* const type = schema.if_contains("type")) {
        const json::array types = type->is_array() ? type->get_array() : json::array{*type};
        if (std::ranges::none_of(types, is)) {
            return json::serialize(value) + " is no " + json::serialize(*type);
        }
    }
    if (const json::value* const one_of = schema.if_contains("enum")) {
        if (std::ranges::find(one_of->get_array(), value) == one_of->get_array().end()) {
            return json::serialize(value) + " is none of " + json::serialize(*one_of);
        }
    }
    if (const json::value* const items = schema.if_contains("items")) {
        for (const json::value& item : value.get_array()) {
            if (std::string flaw = flaw_of(item, items->get_object()); !flaw.empty()) {
                return flaw;
            }
        }
    }
    const json::value* const required = schema.if_contains("required");
    for (const json::value& key : required ? required->get_array() : json::array()) {
        if (!value.get_object().contains(key.get_string())) {
            return "there is no " + json::serialize(key);
        }
    }
    const json::value* const properties = schema.if_contains("properties");
    for (const auto& [key, part] : properties ? properties->get_object() : json::object()) {
        const json::value* const found = value.get_object().if_contains(key);
        std::string flaw = found == nullptr ? "" : flaw_of(*found, part.get_object());
        if (!flaw.empty()) {
            return std::string(key) + ": " + flaw;
        }
    }
    return "";
}

TEST(OpenApi, SaysWhoMayAskForWhat) {
    const json::value api = read_json(std::string(MARCHLAND_DOCS_DIR) + "/admin_api.json");
    const config::TestFolder folder;
    folder.write("operating.token", "operating-0123456789\n");
    folder.write("reading.token", "reading-0123456789ab\n");
    ServerProcess server(
        {"--config", folder.write("zone.toml", std::string(kConfig) +
                                                   "token_file = \"operating.token\"\n"
                                                   "read_token_file = \"reading.token\"\n")});
    const std::uint16_t admin = server.wait_for_admin_port();
    const auto status = [&](std::string_view method, std::string path, const std::string& token) {
        if (const auto at = path.find("{id}"); at != std::string::npos) {
            path.replace(at, 4, "1");
        }
        const std::string header = token.empty() ? "" : "Authorization: Bearer " + token + "\r\n";
        return ask_admin(admin, method == "get" ? "GET" : "POST", path, "", header).substr(9, 3);
    };
    for (const auto& [path, methods] : api.at("paths").get_object()) {
        for (const auto& [method, operation] : methods.get_object()) {
            const std::string what = std::string(method) + ' ' + std::string(path);
            const json::array& roles = operation.at("security").get_array();
            const auto is_for = [&](std::string_view role) {
                return std::ranges::any_of(
                    roles, [&](const json::value& it) { return it.get_object().contains(role); });
            };
            EXPECT_EQ(status(method, path, "") == "401", !roles.empty()) << what;
            EXPECT_EQ(status(method, path, "wrong-0123456789") == "401", !roles.empty()) << what;
            const bool is_operating = is_for("operating") && !is_for("reading");
            EXPECT_EQ(status(method, path, "reading-0123456789ab") == "403", is_operating) << what;
            const json::object& responses = operation.at("responses").get_object();
            EXPECT_EQ(responses.contains("401"), !roles.empty()) << what;
            EXPECT_TRUE(!is_operating || responses.contains("403")) << what;
        }
    }
}

TEST(Readyz, SaysThatTheZoneIsFull) {
    const config::TestFolder folder;
    ServerProcess server(
        {"--config",
         folder.write("zone.toml", std::string(kConfig) + "[limits]\nentities_max = 1\n")});
    const std::uint16_t admin = server.wait_for_admin_port();
    tests::TestClient player(server.wait_for_port());  // from here on it is open
    EXPECT_TRUE(ask_admin(admin, "GET", "/readyz").ends_with("ready\n"));
    player.join();
    EXPECT_TRUE(ask_admin(admin, "GET", "/readyz").ends_with("full\n"));
}

/// Each path and method of docs/admin_api.json is there, and answers as it says; and there is no
/// other.
TEST_F(Operations, AreWhatTheOpenApiFileDescribes) {
    tests::TestClient player(port_);  // for /connections and /entity to show
    player.join();
    const json::value api = read_json(std::string(MARCHLAND_DOCS_DIR) + "/admin_api.json");
    std::size_t described = 0;
    const std::string all = ask("GET", "/nowhere").body;
    for (const auto& [path, methods] : api.at("paths").get_object()) {
        for (const auto& [method, operation] : methods.get_object()) {
            const std::string verb = method == "get" ? "GET" : "POST";
            if (path == "/stop" || path == "/drain") {  // they end what the test asks
                EXPECT_NE(all.find(verb + ' ' + std::string(path)), std::string::npos) << path;
                ++described;
                continue;
            }
            std::string body;
            if (const json::value* const request =
                    operation.get_object().if_contains("requestBody")) {
                const auto& content = request->at("content").get_object();
                const json::value& example = content.begin()->value().at("example");
                body = example.is_string() ? std::string(example.get_string())
                                           : json::serialize(example);
            }
            std::string asked(path);
            if (const auto at = asked.find("{id}"); at != std::string::npos) {
                asked.replace(at, 4, "1");
            }
            const Answer answer = ask(verb, asked, body);
            const json::object& responses = operation.at("responses").get_object();
            const auto found = responses.find(std::to_string(answer.status));
            ASSERT_NE(found, responses.end()) << verb << ' ' << asked << ": " << answer.status;
            EXPECT_NE(answer.status, 405) << verb << ' ' << asked;
            if (const json::value* const content =
                    found->value().get_object().if_contains("content");
                content != nullptr && content->get_object().contains("application/json")) {
                const json::value value = json::parse(answer.body);
                EXPECT_EQ(flaw_of(value, content->at("application/json").at("schema").get_object()),
                          "")
                    << asked;
            }
            ++described;
        }
    }
    const auto count_of = [&](std::string_view what) {
        std::size_t count = 0;
        for (auto at = all.find(what); at != std::string::npos; at = all.find(what, at + 1)) {
            ++count;
        }
        return count;
    };
    EXPECT_EQ(described, count_of("GET /") + count_of("POST /"));
}

}  // namespace marchland::server
