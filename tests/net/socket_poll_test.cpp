#include "net/transport/socket_poll.h"

#include <boost/asio/error.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace marchland::tests {

namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;
using net::SocketPoll;
using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBatch{100};

/// Reads all that its client sends, some bytes at once.
class Reader final : private net::PolledSocket::User {
public:
    Reader(SocketPoll& poll, std::size_t space_bytes)
        : client_(poll.io()), space_(space_bytes), socket_(poll, connect(client_), {}, *this) {
        socket_.await_readable();
    }

    void client_sends(const std::string& text) {
        boost::asio::write(client_, boost::asio::buffer(text));
    }
    [[nodiscard]] tcp::socket& client() { return client_; }
    [[nodiscard]] net::PolledSocket& socket() { return socket_; }

    std::vector<std::string> reads;
    error_code end;
    bool is_writable = false;
    std::function<void()> when_told = [] {};

private:
    static tcp::socket connect(tcp::socket& client) {
        tcp::acceptor acceptor(client.get_executor(), {boost::asio::ip::address_v4::loopback(), 0});
        client.connect(acceptor.local_endpoint());
        return acceptor.accept();
    }
    void on_readable() override {
        const std::size_t bytes = socket_.read(std::as_writable_bytes(std::span(space_)), end);
        if (bytes > 0) {
            reads.emplace_back(space_.data(), bytes);
        }
        if (bytes > 0 || end == boost::asio::error::would_block) {
            socket_.await_readable();
        }
        when_told();
    }
    void on_writable() override { is_writable = true; }

    tcp::socket client_;
    std::vector<char> space_;
    net::PolledSocket socket_;
};

class SocketPolls : public testing::Test {
protected:
    void run_until(const std::function<bool()>& is_true) {
        while (!is_true()) {
            ASSERT_EQ(io_.run_one_for(std::chrono::seconds(20)), 1U);
        }
    }

    boost::asio::io_context io_;
    SocketPoll poll_{io_, kBatch};
};

}  // namespace

TEST_F(SocketPolls, ReadTogetherWhatCameSinceTheLastLook) {
    Reader reader(poll_, 64);
    Reader other(poll_, 64);
    poll_.resume();
    reader.client_sends("a");
    run_until([&] { return reader.reads.size() == 1; });
    const auto first = steady_clock::now();
    reader.client_sends("b");
    other.client_sends("c");
    reader.client_sends("d");
    run_until([&] { return reader.reads.size() == 2; });
    EXPECT_EQ(reader.reads.back(), "bd");
    EXPECT_EQ(other.reads, std::vector<std::string>{"c"});
    EXPECT_GE(steady_clock::now() - first, kBatch / 2)
        << "the look before began earlier than it told";
}

TEST_F(SocketPolls, LetNobodyWaitWhereLittleIsGoingOn) {
    SocketPoll poll(io_, std::chrono::hours(1));
    Reader reader(poll, 64);
    poll.resume();
    io_.run_one();  // a look, which finds that there is room to write; nobody asked for it
    ASSERT_EQ(poll.looks_total(), 1U);
    reader.client_sends("a");
    run_until([&] { return !reader.reads.empty(); });
    EXPECT_EQ(reader.reads.front(), "a");
}

TEST_F(SocketPolls, WithoutABatchLookAtOnceEachTime) {
    SocketPoll poll(io_, {});
    Reader reader(poll, 64);
    poll.resume();
    for (std::size_t i = 1; i <= 3; ++i) {
        reader.client_sends("a");
        run_until([&] { return reader.reads.size() == i; });
    }
}

TEST_F(SocketPolls, ReadMoreThanFitsIntoOneReadInTheNextLooksAndThenTheEnd) {
    SocketPoll poll(io_, std::chrono::microseconds(1));
    Reader reader(poll, 4);
    reader.client_sends("0123456789");
    reader.client().close();
    poll.resume();
    run_until([&] { return reader.end == boost::asio::error::eof; });
    EXPECT_EQ(reader.reads, (std::vector<std::string>{"0123", "4567", "89"}));
}

TEST_F(SocketPolls, TellOnceThereIsRoomToWrite) {
    Reader reader(poll_, 64);
    const std::vector<char> much(1'000'000);
    error_code error;
    std::size_t written = 0;
    while (!error) {
        written += reader.socket().write({boost::asio::buffer(much), {}}, error);
    }
    EXPECT_EQ(error, boost::asio::error::would_block);
    reader.socket().await_writable();
    poll_.resume();
    std::vector<char> got(written);
    boost::asio::read(reader.client(), boost::asio::buffer(got));
    run_until([&] { return reader.is_writable; });
}

TEST_F(SocketPolls, TellNobodyWhoWasDestroyedInTheSameLook) {
    auto first = std::make_unique<Reader>(poll_, 64);
    auto second = std::make_unique<Reader>(poll_, 64);
    Reader third(poll_, 64);
    bool is_first_told = false;
    first->when_told = [&] {
        is_first_told = true;
        second.reset();
    };
    second->when_told = [&] { first.reset(); };
    for (Reader* const reader : {first.get(), second.get(), &third}) {
        reader->client_sends("a");
    }
    poll_.resume();
    run_until([&] { return !third.reads.empty(); });
    EXPECT_EQ(first != nullptr, is_first_told) << "one of the two";
    EXPECT_NE(first != nullptr, second != nullptr);
}

TEST_F(SocketPolls, GoOnWithTheOthersAfterOneThrew) {
    Reader first(poll_, 64);
    Reader second(poll_, 64);
    int failures = 0;
    for (Reader* const reader : {&first, &second}) {
        reader->when_told = [] { throw std::runtime_error("no memory"); };
        reader->client_sends("a");
    }
    poll_.resume();
    while (failures < 2) {
        try {
            ASSERT_EQ(io_.run_one_for(std::chrono::seconds(20)), 1U);
        } catch (const std::runtime_error&) {
            ++failures;
            io_.restart();  // nothing was left to wait for
            poll_.resume();
        }
    }
    EXPECT_EQ(first.reads.size() + second.reads.size(), 2U);
    EXPECT_EQ(poll_.looks_total(), 1U) << "the first one's, gone on with";
}

}  // namespace marchland::tests
