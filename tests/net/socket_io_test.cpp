#include "net/transport/socket_io.h"

#include <boost/asio/error.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

namespace marchland::tests {

namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;
using net::SocketIo;
using Io = net::ServerOptions::Io;
using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBatch{100};

/// Reads all that its client sends, some bytes at once.
class Reader final : private net::Transport::User {
public:
    Reader(SocketIo& sockets, std::size_t space_bytes)
        : client_(sockets.io()), space_(space_bytes), socket_(sockets.adopt(connect(client_), {})) {
        socket_->attach(*this);
        socket_->await_readable();
    }

    void client_sends(const std::string& text) {
        boost::asio::write(client_, boost::asio::buffer(text));
    }
    [[nodiscard]] tcp::socket& client() { return client_; }
    [[nodiscard]] net::IoSocket& socket() { return *socket_; }
    /// Is all of it with the kernel at once?
    bool send(const std::vector<char>& bytes, std::shared_ptr<const void> holder = nullptr) {
        error_code error;
        const bool is_done =
            socket_->send({boost::asio::buffer(bytes), {}}, std::move(holder), error);
        EXPECT_FALSE(error);
        return is_done;
    }

    std::vector<std::string> reads;
    error_code end;
    int sends = 0;  ///< that are over
    error_code send_error;
    bool is_patient = false;  ///< reads what there is, and awaits no more
    std::function<void()> when_called = [] {};

private:
    static tcp::socket connect(tcp::socket& client) {
        tcp::acceptor acceptor(client.get_executor(), {boost::asio::ip::address_v4::loopback(), 0});
        client.connect(acceptor.local_endpoint());
        return acceptor.accept();
    }
    void on_readable() override {
        const std::size_t bytes =
            socket_->read(std::as_writable_bytes(std::span(space_)), end).bytes;
        if (bytes > 0) {
            reads.emplace_back(space_.data(), bytes);
        }
        if ((bytes > 0 || end == boost::asio::error::would_block) && !is_patient) {
            socket_->await_readable();
        }
        when_called();
    }
    void on_sent(const error_code& error) override {
        ++sends;
        send_error = error;
    }

    tcp::socket client_;
    std::vector<char> space_;
    const std::unique_ptr<net::IoSocket> socket_;
};

class SocketIos : public testing::TestWithParam<Io> {
protected:
    void SetUp() override {
        try {
            sockets_ = make(kBatch);
        } catch (const boost::system::system_error& refusal) {
            GTEST_SKIP() << "the kernel refuses io_uring: " << refusal.what();
        }
    }
    std::unique_ptr<SocketIo> make(std::chrono::microseconds batch) {
        return SocketIo::make(GetParam(), io_, batch);
    }
    void run_until(const std::function<bool()>& is_true) {
        while (!is_true()) {
            ASSERT_EQ(io_.run_one_for(std::chrono::seconds(20)), 1U);
        }
    }

    boost::asio::io_context io_;
    std::unique_ptr<SocketIo> sockets_;
};

}  // namespace

TEST_P(SocketIos, ReadTogetherWhatCameSinceTheLastLook) {
    Reader reader(*sockets_, 64);
    Reader other(*sockets_, 64);
    sockets_->resume();
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
        << "the look before began earlier than it called";
}

TEST_P(SocketIos, LetNobodyWaitWhereLittleIsGoingOn) {
    const auto sockets = make(std::chrono::hours(1));
    Reader reader(*sockets, 64);
    sockets->resume();
    run_until([&] { return sockets->looks_total() > 0; });  // which found nothing for anybody
    reader.client_sends("a");
    run_until([&] { return !reader.reads.empty(); });
    EXPECT_EQ(reader.reads.front(), "a");
}

TEST_P(SocketIos, ReadAllThatCameInOneLook) {
    const auto sockets = make(std::chrono::hours(1));
    std::vector<std::unique_ptr<Reader>> readers;
    for (int i = 0; i < 200; ++i) {
        readers.push_back(std::make_unique<Reader>(*sockets, 64));
    }
    sockets->resume();
    run_until([&] { return sockets->looks_total() > 0; });
    io_.poll();
    for (const auto& reader : readers) {
        reader->client_sends("a");
    }
    run_until([&] {
        return std::ranges::all_of(readers,
                                   [](const auto& reader) { return !reader->reads.empty(); });
    });
    for (const auto& reader : readers) {
        EXPECT_EQ(reader->reads, std::vector<std::string>{"a"});
    }
}

TEST_P(SocketIos, WithoutABatchLookAtOnceEachTime) {
    const auto sockets = make({});
    Reader reader(*sockets, 64);
    sockets->resume();
    for (std::size_t i = 1; i <= 3; ++i) {
        reader.client_sends("a");
        run_until([&] { return reader.reads.size() == i; });
    }
    EXPECT_EQ(reader.reads, (std::vector<std::string>{"a", "a", "a"}));
}

TEST_P(SocketIos, ReadMoreThanFitsIntoOneReadAndThenTheEnd) {
    const auto sockets = make(std::chrono::microseconds(1));
    Reader reader(*sockets, 4);
    reader.client_sends("0123456789");
    reader.client().close();
    sockets->resume();
    run_until([&] { return reader.end == boost::asio::error::eof; });
    EXPECT_EQ(reader.reads, (std::vector<std::string>{"0123", "4567", "89"}));
}

TEST_P(SocketIos, HoldLittleOfWhatNobodyReadsAndGoOnWhenSomebodyDoes) {
    const auto sockets = make(std::chrono::microseconds(1));
    Reader reader(*sockets, 10'000);
    reader.is_patient = true;
    sockets->resume();
    reader.client().non_blocking(true);
    const std::string text(100'000, 'a');
    std::size_t sent = 0;
    for (error_code error; !error;
         sent += reader.client().write_some(boost::asio::buffer(text), error)) {
        io_.poll();
    }
    EXPECT_LE(reader.reads.size(), 1U);
    EXPECT_LE(reader.socket().memory_bytes(), 300'000U);
    EXPECT_TRUE(reader.socket().has_unread());
    EXPECT_FALSE(reader.socket().has_ended());
    reader.is_patient = false;
    reader.socket().await_readable();
    std::size_t read = 0;
    run_until([&] {
        read = 0;
        for (const std::string& some : reader.reads) {
            read += some.size();
        }
        return read >= sent;
    });
    EXPECT_EQ(read, sent);
    EXPECT_EQ(reader.socket().memory_bytes(), 0U);
}

TEST_P(SocketIos, SendBothBuffersInTheirOrder) {
    Reader reader(*sockets_, 64);
    sockets_->resume();
    const std::string first = "ab";
    const std::string second = "cd";
    for (const net::IoSocket::Buffers& buffers :
         {net::IoSocket::Buffers{boost::asio::buffer(first), boost::asio::buffer(second)},
          net::IoSocket::Buffers{boost::asio::buffer(first), {}},
          net::IoSocket::Buffers{boost::asio::const_buffer(), boost::asio::buffer(second)}}) {
        error_code error;
        if (!reader.socket().send(buffers, nullptr, error)) {
            run_until([&, before = reader.sends] { return reader.sends > before; });
        }
        EXPECT_FALSE(error);
    }
    std::string got(8, ' ');
    boost::asio::read(reader.client(), boost::asio::buffer(got));
    EXPECT_EQ(got, "abcdabcd");
}

TEST_P(SocketIos, SayWhenAFullSocketHasTakenAllOfASend) {
    Reader reader(*sockets_, 64);
    const auto much = std::make_shared<std::vector<char>>(20'000'000);
    for (std::size_t i = 0; i < much->size(); ++i) {
        (*much)[i] = static_cast<char>(i % 251);
    }
    sockets_->resume();
    const std::weak_ptr<const void> held = much;
    ASSERT_FALSE(reader.send(*much, much));
    std::vector<char> got(much->size());
    reader.client().non_blocking(true);
    io_.run_for(std::chrono::milliseconds(10));
    EXPECT_EQ(reader.sends, 0);
    for (std::size_t bytes = 0; bytes < got.size();) {
        io_.run_for(std::chrono::milliseconds(1));
        error_code error;
        bytes += reader.client().read_some(
            boost::asio::buffer(got.data() + bytes, got.size() - bytes), error);
    }
    run_until([&] { return reader.sends == 1; });
    EXPECT_FALSE(reader.send_error);
    EXPECT_EQ(got, *much);
    EXPECT_EQ(held.use_count(), 1) << "only the test's";
}

TEST_P(SocketIos, LetGoOfWhatIsSentWhenTheSocketIsClosedAndTellNobody) {
    for (const bool is_reset : {false, true}) {
        Reader reader(*sockets_, 64);
        auto much = std::make_shared<std::vector<char>>(20'000'000);
        sockets_->resume();
        ASSERT_FALSE(reader.send(*much, much));
        io_.run_for(std::chrono::milliseconds(10));  // it is under way
        is_reset ? reader.socket().reset() : reader.socket().close();
        const std::weak_ptr<const void> held = std::exchange(much, nullptr);
        run_until([&] { return held.expired(); });
        EXPECT_EQ(reader.sends, 0);
        std::vector<char> got(20'000'000);
        error_code error;
        boost::asio::read(reader.client(), boost::asio::buffer(got), error);
        EXPECT_EQ(error, is_reset ? error_code(boost::asio::error::connection_reset)
                                  : error_code(boost::asio::error::eof));
    }
}

TEST_P(SocketIos, CloseOnlyWhenTheKernelIsDone) {
    auto much = std::make_shared<std::vector<char>>(20'000'000);
    const std::weak_ptr<const void> held = much;
    {
        Reader reader(*sockets_, 64);
        sockets_->resume();
        const std::vector<char>& bytes = *much;
        ASSERT_FALSE(reader.send(bytes, std::exchange(much, nullptr)));
        io_.run_for(std::chrono::milliseconds(10));
    }
    sockets_->close();
    EXPECT_TRUE(held.expired());
}

TEST_P(SocketIos, TellWhoSendsToAClientThatIsGone) {
    Reader reader(*sockets_, 64);
    sockets_->resume();
    const std::vector<char> much(20'000'000);
    ASSERT_FALSE(reader.send(much));
    io_.run_for(std::chrono::milliseconds(10));
    reader.client().set_option(boost::asio::socket_base::linger(true, 0));
    reader.client().close();
    run_until([&] { return reader.sends == 1; });
    EXPECT_TRUE(reader.send_error);
}

TEST_P(SocketIos, TellNobodyWhoWasDestroyedInTheSameLook) {
    auto first = std::make_unique<Reader>(*sockets_, 64);
    auto second = std::make_unique<Reader>(*sockets_, 64);
    Reader third(*sockets_, 64);
    bool is_first_called = false;
    first->when_called = [&] {
        is_first_called = true;
        second.reset();
    };
    second->when_called = [&] { first.reset(); };
    for (Reader* const reader : {first.get(), second.get(), &third}) {
        reader->client_sends("a");
    }
    sockets_->resume();
    run_until([&] { return !third.reads.empty(); });
    EXPECT_EQ(first != nullptr, is_first_called) << "one of the two";
    EXPECT_NE(first != nullptr, second != nullptr);
}

TEST_P(SocketIos, GoOnWithTheOthersAfterOneThrew) {
    Reader first(*sockets_, 64);
    Reader second(*sockets_, 64);
    int failures = 0;
    for (Reader* const reader : {&first, &second}) {
        reader->when_called = [] { throw std::runtime_error("no memory"); };
        reader->client_sends("a");
    }
    sockets_->resume();
    while (failures < 2) {
        try {
            ASSERT_EQ(io_.run_one_for(std::chrono::seconds(20)), 1U);
        } catch (const std::runtime_error&) {
            ++failures;
            io_.restart();  // nothing was left to wait for
            sockets_->resume();
        }
    }
    EXPECT_EQ(first.reads.size() + second.reads.size(), 2U);
}

INSTANTIATE_TEST_SUITE_P(Over, SocketIos, testing::Values(Io::epoll, Io::io_uring),
                         [](const auto& of) {
                             return of.param == Io::epoll ? "epoll" : "io_uring";
                         });

namespace {

/// As a container's policy may: from here on this process has no io_uring.
void forbid_io_uring() {
    std::array<sock_filter, 4> rules = {
        {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
         BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)}};
    const sock_fprog program{rules.size(), rules.data()};
    ASSERT_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    ASSERT_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

}  // namespace

TEST(SocketIoChoice, IsEpollAndSaysWhyWhereIoUringIsForbidden) {
    EXPECT_EXIT(
        {
            forbid_io_uring();
            boost::asio::io_context io;
            std::fputs(SocketIo::make(Io::automatic, io, {})->name().c_str(), stderr);
            try {
                SocketIo::make(Io::io_uring, io, {});
            } catch (const boost::system::system_error&) {
                std::exit(0);
            }
            std::exit(1);
        },
        testing::ExitedWithCode(0), "epoll; io_uring is not allowed here: Operation not permitted");
}

}  // namespace marchland::tests
