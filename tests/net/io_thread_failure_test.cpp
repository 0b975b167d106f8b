// Exceptions in an I/O thread: they end one connection, or the owner receives them; the thread goes
// on.

#include "net/io_thread.h"
#include "tests/net/hex.h"
#include "tests/net/running_server.h"
#include "tests/net/sent_world.h"
#include "tests/shards/recording_port.h"

#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <new>

namespace marchland::tests {

namespace {

/// A client that sends no message and reads all that it is sent, without a socket.
class ScriptedTransport final : public net::Transport {
public:
    enum class Fails { nowhere, reading, writing };

    ScriptedTransport(boost::asio::io_context& io, Fails fails,
                      std::atomic<std::size_t>& sent_bytes)
        : io_(io), fails_(fails), sent_bytes_(sent_bytes) {}

    void await_readable() override {
        if (fails_ == Fails::reading) {
            throw std::bad_alloc();
        }
        boost::asio::post(io_, [this] { user_->on_readable(); });
    }
    Read read(std::span<std::byte> space, boost::system::error_code& error) override {
        const auto bytes = has_sent_ ? std::vector<std::byte>() : bytes_of("04000000 ffffffff");
        has_sent_ = true;
        std::ranges::copy(bytes, space.begin());
        error = bytes.empty() ? boost::asio::error::eof : boost::system::error_code();
        return {bytes.size(), bytes.size()};
    }
    bool send(const Buffers& buffers, std::shared_ptr<const void>,
              boost::system::error_code&) override {
        if (fails_ == Fails::writing) {
            throw std::bad_alloc();
        }
        sent_bytes_.fetch_add(boost::asio::buffer_size(buffers));
        return true;
    }
    void shut_down() override {}
    void close() override {}
    void reset() override {}
    [[nodiscard]] std::string peer() const override { return "client"; }

private:
    boost::asio::io_context& io_;
    const Fails fails_;
    std::atomic<std::size_t>& sent_bytes_;
    bool has_sent_ = false;
};

class IoThreadFailure : public testing::Test {
protected:
    using Fails = ScriptedTransport::Fails;

    IoThreadFailure() { io_thread_.start(); }
    ~IoThreadFailure() override {
        io_thread_.stop_soon();
        io_thread_.join();
    }

    /// Lets such a client in, and waits until it is gone.
    void connect(Fails fails) {
        io_thread_.adopt({std::make_unique<ScriptedTransport>(io_thread_.io(), fails, sent_bytes_),
                          net::AddressTable::Slot(), net::Arrival::Refusal::none});
        EXPECT_TRUE(eventually([this] { return counters_.connections.load() == 0; }));
    }

    const net::ServerOptions options_ = patient_server();
    SilentOutlet outlet_;
    shards::Zone zone_{small_zone(),
                       std::get<shards::Layout>(shards::Layout::grid(small_zone().world, 1, 1)),
                       outlet_};
    const net::TokenGate gate_{net::AuthOptions{}};
    net::IoThreadCounters counters_;
    net::ResumeStore store_{{}, {}, std::chrono::steady_clock::now()};
    net::Directory directory_;
    net::OperatorRules rules_;
    std::atomic<std::size_t> sent_bytes_{0};
    std::atomic<std::size_t> failures_{0};
    net::IoThread io_thread_{0,          options_,  zone_,
                             gate_,      counters_, store_,
                             directory_, rules_,    [this](const std::string&) { ++failures_; }};
};

}  // namespace

TEST_F(IoThreadFailure, WhatIsThrownForOneConnectionEndsThatOne) {
    connect(Fails::reading);
    EXPECT_EQ(counters_.failed_connections_total.load(), 1U);
    connect(Fails::writing);
    EXPECT_EQ(counters_.failed_connections_total.load(), 2U);
    EXPECT_EQ(sent_bytes_.load(), 0U);
    connect(Fails::nowhere);
    EXPECT_EQ(counters_.failed_connections_total.load(), 2U);
    EXPECT_GT(sent_bytes_.load(), 0U) << "its Error";
    EXPECT_EQ(failures_.load(), 0U);
}

TEST_F(IoThreadFailure, WhatIsThrownForNobodyIsReportedToTheOwnerAndTheThreadGoesOn) {
    for (std::size_t i = 1; i <= 3; ++i) {
        boost::asio::post(io_thread_.io(), [] { throw std::bad_alloc(); });
        ASSERT_TRUE(eventually([&] { return failures_.load() == i; }));
    }
    connect(Fails::nowhere);
    EXPECT_GT(sent_bytes_.load(), 0U);
}

TEST(ServerIoFailure, LeavesClientsTheFramesAndTheCodeOfAnOrderlyStop) {
    RunningServer running;
    TestClient client(running.port());
    client.join();
    running.server().inject_fault();
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
