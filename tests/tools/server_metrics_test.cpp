// What whoever collects the metrics of a running server gets.

#include "tools/server/metrics.h"
#include "tests/config/test_folder.h"
#include "tests/net/test_client.h"
#include "tests/tools/admin_request.h"
#include "tests/tools/server_process.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace marchland::server {

namespace {

constexpr const char* kConfig =
    "[server]\nport = 0\n[admin]\nenabled = true\nport = 0\n[shards]\ncolumns = 2\n";

std::string body_of(const std::string& answer) {
    return answer.substr(answer.find("\r\n\r\n") + 4);
}

/// The value in the line that begins with this; -1: there is none.
double value_of(const std::string& metrics, const std::string& name) {
    const auto at = metrics.find('\n' + name + ' ');
    return at == std::string::npos ? -1 : std::stod(metrics.substr(at + name.size() + 2));
}

class Metrics : public testing::Test {
protected:
    Metrics() {
        client_.join();
        // The frame of the tick that tells the move: all that is measured of it has happened, or is
        // about to.
        client_.send(net::Move{.seq = 1, .position = {1'000, 0, 0}});
        for (bool is_sent = false; !is_sent;) {
            const net::ServerMessage message = client_.receive().value();
            const auto* const frame = std::get_if<net::FrameMessage>(&message);
            is_sent = frame != nullptr && frame->move_ack == 1;
        }
    }

    /// When so many were counted in `name`; the test's time limit ends what never comes.
    std::string wait_for(const std::string& name, double value) {
        std::string metrics;
        do {
            metrics = body_of(ask_admin(admin_, "GET", "/metrics"));
        } while (value_of(metrics, name) < value);
        return metrics;
    }

    const config::TestFolder folder_;
    ServerProcess server_{{"--config", folder_.write("zone.toml", kConfig)}};
    const std::uint16_t port_ = server_.wait_for_port();
    const std::uint16_t admin_ = server_.wait_for_admin_port();
    tests::TestClient client_{port_};
};

}  // namespace

TEST_F(Metrics, AreWhatPrometheusConventionsAskFor) {
    if (std::system("command -v promtool > /dev/null") != 0) {
        GTEST_SKIP() << "promtool is not installed (Debian's package prometheus)";
    }
    const std::string file =
        folder_.write("metrics", body_of(ask_admin(admin_, "GET", "/metrics")));
    EXPECT_EQ(std::system(("promtool check metrics < " + file).c_str()), 0);
}

TEST_F(Metrics, AreAllOnTheOperatorsPage) {
    std::ifstream file(MARCHLAND_DOCS_DIR "/operating.md");
    const std::string page{std::istreambuf_iterator<char>(file), {}};
    std::istringstream metrics(body_of(ask_admin(admin_, "GET", "/metrics")));
    const std::string type = "# TYPE marchland_";
    std::size_t count = 0;
    for (std::string line; std::getline(metrics, line);) {
        if (line.starts_with(type)) {
            const std::string name = line.substr(type.size(), line.rfind(' ') - type.size());
            EXPECT_NE(page.find('`' + name + '`'), std::string::npos) << name;
            ++count;
        }
    }
    EXPECT_GT(count, 50U);
}

TEST_F(Metrics, OfATickAreOfEachShardAndPhase) {
    const std::string metrics =
        wait_for("marchland_tick_duration_seconds_count{shard=\"c1r0\"}", 10);
    for (const auto* const phase : {"ingest", "apply", "publish", "absorb", "interest", "emit"}) {
        const std::string count =
            "marchland_tick_phase_duration_seconds_count{shard=\"c1r0\",phase=\"" +
            std::string(phase) + "\"}";
        EXPECT_GE(value_of(metrics, count), 10) << count;
    }
    EXPECT_GE(value_of(metrics, "marchland_gate_wait_seconds_count{shard=\"c1r0\"}"), 10);
}

TEST_F(Metrics, SayHowLongAMoveAndItsFrameWereOnTheirWay) {
    const std::string metrics = wait_for("marchland_move_latency_seconds_count{shard=\"c1r0\"}", 1);
    EXPECT_EQ(value_of(metrics, "marchland_move_latency_seconds_count{shard=\"c1r0\"}"), 1);
    const double latency = value_of(metrics, "marchland_move_latency_seconds_sum{shard=\"c1r0\"}");
    EXPECT_GT(latency, 0);
    EXPECT_LT(latency, 10);
    EXPECT_GE(value_of(metrics, "marchland_io_thread_lag_seconds_count{io_thread=\"0\"}"), 1);
    EXPECT_GE(value_of(metrics, "marchland_io_thread_mailbox_items_sum{io_thread=\"0\"}"), 1);
    EXPECT_GE(value_of(metrics, "marchland_frame_size_bytes_sum{io_thread=\"0\"}"), 20);
}

TEST_F(Metrics, CountWhoWasRefusedByTheErrorsCode) {
    tests::TestClient rude(port_);
    rude.send(net::Ping{1});
    rude.receive_one<net::ErrorMessage>();
    const std::string metrics = wait_for("marchland_refusals_total{code=\"out_of_order\"}", 1);
    EXPECT_EQ(value_of(metrics, "marchland_refusals_total{code=\"full\"}"), 0);
}

}  // namespace marchland::server
