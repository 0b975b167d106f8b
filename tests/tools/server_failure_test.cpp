// A shard fails in the server's own process: it says which and why, ends, and its exit code tells.

#include "tools/server/injected_fault.h"
#include "tests/config/test_folder.h"
#include "tests/net/test_client.h"
#include "tests/tools/server_process.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace marchland::server {

namespace {

/// In the environment of the programs that are started while it lives.
class Injected {
public:
    explicit Injected(const char* text) { setenv("MARCHLAND_REHEARSE", text, 1); }
    Injected(const Injected&) = delete;
    Injected& operator=(const Injected&) = delete;
    ~Injected() { unsetenv("MARCHLAND_REHEARSE"); }
};

std::string config_in(const config::TestFolder& folder) {
    return folder.write("zone.toml",
                        "[server]\nport = 0\n[shards]\ncolumns = 2\nstall_ms_max = 1000\n");
}

bool says(const ServerProcess& server, const std::string& text) {
    return server.log().find(text) != std::string::npos;
}

TEST(ServerFailure, ShardThatThrowsStopsTheServerInOrder) {
    const Injected injected("throw@5");
    const config::TestFolder folder;
    ServerProcess server({"--config", config_in(folder)});
    EXPECT_EQ(server.wait(), 1);
    EXPECT_TRUE(says(server, "failed: a rehearsed failure")) << server.log();
    EXPECT_TRUE(says(server, "stopping: a shard failed")) << server.log();
    EXPECT_TRUE(says(server, "stopped after")) << server.log();
}

TEST(ServerFailure, ShardThatHangsEndsTheServerItsSessionsAndTheRecording) {
    const Injected injected("hang@60");  // a client has three seconds to come in
    const config::TestFolder folder;
    ServerProcess server({"--config", config_in(folder), "--record",
                          (folder.write("else", "").parent_path() / "zone.rec").string()});
    tests::TestClient client(server.wait_for_port());
    client.send(net::Hello{});
    std::optional<net::ServerMessage> last;
    while (auto message = client.receive()) {
        last = std::move(message);
    }
    ASSERT_TRUE(last && std::holds_alternative<net::ErrorMessage>(*last)) << server.log();
    EXPECT_EQ(std::get<net::ErrorMessage>(*last).code, net::ErrorCode::stopping);
    EXPECT_EQ(server.wait(), 1);
    EXPECT_TRUE(says(server, "failed: it stands still in tick")) << server.log();
    EXPECT_TRUE(says(server, "recording: ticks=")) << server.log();
    EXPECT_TRUE(says(server, "a shard never ends its tick")) << server.log();
}

TEST(ServerFailure, ShardThatHangsEndsTheServerAlsoWhereNobodyElseTicks) {
    const Injected injected("hang@5");
    const config::TestFolder folder;
    ServerProcess server({"--config", folder.write("zone.toml",
                                                   "[server]\nport = 0\n[shards]\n"
                                                   "stall_ms_max = 1000\n")});
    EXPECT_EQ(server.wait(), 1);
    EXPECT_TRUE(says(server, "failed: it stands still in tick")) << server.log();
}

TEST(ServerFailure, SignalEndsAServerWhoseShardHangs) {
    const Injected injected("hang@1");
    const config::TestFolder folder;
    ServerProcess server({"--config", folder.write("zone.toml",
                                                   "[server]\nport = 0\n[shards]\n"
                                                   "stall_ms_max = 3600000\n")});
    ASSERT_NE(server.wait_for_line("listening on "), "");
    server.send_signal(SIGTERM);
    ASSERT_NE(server.wait_for_line("stopping: SIGTERM"), "");
    server.send_signal(SIGTERM);
    EXPECT_EQ(server.wait(), -SIGTERM) << "the second one does not wait for the shard";
}

TEST(ServerFailure, IoThreadThatMeetsAnExceptionStopsTheServerInOrderAndTheRecordingIsClosed) {
    const Injected injected("throw_in_io@5");
    const config::TestFolder folder;
    ServerProcess server({"--config", config_in(folder), "--record",
                          (folder.write("else", "").parent_path() / "zone.rec").string()});
    EXPECT_EQ(server.wait(), 1);
    EXPECT_TRUE(says(server, "an I/O thread failed: a rehearsed failure")) << server.log();
    EXPECT_TRUE(says(server, "stopping: an I/O thread failed")) << server.log();
    EXPECT_TRUE(says(server, "recording: ticks=")) << server.log();
    EXPECT_TRUE(says(server, "stopped after")) << server.log();
}

TEST(ServerFailure, RehearsalIsAKindAndATick) {
    EXPECT_EQ(parse_injected_fault("hang@12").value().tick, 12U);
    EXPECT_EQ(parse_injected_fault("throw@1").value().kind, InjectedFault::Kind::kThrow);
    EXPECT_EQ(parse_injected_fault("throw_in_io@1").value().kind, InjectedFault::Kind::kThrowInIo);
    for (const char* const text : {"", "hang", "hang@", "hang@0", "hang@-1", "hang@1x", "stop@1"}) {
        EXPECT_FALSE(parse_injected_fault(text)) << text;
    }
}

TEST(ServerFailure, RehearsalThatCannotBeReadIsRefused) {
    const Injected injected("explode@5");
    const config::TestFolder folder;
    const Ended ended = run_server({"--config", config_in(folder)});
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_NE(ended.log.find("MARCHLAND_REHEARSE"), std::string::npos) << ended.log;
}

}  // namespace
}  // namespace marchland::server
