#pragma once

#include "net/decode_client.h"
#include "net/encode_server.h"
#include "net/wire_values.h"
#include "tools/clients/cpp/address.h"
#include "tools/clients/cpp/message_splitter.h"
#include "tools/clients/cpp/session.h"
#include "tests/net/small_world_welcome.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <future>
#include <optional>
#include <poll.h>
#include <span>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <utility>
#include <variant>
#include <vector>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace marchland::client {

using namespace std::chrono_literals;

inline constexpr auto kPatience = 20s;

/// A server that the test plays, for one client at a time. What takes longer than kPatience throws.
class PlayedServer {
public:
    /// `kernel_bytes`: what the kernel holds that was not received; 0: what it likes.
    explicit PlayedServer(int kernel_bytes = 0) : listener_(socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t bytes = sizeof address;
        auto* const any = reinterpret_cast<sockaddr*>(&address);
        if (kernel_bytes > 0) {
            (void)setsockopt(listener_, SOL_SOCKET, SO_RCVBUF, &kernel_bytes, sizeof kernel_bytes);
        }
        if (bind(listener_, any, bytes) != 0 || listen(listener_, 4) != 0 ||
            getsockname(listener_, any, &bytes) != 0) {
            throw std::runtime_error("cannot listen");
        }
        port_ = std::to_string(ntohs(address.sin_port));
    }
    PlayedServer(const PlayedServer&) = delete;
    PlayedServer& operator=(const PlayedServer&) = delete;
    ~PlayedServer() {
        close();
        ::close(listener_);
    }

    [[nodiscard]] const std::string& port() const { return port_; }
    [[nodiscard]] std::vector<Address> addresses() const {
        return std::get<std::vector<Address>>(resolve({"127.0.0.1", port_}));
    }

    [[nodiscard]] bool is_called() const { return is_readable(listener_, 0ms); }
    void accept() {
        must_be_readable(listener_);
        close();
        fd_ = ::accept(listener_, nullptr, nullptr);
        const int on = 1;  // what is said is there for the next read, also after something else
        (void)setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        splitter_ = {};
        received_.clear();
    }
    void close() {
        if (fd_ >= 0) {
            ::close(std::exchange(fd_, -1));
        }
    }

    /// The bytes of the next messages; empty at the end of the stream.
    std::span<const std::byte> receive_bytes() {
        must_be_readable(fd_);
        const ssize_t got = recv(fd_, chunk_.data(), sizeof chunk_, 0);
        return std::as_bytes(std::span(chunk_))
            .first(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    }
    /// Nothing at the end of the stream.
    std::optional<net::ClientMessage> receive() {
        while (received_.empty()) {
            const auto bytes = receive_bytes();
            if (bytes.empty()) {
                return std::nullopt;
            }
            splitter_.begin(bytes);
            while (const auto message = splitter_.next(scratch_)) {
                received_.push_back(std::get<net::ClientMessage>(net::decode_client(*message)));
            }
            splitter_.end();
        }
        net::ClientMessage first = std::move(received_.front());
        received_.pop_front();
        return first;
    }
    /// The next one of that kind; others are passed over. Nothing: the stream ended before.
    template <typename Message>
    std::optional<Message> receive_next() {
        while (const auto message = receive()) {
            if (const auto* const found = std::get_if<Message>(&*message)) {
                return *found;
            }
        }
        return std::nullopt;
    }

    template <typename Message>
    void say(const Message& message) {
        flatbuffers::FlatBufferBuilder builder;
        write(net::encode(builder, message));
    }
    void say_frame(engine::Tick tick, const std::vector<std::uint64_t>& leaves,
                   const std::vector<std::uint64_t>& enters, bool is_keyframe = false,
                   const std::vector<std::uint8_t>& states = {}, std::uint64_t watcher = 0) {
        flatbuffers::FlatBufferBuilder builder;
        std::vector<wire::Left> left;
        for (const std::uint64_t id : leaves) {
            left.emplace_back(id, wire::LeaveReason::gone);
        }
        std::vector<flatbuffers::Offset<wire::Entered>> entered;
        for (const std::uint64_t id : enters) {
            const wire::Position position(static_cast<std::int32_t>(100 * id), 0, 0);
            entered.push_back(wire::CreateEntered(builder, id, 7, &position));
        }
        const auto left_at = builder.CreateVectorOfStructs(left);
        const auto entered_at = builder.CreateVector(entered);
        const auto states_at = builder.CreateVector(states);
        wire::FrameBuilder frame(builder);
        frame.add_tick(tick);
        frame.add_watcher(watcher);
        frame.add_states(states_at);
        frame.add_leaves(left_at);
        frame.add_enters(entered_at);
        frame.add_is_keyframe(is_keyframe);
        const auto body = frame.Finish();
        write(net::finish_message(builder, body));
    }

    void say_correction(engine::Tick tick, engine::Position to) {
        flatbuffers::FlatBufferBuilder builder;
        const wire::Correction correction(1, net::to_wire(to));
        wire::FrameBuilder frame(builder);
        frame.add_tick(tick);
        frame.add_correction(&correction);
        const auto body = frame.Finish();
        write(net::finish_message(builder, body));
    }

private:
    static bool is_readable(int fd, std::chrono::milliseconds wait) {
        pollfd wanted{fd, POLLIN, 0};
        return poll(&wanted, 1, static_cast<int>(wait.count())) == 1;
    }
    static void must_be_readable(int fd) {
        if (!is_readable(fd, kPatience)) {
            throw std::runtime_error("nothing comes");
        }
    }
    void write(std::span<const std::byte> bytes) const {
        if (::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL) !=
            static_cast<ssize_t>(bytes.size())) {
            throw std::runtime_error("cannot send");
        }
    }

    int listener_;
    int fd_ = -1;
    std::string port_;
    MessageSplitter splitter_;
    std::deque<net::ClientMessage> received_;
    std::array<std::uint64_t, 8'192> chunk_{};
    std::vector<std::uint64_t> scratch_;
};

inline net::Welcome resumable_welcome(std::uint64_t entity) {
    net::Welcome welcome = tests::welcome_as(entity);
    welcome.resume_token = {std::byte{1}};
    welcome.resume_grace_ms = 3'600'000;
    return welcome;
}

/// The next connection's Hello, which is answered.
inline net::Hello let_in(PlayedServer& server, const net::Welcome& welcome) {
    server.accept();
    const auto hello = server.receive_next<net::Hello>();
    server.say(welcome);
    return hello.value();
}

/// While the test plays the server.
template <typename Call>
auto meanwhile(Call&& call) {
    return std::async(std::launch::async, std::forward<Call>(call));
}

/// Serves until it is true. A Problem: the session ended before.
template <typename Session, typename Condition>
std::optional<Problem> serve_until(Session& session, Condition&& is_true) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    std::optional<Problem> problem;
    while (!problem && !is_true()) {
        if (std::chrono::steady_clock::now() >= deadline) {
            throw std::runtime_error("it never becomes true");
        }
        problem = session.serve(10ms);
    }
    return problem;
}

template <typename Result>
bool is_done(const std::future<Result>& future) {
    return future.wait_for(0s) == std::future_status::ready;
}

}  // namespace marchland::client
