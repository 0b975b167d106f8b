// The server is stopped or killed, started again, and everybody goes on.

#include "tests/config/test_folder.h"
#include "tests/net/test_client.h"
#include "tests/net/token_maker.h"
#include "tests/tools/admin_request.h"
#include "tests/tools/server_process.h"
#include "tests/tools/trace_scratch_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace marchland::server {
namespace {

using tests::TestClient;

/// Messages up to the first of this kind.
template <typename Message>
std::optional<Message> next_of(TestClient& client) {
    while (auto message = client.receive()) {
        if (auto* const wanted = std::get_if<Message>(&*message)) {
            return std::move(*wanted);
        }
    }
    return std::nullopt;
}

/// A player that walks east, a metre at a time.
struct Player {
    net::Welcome welcome;
    engine::Position at;

    static net::Hello hello(engine::Position spawn) {
        net::Hello hello;
        hello.spawn = spawn;
        return hello;
    }
    net::Hello hello_again() const {
        net::Hello hello;
        hello.resume_token = welcome.resume_token;
        hello.last_tick = 1;
        return hello;
    }
};

class Restart : public testing::Test {
protected:
    [[nodiscard]] std::vector<std::string> arguments(
        const std::vector<std::string>& more = {}) const {
        std::vector<std::string> all{"--config", config_, "--port", "0"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    /// Waits until this server has written a tick that was not over when it was asked.
    static void wait_for_checkpoint(TestClient& client) {
        client.send(net::Ping{1});
        const auto first = next_of<net::Pong>(client).value();
        for (auto newest = first; newest.safe_tick < first.tick + 2;) {
            static_cast<void>(next_of<net::FrameMessage>(client));
            client.send(net::Ping{1});
            newest = next_of<net::Pong>(client).value();
        }
    }

    static TestClient service_that_takes_messages(std::uint16_t port) {
        TestClient game(port);
        game.send(net::ServiceHello{.name = "game"});
        static_cast<void>(next_of<net::ServiceWelcome>(game));
        game.send(net::Subscribe{.kinds = {5}});
        game.fence();
        return game;
    }

    static inline const std::string kConfig =
        "[state]\nenabled = true\ncheckpoint_ms = 200\n"
        "[world]\nbounds_m = { min_x = -500, min_y = -500, max_x = 500, max_y = 500 }\n";
    const config::TestFolder folder_;
    const std::string config_ =
        folder_.write("zone.toml", kConfig + "[shards]\ncolumns = 2\nrows = 2\n").string();
};

net::SpawnOne service_entity(std::uint32_t ref, engine::Position position, bool watches = false) {
    net::SpawnOne one;
    one.ref = ref;
    one.position = position;
    one.watches = watches;
    if (watches) {
        one.view = engine::View::circle(20'000, 25'000);
    }
    return one;
}

}  // namespace

TEST_F(Restart, OfAKilledServerBringsBackEverybodyWhoWasWritten) {
    constexpr int kPlayers = 20;
    std::vector<Player> players;
    net::ServiceWelcome service;
    std::set<std::uint64_t> ids;
    {
        ServerProcess server(arguments());
        const auto port = server.wait_for_port();
        std::vector<TestClient> clients;
        for (int i = 0; i < kPlayers; ++i) {
            auto& client = clients.emplace_back(port);
            Player player;
            player.at = {i * 1'000 - 10'000, 2'000, 0};
            player.welcome = client.join(Player::hello(player.at));
            ids.insert(to_number(player.welcome.entity));
            players.push_back(player);
        }
        for (int i = 0; i < kPlayers; ++i) {
            players[i].at.y += 1'000;
            clients[i].send(net::Move{1, players[i].at});
        }
        TestClient game(port);
        game.send(net::ServiceHello{.name = "game"});
        service = next_of<net::ServiceWelcome>(game).value();
        EXPECT_EQ(service.restart_grace_ms, 60'000U);
        EXPECT_EQ(players.front().welcome.restart_grace_ms, 60'000U);
        game.send(net::Spawn{{service_entity(7, {0, 0, 0}), service_entity(8, {500, 0, 0}, true)}});
        const auto spawned = next_of<net::Spawned>(game).value();
        for (const auto& one : spawned.entities) {
            ids.insert(to_number(one.entity));
        }
        wait_for_checkpoint(clients.front());
        server.send_signal(SIGKILL);
        EXPECT_EQ(server.wait(), -SIGKILL);
    }
    const Ended checked = run_server(arguments({"--check"}));
    EXPECT_NE(checked.output.find("# state: 22 entities, 20 players, 1 services"),
              std::string::npos)
        << checked.output << checked.log;

    ServerProcess server(arguments());
    const auto port = server.wait_for_port();
    for (const Player& player : players) {
        TestClient client(port);
        client.send(player.hello_again());
        const auto welcome = next_of<net::Welcome>(client);
        ASSERT_TRUE(welcome.has_value()) << server.log();
        EXPECT_TRUE(welcome->resumed);
        EXPECT_EQ(welcome->entity, player.welcome.entity);
        EXPECT_GT(welcome->tick, player.welcome.tick);
        const auto frame = next_of<net::FrameMessage>(client);
        ASSERT_TRUE(frame.has_value());
        EXPECT_TRUE(frame->is_keyframe);
        ASSERT_TRUE(frame->correction.has_value());
        EXPECT_EQ(frame->correction->position, player.at);
    }
    TestClient game(port);
    game.send(net::ServiceHello{.name = "game", .resume_token = service.resume_token});
    const auto back = next_of<net::ServiceWelcome>(game);
    ASSERT_TRUE(back.has_value());
    EXPECT_TRUE(back->resumed);
    ASSERT_EQ(back->entities.size(), 2U);
    EXPECT_EQ(back->entities[0].ref, 7U);
    EXPECT_EQ(back->entities[1].ref, 8U);
    const auto seen = next_of<net::FrameMessage>(game);
    ASSERT_TRUE(seen.has_value());
    EXPECT_TRUE(seen->is_keyframe);
    EXPECT_FALSE(seen->enters.empty());
    TestClient newcomer(port);
    EXPECT_TRUE(ids.insert(to_number(newcomer.join().entity)).second) << "no id is given twice";
}

TEST_F(Restart, AfterAStopLosesNothing) {
    net::Welcome welcome;
    {
        ServerProcess server(arguments());
        TestClient client(server.wait_for_port());
        welcome = client.join(Player::hello({0, 0, 0}));
        client.send(net::Move{1, {1'234, 5, 0}});
        static_cast<void>(client.frames_until_fence());
        server.send_signal(SIGTERM);
        EXPECT_EQ(server.wait(), 0) << server.log();
    }
    ServerProcess server(arguments());
    TestClient client(server.wait_for_port());
    net::Hello hello;
    hello.resume_token = welcome.resume_token;
    client.send(hello);
    const auto again = next_of<net::Welcome>(client);
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(again->entity, welcome.entity);
    const auto frame = next_of<net::FrameMessage>(client);
    ASSERT_TRUE(frame && frame->correction);
    EXPECT_EQ(frame->correction->position, (engine::Position{1'234, 5, 0}));
    EXPECT_TRUE(frame->is_keyframe);
    EXPECT_TRUE(frame->messages_lost);
}

TEST_F(Restart, AfterAShardThatHungBringsBackWhoCameToTheOthers) {
    std::vector<net::Welcome> came;
    {
        const auto hangs = folder_.write("hangs.toml", kConfig +
                                                           "[shards]\ncolumns = 2\nrows = 2\n"
                                                           "stall_ms_max = 2000\n");
        ServerProcess server("export MARCHLAND_REHEARSE=hang@5",
                             {"--config", hangs.string(), "--port", "0"});
        const auto port = server.wait_for_port();
        ASSERT_NE(server.wait_for_line(" tick="),
                  "");  // a second later: one hangs, the others go on
        std::vector<TestClient> clients;
        for (const engine::Position at : {engine::Position{-9'000, -9'000, 0},
                                          {9'000, -9'000, 0},
                                          {-9'000, 9'000, 0},
                                          {9'000, 9'000, 0}}) {
            came.push_back(clients.emplace_back(port).join(Player::hello(at)));
        }
        EXPECT_EQ(server.wait(), 1) << server.log();
    }
    ServerProcess server(arguments());
    const auto port = server.wait_for_port();
    int back = 0;
    for (const net::Welcome& welcome : came) {
        TestClient client(port);
        client.send(Player{welcome, {}}.hello_again());
        back += next_of<net::Welcome>(client).has_value() ? 1 : 0;
    }
    EXPECT_EQ(back, 3);
}

TEST_F(Restart, RefusesTokensThatAreOldForgedOrOfAnotherZone) {
    net::Welcome first;
    net::Welcome second;
    {
        ServerProcess server(arguments());
        const auto port = server.wait_for_port();
        TestClient client(port);
        first = client.join();
        TestClient again(port);
        again.send(Player{first, {}}.hello_again());
        second = next_of<net::Welcome>(again).value();
        again.send(net::Ping{1});  // it has the token: the first is good for nothing any more
        static_cast<void>(again.frames_until_fence());
        server.send_signal(SIGTERM);
        EXPECT_EQ(server.wait(), 0) << server.log();
    }
    const auto answer_to = [](ServerProcess& server, const net::Welcome& shown) {
        TestClient client(server.wait_for_port());
        client.send(Player{shown, {}}.hello_again());
        const auto error = next_of<net::ErrorMessage>(client);
        return error ? error->code : net::ErrorCode{};
    };
    {
        ServerProcess server(arguments());
        const auto port = server.wait_for_port();
        const auto refused = [port](const net::Welcome& shown) {
            TestClient client(port);
            client.send(Player{shown, {}}.hello_again());
            const auto error = next_of<net::ErrorMessage>(client);
            return error && error->code == net::ErrorCode::resume_refused;
        };
        EXPECT_TRUE(refused(first));
        for (std::size_t byte = 0; byte < second.resume_token.size(); ++byte) {
            net::Welcome forged = second;
            forged.resume_token[byte] ^= std::byte{1};
            EXPECT_TRUE(refused(forged)) << byte;
        }
        TestClient client(port);
        client.send(Player{second, {}}.hello_again());
        EXPECT_TRUE(next_of<net::Welcome>(client)->resumed);
        server.send_signal(SIGTERM);
        EXPECT_EQ(server.wait(), 0) << server.log();
    }
    EXPECT_TRUE(std::filesystem::remove(std::filesystem::path(config_).parent_path() / "state" /
                                        "resume.key"));
    {
        ServerProcess other_key(arguments());
        EXPECT_NE(other_key.wait_for_line("resume.key is missing"), "") << other_key.log();
        EXPECT_EQ(answer_to(other_key, second), net::ErrorCode::resume_refused);
    }
    ServerProcess fresh(arguments({"--fresh"}));
    EXPECT_EQ(answer_to(fresh, second), net::ErrorCode::resume_refused);
    EXPECT_EQ(fresh.log().find("resume.key is missing"), std::string::npos);
}

TEST_F(Restart, IsRefusedWhileTheStateIsInUseOrDoesNotFit) {
    {
        ServerProcess server(arguments());
        const auto port = server.wait_for_port();
        TestClient client(port);
        static_cast<void>(client.join(Player::hello({400'000, 0, 0})));
        const Ended second = run_server(arguments());
        EXPECT_EQ(second.exit_code, 2);
        EXPECT_NE(second.log.find("in use by the server"), std::string::npos) << second.log;
        server.send_signal(SIGTERM);
        EXPECT_EQ(server.wait(), 0) << server.log();
    }
    const std::string smaller = folder_
                                    .write("smaller.toml",
                                           "[state]\nenabled = true\n[world]\nbounds_m = { min_x = "
                                           "-100, min_y = -100, max_x = 100, "
                                           "max_y = 100 }\n")
                                    .string();
    const Ended refused = run_server({"--config", smaller, "--port", "0"});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_NE(refused.log.find("outside the world"), std::string::npos) << refused.log;
    EXPECT_EQ(run_server({"--config", smaller, "--check"}).exit_code, 2);
    for (const auto& [backup, why] :
         {std::pair("/nonexistent.db", "cannot be read: No such file or directory"),
          std::pair("/dev", "is a folder, not a regular file")}) {
        const Ended unread = run_server(arguments({"--restore", backup}));
        EXPECT_EQ(unread.exit_code, 2);
        EXPECT_NE(unread.log.find(std::string(backup) + ": " + why), std::string::npos)
            << unread.log;
    }
}

TEST_F(Restart, IsRefusedByAKeyThatCannotBeReadAndTheStateStaysAsItIs) {
    namespace fs = std::filesystem;
    const fs::path state = fs::path(config_).parent_path() / "state";
    {
        ServerProcess server(arguments());
        TestClient client(server.wait_for_port());
        static_cast<void>(client.join());
        wait_for_checkpoint(client);
        server.send_signal(SIGKILL);
        EXPECT_EQ(server.wait(), -SIGKILL);
    }
    const auto files = [&] {
        std::string all;
        for (const char* const name : {"state.db", "state.db-wal"}) {
            std::ifstream in(state / name, std::ios::binary);
            all.append(std::istreambuf_iterator<char>(in), {});
        }
        return all;
    };
    const std::string before = files();
    const auto expect_refused = [&](const std::string& why) {
        for (const auto& how : {arguments({"--check"}), arguments()}) {
            const Ended refused = run_server(how);
            EXPECT_EQ(refused.exit_code, 2) << refused.log;
            EXPECT_NE(refused.log.find((state / "resume.key").string() + ": " + why),
                      std::string::npos)
                << refused.log;
            EXPECT_EQ(refused.log.find("is missing"), std::string::npos) << refused.log;
            EXPECT_TRUE(files() == before) << why;
        }
    };
    fs::resize_file(state / "resume.key", 5);
    expect_refused("a key for resume tokens has 32 bytes");
    fs::remove(state / "resume.key");
    fs::create_symlink("resume.key", state / "resume.key");
    expect_refused("cannot be read: Too many levels of symbolic links");
    fs::remove_all(state);
    fs::create_symlink("state", state);
    for (const char* const how : {"--check", "--fresh"}) {
        const Ended refused = run_server(arguments({how}));
        EXPECT_EQ(refused.exit_code, 2) << how << refused.log;
        EXPECT_NE(refused.log.find(state.string()), std::string::npos) << refused.log;
    }
}

TEST_F(Restart, KeepsBansAndEndsSessionsOfThoseWhoAreNotThere) {
    {
        ServerProcess server(arguments({"--admin-port", "0"}));
        const auto port = server.wait_for_port();
        const auto admin = server.wait_for_admin_port();
        net::Welcome lost;
        {
            TestClient client(port);
            lost = client.join();
        }
        const std::string entity = "{\"entity\": " + std::to_string(to_number(lost.entity)) + "}";
        // Its connection is lost when the server has seen that.
        std::string kicked;
        for (int i = 0; i < 200 && kicked.find("{\"kicked\":1}") == std::string::npos; ++i) {
            kicked = ask_admin(admin, "POST", "/kick", entity);
        }
        EXPECT_NE(kicked.find("{\"kicked\":1}"), std::string::npos) << kicked;
        TestClient again(port);
        again.send(Player{lost, {}}.hello_again());
        const auto refused = next_of<net::ErrorMessage>(again);
        ASSERT_TRUE(refused.has_value());
        EXPECT_EQ(refused->code, net::ErrorCode::resume_refused);
        ask_admin(admin, "POST", "/ban", R"({"subject": "ann", "reason": "be kind"})");
        ask_admin(admin, "POST", "/ban", R"({"address": "10.0.0.9", "seconds": 3600})");
        ask_admin(admin, "POST", "/ban", R"({"subject": "bob"})");
        ask_admin(admin, "POST", "/unban", R"({"subject": "bob"})");
        server.send_signal(SIGTERM);
        EXPECT_EQ(server.wait(), 0) << server.log();
    }
    ServerProcess server(arguments({"--admin-port", "0"}));
    static_cast<void>(server.wait_for_port());
    const std::string bans = ask_admin(server.wait_for_admin_port(), "GET", "/bans");
    EXPECT_NE(bans.find(R"("subject":"ann","reason":"be kind","seconds_left":null)"),
              std::string::npos)
        << bans;
    EXPECT_NE(bans.find("10.0.0.9"), std::string::npos) << bans;
    EXPECT_EQ(bans.find("bob"), std::string::npos) << bans;
}

TEST_F(Restart, KeepsWhatTheGameHasRuledAndWhatServicesKnow) {
    constexpr const char* kSecret = "0123456789abcdef0123456789abcdef";
    folder_.write("key", kSecret);
    const std::string config =
        folder_
            .write("game.toml",
                   "[state]\nenabled = true\n[limits]\nplayer_messages_per_second_max = "
                   "9\n[auth]\nmode = \"jwt\"\n"
                   "audience = \"zone\"\nclaims_for_services = [\"team\"]\n"
                   "keys = [{ file = \"key\", algorithm = \"HS256\", kid = \"old\" }]\n")
            .string();
    const std::vector<std::string> all{"--config", config, "--port", "0"};
    const auto token = [&](const std::string& claims) {
        return tests::hs256_token("{" + claims + R"(,"aud":"zone","exp":9999999999})", kSecret);
    };
    constexpr std::array kSubjects{R"("sub":"ann","team":"red")", R"("sub":"bob")"};
    const net::ServiceHello service_hello{.name = "game",
                                          .token = token(R"("sub":"game","role":"service")")};
    std::vector<net::Welcome> players;
    std::vector<std::byte> service_token;
    {
        ServerProcess server(all);
        const auto port = server.wait_for_port();
        TestClient game(port);
        game.send(service_hello);
        service_token = next_of<net::ServiceWelcome>(game).value().resume_token;
        game.send(net::Subscribe{.kinds = {5}});
        std::vector<TestClient> clients;
        for (const char* const subject : kSubjects) {
            net::Hello hello = Player::hello({0, 0, 0});
            hello.token = token(subject);
            players.push_back(clients.emplace_back(port).join(hello));
        }
        net::ChangeOne frozen;
        frozen.entity = players[0].entity;
        frozen.speed_percent = 0;
        frozen.frames_hz = 5;
        net::ChangeOne moved;
        moved.entity = players[1].entity;
        moved.authority = net::Authority::service;
        game.send(net::Change{{frozen, moved}});
        for (std::uint32_t number : {1U, 2U}) {
            clients[0].send(net::SendMessage{number, 5, {}});
            ASSERT_TRUE(next_of<net::PlayerMessage>(game).has_value());
        }
        game.send(net::Ping{1});  // the change is in force when a tick has passed it
        static_cast<void>(next_of<net::Pong>(game));
        static_cast<void>(next_of<net::FrameMessage>(clients[1]));
        static_cast<void>(next_of<net::FrameMessage>(clients[1]));
        server.send_signal(SIGTERM);
        EXPECT_EQ(server.wait(), 0) << server.log();
    }
    ServerProcess server(all);
    const auto port = server.wait_for_port();
    TestClient game(port);
    net::ServiceHello again = service_hello;
    again.resume_token = service_token;
    game.send(again);
    ASSERT_TRUE(next_of<net::ServiceWelcome>(game).has_value());
    const auto ann = next_of<net::PlayerJoined>(game);
    ASSERT_TRUE(ann.has_value());
    EXPECT_EQ(ann->subject, "ann");
    EXPECT_EQ(ann->claims, R"({"team":"red"})");
    game.send(net::Subscribe{.kinds = {}, .moves = true});
    std::vector<TestClient> clients;
    std::vector<net::Welcome> welcomes;
    for (std::size_t i = 0; i < players.size(); ++i) {
        net::Hello hello = Player{players[i], {}}.hello_again();
        hello.token = token(kSubjects[i]);
        clients.emplace_back(port).send(hello);
        welcomes.push_back(next_of<net::Welcome>(clients[i]).value());
        const auto first = next_of<net::FrameMessage>(clients[i]).value();
        clients[i].send(net::Move{1, {100, 0, 0}, {}, first.correction.value().number});
    }
    EXPECT_EQ(welcomes[0].message_number, 2U) << "else its client sends them again";
    EXPECT_EQ(welcomes[1].message_number, 0U);
    const auto refused = next_of<net::FrameMessage>(clients[0]).value();
    ASSERT_TRUE(refused.correction.has_value()) << "it is frozen";
    EXPECT_EQ(refused.correction->position, (engine::Position{0, 0, 0}));
    clients[0].send(net::Move{2, {100, 0, 0}, {}, refused.correction->number});
    EXPECT_GE(next_of<net::FrameMessage>(clients[0]).value().tick, refused.tick + 4)
        << "five frames a second, of twenty ticks";
    const auto asked = next_of<net::PlayerMove>(game).value();
    EXPECT_EQ(asked.entity, players[1].entity);
    EXPECT_EQ(asked.position, (engine::Position{100, 0, 0}));
}

TEST_F(Restart, LosesNoMessageAndRepeatsNone) {
    const std::string config = folder_
                                   .write("chat.toml",
                                          "[state]\nenabled = true\n[limits]\n"
                                          "player_messages_per_second_max = 1000\n")
                                   .string();
    const std::vector<std::string> all{"--config", config, "--port", "0"};
    net::Welcome welcome;
    std::uint32_t taken = 0;
    {
        ServerProcess server(all);
        const auto port = server.wait_for_port();
        TestClient game = service_that_takes_messages(port);
        TestClient client(port);
        welcome = client.join();
        for (std::uint32_t number = 1; number <= 500; ++number) {
            client.send(net::SendMessage{number, 5, {}});
            if (number == 300) {
                server.send_signal(SIGTERM);  // while they are on their way
            }
        }
        while (next_of<net::PlayerMessage>(game)) {
            ++taken;
        }
        EXPECT_EQ(server.wait(), 0) << server.log();
    }
    ServerProcess server(all);
    TestClient client(server.wait_for_port());
    client.send(Player{welcome, {}}.hello_again());
    EXPECT_EQ(next_of<net::Welcome>(client).value().message_number, taken);
}

TEST_F(Restart, SendsServicesWhatAPlayerSaidJustBefore) {
    const std::string config = folder_
                                   .write("slow.toml",
                                          "[state]\nenabled = true\n[tick]\nrate_hz = 2\n"
                                          "[limits]\nplayer_messages_per_second_max = 1000\n")
                                   .string();
    ServerProcess server({"--config", config, "--port", "0"});
    const auto port = server.wait_for_port();
    TestClient game = service_that_takes_messages(port);
    TestClient client(port);
    client.join();
    client.send(net::SendMessage{1, 5, {}});
    client.fence();
    server.send_signal(SIGTERM);  // within the tick whose end the message waits for
    EXPECT_TRUE(next_of<net::PlayerMessage>(game).has_value()) << "its Pong said that it was taken";
    EXPECT_EQ(server.wait(), 0) << server.log();
}

TEST_F(Restart, GoesOnInTheLayoutThatWasInForceUnlessTheFilesHaveChanged) {
    const auto layout_of = [](ServerProcess& server) {
        server.wait_for_port();
        const std::string answer = ask_admin(server.wait_for_admin_port(), "GET", "/layout");
        return answer.substr(answer.find("\r\n\r\n"));
    };
    const auto stop = [](ServerProcess& server) {
        server.send_signal(SIGTERM);
        EXPECT_EQ(server.wait(), 0) << server.log();
    };
    const std::vector<std::string> with_admin = arguments({"--admin-port", "0"});
    std::string in_force;
    {
        ServerProcess server(with_admin);
        const std::string configured = layout_of(server);
        const std::string answer = ask_admin(server.wait_for_admin_port(), "POST", "/layout",
                                             "[grid]\ncolumns = 2\nrows = 1\n");
        EXPECT_NE(answer.find(" 200 "), std::string::npos) << answer;
        in_force = layout_of(server);
        EXPECT_NE(in_force, configured);
        stop(server);
    }
    {
        ServerProcess server(with_admin);
        EXPECT_EQ(layout_of(server), in_force);
        stop(server);
    }
    folder_.write("zone.toml", kConfig + "[shards]\ncolumns = 3\nrows = 1\n");
    std::string of_the_files;
    {
        ServerProcess server(with_admin);
        of_the_files = layout_of(server);
        EXPECT_NE(of_the_files, in_force);
        stop(server);
    }
    ServerProcess server(with_admin);
    EXPECT_EQ(layout_of(server), of_the_files);
}

TEST_F(Restart, SaysWhatTheSlotsDoNotTakeAnyMoreAndPutsItAsideOnce) {
    const std::string state = "[state]\nenabled = true\n";
    const std::string name =
        "[[entities.slots]]\nname = \"name\"\ntype = \"bytes\"\n"
        "writer = \"player\"\nbytes_max = ";
    const std::string mood =
        "[[entities.slots]]\nname = \"mood\"\ntype = \"integer\"\nwriter = \"player\"\n";
    const std::string before = folder_.write("before.toml", state + name + "64\n" + mood).string();
    const std::string after = folder_.write("after.toml", state + name + "8\n").string();
    const std::filesystem::path directory = std::filesystem::path(before).parent_path() / "state";
    const auto play = [](const std::string& config, const std::vector<std::string>& more,
                         const std::optional<net::Hello>& hello) {
        std::vector<std::string> all{"--config", config, "--port", "0"};
        all.insert(all.end(), more.begin(), more.end());
        ServerProcess server(all);
        TestClient client(server.wait_for_port());
        if (hello) {
            static_cast<void>(client.join(*hello));
        }
        server.send_signal(SIGTERM);
        EXPECT_EQ(server.wait(), 0) << server.log();
        return server.log();
    };
    net::Hello hello = Player::hello({0, 0, 0});
    hello.state = {{0, std::make_shared<const std::vector<std::byte>>(40, std::byte{7})},
                   {1, std::int64_t{3}}};
    EXPECT_EQ(play(before, {}, hello).find("left out"), std::string::npos);
    constexpr std::array kWarnings{
        "slot 'mood' is none that the zone has: values left out: 1;",
        "slot 'name' has more bytes than it may have: values left out: 1;"};
    const auto expect_warnings = [&](const std::string& log) {
        for (const char* const warning : kWarnings) {
            EXPECT_NE(log.find(warning), std::string::npos) << log;
        }
    };
    const Ended check = run_server({"--config", after, "--check"});
    EXPECT_EQ(check.exit_code, 0);
    expect_warnings(check.output + check.log);
    EXPECT_FALSE(std::filesystem::exists(directory / "aside-1"));
    const std::string log = play(after, {}, std::nullopt);
    expect_warnings(log);
    EXPECT_NE(log.find("aside-1/state.db"), std::string::npos) << log;
    EXPECT_EQ(play(after, {}, std::nullopt).find("left out"), std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(directory / "aside-2"));
    const std::string copy = (directory / "aside-1" / "state.db").string();
    EXPECT_EQ(play(before, {"--restore", copy}, std::nullopt).find("left out"), std::string::npos);
    expect_warnings(run_server({"--config", after, "--check"}).log);
}

TEST_F(Restart, FromABackupBringsBackWhoWasThereThen) {
    std::string copy = (folder_.write("keep", "").parent_path() / "copy.db").string();
    std::string said;
    net::Welcome then;
    net::Welcome later;
    {
        ServerProcess server(arguments({"--admin-port", "0"}));
        const auto port = server.wait_for_port();
        TestClient first(port);
        then = first.join(Player::hello({5'000, 0, 0}));
        wait_for_checkpoint(first);
        const std::string where = "127.0.0.1:" + std::to_string(server.wait_for_admin_port());
        const auto back_up = [&] {
            tests::ProgramProcess program(
                {MARCHLAND_ADMIN_PROGRAM, "--connect", where, "backup", copy});
            const int exit_code = program.wait();
            said = program.output() + program.errors();
            return exit_code;
        };
        const std::string whole = std::exchange(copy, "/nonexistent/copy.db");
        EXPECT_EQ(back_up(), 2);
        EXPECT_NE(ask_admin(server.wait_for_admin_port(), "GET", "/backup").find(" 404 "),
                  std::string::npos)
            << "none was asked for";
        copy = whole;
        EXPECT_EQ(back_up(), 0);
        EXPECT_NE(said.find("a backup of the state up to tick "), std::string::npos) << said;
        EXPECT_NE(said.find(" s old, is in " + copy + '\n'), std::string::npos) << said;
        EXPECT_EQ(back_up(), 2) << "it is there already";
        TestClient second(port);
        later = second.join();
        server.send_signal(SIGTERM);
        EXPECT_EQ(server.wait(), 0) << server.log();
        EXPECT_NE(server.log().find("what=backup"), std::string::npos) << server.log();
    }
    ServerProcess server(arguments({"--restore", copy}));
    const auto port = server.wait_for_port();
    TestClient first(port);
    first.send(Player{then, {}}.hello_again());
    const auto welcome = next_of<net::Welcome>(first);
    ASSERT_TRUE(welcome.has_value()) << server.log();
    EXPECT_EQ(welcome->entity, then.entity);
    EXPECT_GT(welcome->tick, later.tick);
    TestClient second(port);
    second.send(Player{later, {}}.hello_again());
    const auto refused = next_of<net::ErrorMessage>(second);
    ASSERT_TRUE(refused.has_value());
    EXPECT_EQ(refused->code, net::ErrorCode::resume_refused);
    TestClient newcomer(port);
    EXPECT_GT(to_number(newcomer.join().entity), to_number(later.entity) + 1'000'000'000);
}

}  // namespace marchland::server
