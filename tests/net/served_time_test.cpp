#include "net/served_time.h"

#include "net/session_context.h"
#include "tests/net/running_server.h"

#include <gtest/gtest.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

// What the server is to blame for costs no client anything.

namespace marchland::tests {

namespace {

using namespace std::chrono_literals;
using net::ErrorCode;
using net::ServedTime;

const auto kServedFrom = ServedTime::TimePoint{} + 1h;

/// Whoever logs waits until it is let go.
class BlockingSink final : public spdlog::sinks::base_sink<std::mutex> {
public:
    std::promise<void> is_blocked;
    std::promise<void> may_go;

protected:
    void sink_it_(const spdlog::details::log_msg&) override {
        if (!std::exchange(has_blocked_, true)) {
            is_blocked.set_value();
            may_go.get_future().wait();
        }
    }
    void flush_() override {}

private:
    bool has_blocked_ = false;
};

/// All that is logged goes there, for as long as it lives. The logger is to outlive all threads
/// that log.
class LogTo {
public:
    explicit LogTo(const std::shared_ptr<spdlog::logger>& logger)
        : before_(spdlog::default_logger()) {
        spdlog::set_default_logger(logger);
        spdlog::set_level(spdlog::level::info);
    }
    ~LogTo() { spdlog::set_default_logger(before_); }
    LogTo(const LogTo&) = delete;
    LogTo& operator=(const LogTo&) = delete;

private:
    std::shared_ptr<spdlog::logger> before_;
};

}  // namespace

TEST(ServedTime, PassesAsTheClockDoesWhileTheServerIsThere) {
    ServedTime time(kServedFrom, 1s);
    EXPECT_EQ(time.advance(kServedFrom + 900ms), kServedFrom + 900ms);
    EXPECT_EQ(time.advance(kServedFrom + 1'900ms), kServedFrom + 1'900ms);
    EXPECT_EQ(time.advance(kServedFrom + 1'800ms),
              kServedFrom + 1'800ms);  // late, by another's clock
    EXPECT_EQ(time.stalled(), 0s);
}

TEST(ServedTime, StandsStillWhileTheServerIsNotThere) {
    ServedTime time(kServedFrom, 1s);
    EXPECT_EQ(time.advance(kServedFrom + 40s), kServedFrom);
    EXPECT_EQ(time.advance(kServedFrom + 40'500ms), kServedFrom + 500ms);
    EXPECT_EQ(time.advance(kServedFrom + 50'500ms), kServedFrom + 500ms);
    EXPECT_EQ(time.stalled(), 50s);
}

TEST(Stalls, AClientIsNotIdleWhileNoTickRuns) {
    net::ServerOptions options = patient_server();
    options.idle_timeout_ms = 30;
    options.handshake_timeout_ms = 200;
    RunningServer running(options);
    TestClient client(running.port());
    client.join();
    TestClient silent(running.port());  // 200 ms pass, as the server counts them
    expect_error(silent, ErrorCode::handshake_timeout);
    client.fence();
    running.step();
    running.step();
    expect_error(client, ErrorCode::idle_timeout);
}

TEST(Stalls, WhatComesAllAtOnceAfterOneIsNotTooFast) {
    net::ServerOptions options = patient_server();
    options.messages_per_second_max = 100;
    options.linger_timeout_ms = 100;
    const auto sink = std::make_shared<BlockingSink>();
    const auto logger = std::make_shared<spdlog::logger>("test", sink);
    RunningServer running(options);
    TestClient client(running.port());
    client.join();
    const LogTo log(logger);
    TestClient culprit(running.port());
    culprit.send(net::Ping{1});  // out of order: that is logged
    sink->is_blocked.get_future().wait();
    for (std::uint64_t i = 0; i < 190; ++i) {  // more than a second may have
        client.send(net::Ping{i});
    }
    std::this_thread::sleep_for(net::kIoThreadStallMin + 100ms);
    sink->may_go.set_value();
    for (std::uint64_t i = 0; i < 190; ++i) {
        ASSERT_EQ(client.receive_one<net::Pong>().nonce, i);
    }
}

TEST(Resume, IsPossibleForWhoWasClosedForALimit) {
    net::ServerOptions options = patient_server();
    options.resume_grace_ms = 60'000;
    options.messages_per_second_max = 20;
    RunningServer running(options);
    for (const ErrorCode code : {ErrorCode::too_fast, ErrorCode::too_large}) {
        TestClient client(running.port());
        const net::Welcome before = client.join();
        for (int i = 0; i < 100 && code == ErrorCode::too_fast; ++i) {
            client.send(net::Ping{});
        }
        if (code == ErrorCode::too_large) {
            const std::vector<std::byte> prefix(4, std::byte{0x7F});
            client.send_bytes(prefix);
        }
        expect_error(client, code);
        TestClient again(running.port());
        net::Hello hello;
        hello.resume_token = before.resume_token;
        EXPECT_EQ(again.join(hello).entity, before.entity);
        again.send(net::LeaveZone{});
        EXPECT_EQ(again.receive(), std::nullopt);
        running.step();
    }
}

}  // namespace marchland::tests
