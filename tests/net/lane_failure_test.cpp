// Exceptions in an I/O thread: they end one connection, or are told to the owner; the thread goes on.

#include "net/lane.h"
#include "tests/net/hex.h"
#include "tests/net/running_server.h"
#include "tests/net/told_world.h"
#include "tests/shards/recording_port.h"

#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <new>

namespace marchland::tests {

namespace {

/// A client that sends no message and reads all that it is told, without a socket.
class ScriptedTransport final : public net::Transport {
public:
    enum class Fails { nowhere, reading, writing };

    ScriptedTransport(boost::asio::io_context& io, Fails fails,
                      std::atomic<std::size_t>& told_bytes)
        : io_(io), fails_(fails), told_bytes_(told_bytes) {}

    void async_read(std::span<std::byte> space, std::shared_ptr<net::TransportUser> user) override {
        if (fails_ == Fails::reading) {
            throw std::bad_alloc();
        }
        boost::asio::post(io_, [this, space, user = std::move(user)] {
            const auto bytes = has_sent_ ? std::vector<std::byte>() : bytes_of("04000000 ffffffff");
            has_sent_ = true;
            std::ranges::copy(bytes, space.begin());
            user->on_read(bytes.empty() ? boost::asio::error::eof : boost::system::error_code(),
                          bytes.size(), bytes.size());
        });
    }
    std::size_t write(const Buffers& buffers, boost::system::error_code&) override {
        if (fails_ == Fails::writing) {
            throw std::bad_alloc();
        }
        const std::size_t bytes = boost::asio::buffer_size(buffers);
        told_bytes_.fetch_add(bytes);
        return bytes;
    }
    [[nodiscard]] bool is_drained() const override { return true; }
    void async_wait_writable(std::shared_ptr<net::TransportUser>) override {}
    void shut_down() override {}
    void close() override {}
    void reset() override {}
    [[nodiscard]] std::string peer() const override { return "client"; }

private:
    boost::asio::io_context& io_;
    const Fails fails_;
    std::atomic<std::size_t>& told_bytes_;
    bool has_sent_ = false;
};

class LaneFailure : public testing::Test {
protected:
    using Fails = ScriptedTransport::Fails;

    LaneFailure() { lane_.start(); }
    ~LaneFailure() override {
        lane_.stop_soon();
        lane_.join();
    }

    /// Lets such a client in, and waits until it is gone.
    void connect(Fails fails) {
        lane_.adopt({std::make_unique<ScriptedTransport>(lane_.io(), fails, told_bytes_),
                     net::AddressTable::Slot(), net::Arrival::Refusal::none});
        EXPECT_TRUE(eventually([this] { return counters_.connections.load() == 0; }));
    }

    const net::ServerOptions options_ = patient_server();
    SilentOutlet outlet_;
    shards::Zone zone_{small_zone(),
                       std::get<shards::Layout>(shards::Layout::grid(small_zone().world, 1, 1)),
                       outlet_};
    const net::TokenGate gate_{net::AuthOptions{}};
    net::LaneCounters counters_;
    net::ResumeDesk desk_{{}, {}, std::chrono::steady_clock::now()};
    net::Directory directory_;
    std::atomic<std::size_t> told_bytes_{0};
    std::atomic<std::size_t> failures_{0};
    net::Lane lane_{0,         options_, zone_,      gate_,
                    counters_, desk_,    directory_, [this](const std::string&) { ++failures_; }};
};

}  // namespace

TEST_F(LaneFailure, WhatIsThrownForOneConnectionEndsThatOne) {
    connect(Fails::reading);
    EXPECT_EQ(counters_.failed_connections_total.load(), 1U);
    connect(Fails::writing);
    EXPECT_EQ(counters_.failed_connections_total.load(), 2U);
    EXPECT_EQ(told_bytes_.load(), 0U);
    connect(Fails::nowhere);
    EXPECT_EQ(counters_.failed_connections_total.load(), 2U);
    EXPECT_GT(told_bytes_.load(), 0U) << "its Error";
    EXPECT_EQ(failures_.load(), 0U);
}

TEST_F(LaneFailure, WhatIsThrownForNobodyIsToldToTheOwnerAndTheLaneGoesOn) {
    for (std::size_t i = 1; i <= 3; ++i) {
        boost::asio::post(lane_.io(), [] { throw std::bad_alloc(); });
        ASSERT_TRUE(eventually([&] { return failures_.load() == i; }));
    }
    connect(Fails::nowhere);
    EXPECT_GT(told_bytes_.load(), 0U);
}

TEST(ServerIoFailure, LeavesClientsTheFramesAndTheCodeOfAnOrderlyStop) {
    RunningServer running;
    TestClient client(running.port());
    client.join();
    running.server().rehearse_failure();
    ASSERT_TRUE(eventually([&] { return running.io_failures() == 1; }));
    TestClient second(running.port());
    second.join();
    running.tick({&client, &second});
    std::thread stopping([&] { running.server().stop(); });
    expect_error(client, net::ErrorCode::stopping);
    expect_error(second, net::ErrorCode::stopping);
    client.close();
    second.close();
    stopping.join();
}

}  // namespace marchland::tests
