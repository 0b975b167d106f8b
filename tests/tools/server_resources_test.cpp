// What the system refuses, and signals that nobody means, cost a recording or a connection, never
// the server.

#include "tests/config/test_folder.h"
#include "tests/net/test_client.h"
#include "tests/tools/admin_request.h"
#include "tests/tools/server_process.h"

#include <gtest/gtest.h>

#include <csignal>
#include <deque>
#include <filesystem>
#include <string>
#include <thread>

namespace marchland::server {

TEST(ServerResources, SignalsThatNobodyMeansEndNothing) {
    const config::TestFolder folder;
    ServerProcess server({"--config", folder.write("zone.toml", "[server]\nport = 0\n")});
    const std::uint16_t port = server.wait_for_port();
    for (const int signal : {SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGPOLL, SIGPWR,
                             SIGXFSZ, SIGPIPE, SIGRTMIN, SIGRTMAX}) {
        server.send_signal(signal);
    }
    tests::TestClient client(port);
    client.join();
    client.close();
    server.send_signal(SIGTERM);
    EXPECT_EQ(server.wait(), 0) << server.log();
}

TEST(ServerResources, AFileAtItsLimitEndsTheRecordingAndNotTheGame) {
    const config::TestFolder folder;
    const std::filesystem::path config =
        folder.write("zone.toml", "[server]\nport = 0\n[tick]\nrate_hz = 128\n");
    // In units of 512 bytes.
    ServerProcess server("ulimit -f 4", {"--config", config.string(), "--record",
                                         (config.parent_path() / "zone.rec").string()});
    tests::TestClient client(server.wait_for_port());
    client.join();
    EXPECT_NE(server.wait_for_line("the recording ends after "), "") << server.log();
    tests::TestClient second(server.wait_for_port());
    second.join();
    client.close();
    second.close();
    server.send_signal(SIGTERM);
    EXPECT_EQ(server.wait(), 1) << server.log();
    EXPECT_NE(server.log().find("File too large"), std::string::npos) << server.log();
    EXPECT_NE(server.log().find("stopped after"), std::string::npos) << server.log();
}

TEST(ServerResources, PlayersNeverTakeTheLastDescriptorsAndTheAdminPortAnswers) {
    const config::TestFolder folder;
    const std::string config =
        folder.write("zone.toml", "[server]\nport = 0\n[admin]\nenabled = true\nport = 0\n");
    ServerProcess server("ulimit -n 100", {"--config", config});
    const std::uint16_t admin = server.wait_for_admin_port();
    const std::uint16_t port = server.wait_for_port();
    std::deque<tests::TestClient> clients;
    for (int i = 0; i < 150; ++i) {
        clients.emplace_back(port);
    }
    const auto tells = [&](const std::string& what) {
        const std::string status = ask_admin(admin, "GET", "/status");
        EXPECT_EQ(status.substr(0, 12), "HTTP/1.1 200");
        return status.find(what) != std::string::npos;
    };
    while (tells("\"accept_failures_total\": 0,")) {
        std::this_thread::yield();
    }
    clients.clear();
    while (!tells("\"connections\": 0,")) {
        std::this_thread::yield();
    }
    tests::TestClient client(port);
    client.join();
    client.close();
    server.send_signal(SIGTERM);
    EXPECT_EQ(server.wait(), 0) << server.log();
}

}  // namespace marchland::server
