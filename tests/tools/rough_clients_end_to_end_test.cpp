#include "tests/net/test_client.h"
#include "tests/tools/program_process.h"
#include "tests/tools/server_process.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

/// A server as its users run it, with players that behave and three clients that do not.
namespace marchland::bots {
namespace {

std::vector<std::byte> bytes(std::initializer_list<int> values) {
    std::vector<std::byte> all;
    for (const int value : values) {
        all.push_back(static_cast<std::byte>(value));
    }
    return all;
}

TEST(RoughClients, AreNotNoticedByAHundredPlayersBesideThem) {
    server::ServerProcess server({"--config", MARCHLAND_CONFIG_DIR "/demo.toml", "--port", "0"});
    const std::uint16_t port = server.wait_for_port();

    // In the middle of the crowd, and never reads: its kernel holds 4 KiB for it.
    tests::TestClient silent(port, 4'096);
    ASSERT_TRUE(silent.send(net::Hello{}));
    // The first bytes of a message of a hundred, and nothing more.
    tests::TestClient half(port);
    ASSERT_TRUE(half.send_bytes(bytes({100, 0, 0, 0, 16, 0, 0})));

    tests::ProgramProcess players({MARCHLAND_BOTS_PROGRAM, "--connect",
                                   "127.0.0.1:" + std::to_string(port), "--players", "100",
                                   "--seconds", "3", "--scenario", "crowd", "--json"});
    players.wait_for_line("players 100 ");
    // A length that is allowed, and then noise.
    tests::TestClient garbage(port);
    ASSERT_TRUE(garbage.send_bytes(bytes({8, 0, 0, 0, 222, 173, 190, 239, 222, 173, 190, 239})));
    const auto refusal = garbage.receive_one<net::ErrorMessage>();
    EXPECT_EQ(refusal.code, net::ErrorCode::malformed);

    EXPECT_EQ(players.wait(), 0) << players.output() << players.errors();
    EXPECT_NE(players.output().find("\"violations\":0,"), std::string::npos) << players.output();
    EXPECT_NE(players.output().find("\"players_lost\":0,"), std::string::npos) << players.output();
    server.send_signal(SIGTERM);
    EXPECT_EQ(server.wait(), 0) << server.log();
}

}  // namespace
}  // namespace marchland::bots
