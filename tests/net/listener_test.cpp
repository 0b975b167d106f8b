#include "shards/zone_threads.h"
#include "tests/net/hex.h"
#include "tests/net/running_server.h"
#include "tests/net/sent_world.h"

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <fcntl.h>
#include <sstream>
#include <sys/resource.h>

namespace marchland::tests {

namespace {

/// No new descriptors for as long as it lives.
class NoDescriptors {
public:
    NoDescriptors() {
        ::getrlimit(RLIMIT_NOFILE, &before_);
        const int lowest_free = ::open("/dev/null", O_RDONLY);
        rlimit limit = before_;
        limit.rlim_cur = static_cast<rlim_t>(lowest_free);
        ::close(lowest_free);
        ::setrlimit(RLIMIT_NOFILE, &limit);
    }
    ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
    NoDescriptors(const NoDescriptors&) = delete;
    NoDescriptors& operator=(const NoDescriptors&) = delete;

private:
    rlimit before_{};
};

/// Writes all log lines to a text instead.
class CapturedLog {
public:
    CapturedLog() : before_(spdlog::default_logger()) {
        auto logger = std::make_shared<spdlog::logger>(
            "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(text_));
        spdlog::set_default_logger(logger);
        spdlog::set_level(spdlog::level::info);
    }
    ~CapturedLog() { spdlog::set_default_logger(before_); }
    CapturedLog(const CapturedLog&) = delete;
    CapturedLog& operator=(const CapturedLog&) = delete;

    /// To be asked when nobody logs any more.
    [[nodiscard]] std::string text() const { return text_.str(); }

private:
    std::ostringstream text_;
    std::shared_ptr<spdlog::logger> before_;
};

/// Walks at random for so many frames, and demands a well-formed stream.
void expect_sound_stream(std::uint16_t port, std::uint32_t seed, int frames) {
    std::uint32_t random = seed * 2'654'435'761U + 1;
    const auto coordinate = [&] {
        random = random * 1'664'525U + 1'013'904'223U;
        return static_cast<std::int32_t>(random >> 16U) % 60'000 - 30'000;
    };
    TestClient client(port);
    SentWorld world;
    client.join_at({coordinate(), coordinate(), 0});
    for (int frame = 0; frame < frames;) {
        const net::ServerMessage message = client.receive().value();
        world.apply(std::get<net::FrameMessage>(message));
        client.send(
            net::Move{static_cast<std::uint32_t>(++frame), {coordinate(), coordinate(), 0}});
    }
    if (seed % 2 == 0) {
        client.kill();
    }
}

}  // namespace

TEST(Listener, SaysWhyItCannotOpen) {
    RunningServer running;
    net::ServerOptions options = patient_server();
    options.port = running.port();
    net::Server second(options);
    shards::Zone zone(small_zone(),
                      std::get<shards::Layout>(shards::Layout::grid(small_zone().world, 1, 1)),
                      second);
    EXPECT_EQ(second.start(zone).value().error, std::errc::address_in_use);

    options.address = "not an address";
    net::Server third(options);
    EXPECT_TRUE(third.start(zone));
}

TEST(Listener, GoesOnAcceptingAfterTheSystemRanOutOfDescriptors) {
#ifdef __SANITIZE_ADDRESS__
    // UBSan asks the kernel whether an object's memory is there, through a pipe; without a
    // descriptor for it, it reports a sound object.
    GTEST_SKIP() << "UndefinedBehaviorSanitizer needs descriptors of its own";
#endif
    RunningServer running;
    TestClient client;
    {
        const NoDescriptors none;
        client.connect(running.port());
        ASSERT_TRUE(eventually([&] { return running.metrics().accept_failures_total > 0; }));
    }
    client.join();
}

TEST(Listener, DealsConnectionsToAllItsThreads) {
    net::ServerOptions options = patient_server();
    options.io_threads = 3;
    RunningServer running(options);
    TestClient clients[] = {TestClient(running.port()), TestClient(running.port()),
                            TestClient(running.port()), TestClient(running.port())};
    for (TestClient& client : clients) {
        client.join();
    }
    const auto frames = running.tick({&clients[0], &clients[1], &clients[2], &clients[3]});
    for (const net::FrameMessage& frame : frames) {
        EXPECT_EQ(frame.enters.size(), 3U);
    }
}

TEST(Listener, CountsWhatGoesThroughIt) {
    RunningServer running;
    TestClient client(running.port());
    client.join();
    running.tick({&client});
    // Welcome, a frame and two pongs. A client may read faster than the server counts.
    EXPECT_TRUE(eventually([&] { return running.metrics().sends_total == 4; }));
    const net::ServerMetrics metrics = running.metrics();
    EXPECT_EQ(metrics.connections, 1U);
    EXPECT_EQ(metrics.connections_total, 1U);
    EXPECT_EQ(metrics.messages_in_total, 3U);  // Hello and two pings
    EXPECT_GT(metrics.bytes_in_total, 0U);
    EXPECT_GT(metrics.bytes_out_total, 0U);
}

TEST(Listener, LetsNoClientFillTheLog) {
    const CapturedLog log;
    const auto begin = std::chrono::steady_clock::now();
    {
        RunningServer running;
        spdlog::set_level(spdlog::level::info);
        for (int i = 0; i < 100; ++i) {
            TestClient noisy(running.port());
            noisy.send_bytes(bytes_of("04000000 ffffffff"));
            expect_error(noisy, net::ErrorCode::malformed);
        }
    }
    const auto seconds =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begin)
            .count();
    const std::string text = log.text();
    const auto lines = std::ranges::count(text, '\n');
    EXPECT_LE(lines, 2 + 3 * (seconds + 2));  // two of the server's own
    EXPECT_NE(text.find("closed: malformed"), std::string::npos);
}

TEST(Listener, StreamsStaySoundUnderRealThreadsWhileClientsComeAndGo) {
    shards::ZoneOptions zone = small_zone();
    zone.tick_rate_hz = 100;
    net::ServerOptions options = patient_server();
    options.io_threads = 2;
    RunningServer running(options, zone);
    shards::ZoneThreads ticking(running.zone(), [](const std::string& what) { FAIL() << what; });
    ticking.start();
    std::vector<std::thread> clients;
    for (std::uint32_t i = 0; i < 12; ++i) {
        clients.emplace_back([&, i] {
            for (std::uint32_t life = 0; life < 3; ++life) {
                ASSERT_NO_THROW(expect_sound_stream(running.port(), 3 * i + life, 25));
            }
        });
    }
    for (std::thread& client : clients) {
        client.join();
    }
    EXPECT_TRUE(eventually([&] { return running.metrics().ports == 0; }));
    EXPECT_EQ(running.metrics().connections, 0U);
    EXPECT_EQ(running.zone().entity_count(), 0U);
    EXPECT_EQ(running.metrics().closed_with_error_total, 0U);
    ticking.stop();
}

TEST(Listener, ClosesWhileTheShardsSendFrames) {
    shards::ZoneOptions zone = small_zone();
    zone.tick_rate_hz = 128;
    net::ServerOptions options = patient_server();
    options.io_threads = 2;
    for (int round = 0; round < 20; ++round) {
        RunningServer running(options, zone);
        shards::ZoneThreads ticking(running.zone(),
                                    [](const std::string& what) { FAIL() << what; });
        ticking.start();
        {
            TestClient staying(running.port());
            TestClient leaving(running.port());
            staying.join();
            leaving.join();
            staying.receive_one<net::FrameMessage>();
        }
        running.server().stop();
        EXPECT_EQ(running.metrics().connections, 0U);
    }
}

}  // namespace marchland::tests
