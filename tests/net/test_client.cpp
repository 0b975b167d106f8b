#include "tests/net/test_client.h"

#include "net/decode_server.h"
#include "net/encode_client.h"

#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>

namespace marchland::tests {

namespace {

constexpr std::size_t kMessageBytesMax = 1U << 20U;
constexpr timeval kPatience{20, 0};

[[noreturn]] void fail(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

template <typename Value>
void set_option(int fd, int level, int name, const Value& value) {
    if (::setsockopt(fd, level, name, &value, sizeof value) != 0) {
        fail("setsockopt");
    }
}

/// A wait with a limit is interrupted by what the kernel does for a ring of this thread; one
/// without goes on by itself.
template <typename Call>
ssize_t uninterrupted(Call&& call) {
    ssize_t result = -1;
    do {
        result = call();
    } while (result < 0 && errno == EINTR);
    return result;
}

}  // namespace

TestClient::TestClient() : fd_(::socket(AF_INET, SOCK_STREAM, 0)), buffer_(kMessageBytesMax) {
    if (fd_ < 0) {
        fail("socket");
    }
    set_option(fd_, SOL_SOCKET, SO_RCVTIMEO, kPatience);
    set_option(fd_, IPPROTO_TCP, TCP_NODELAY, 1);
}

TestClient::TestClient(std::uint16_t port, int receive_buffer_bytes) : TestClient() {
    if (receive_buffer_bytes > 0) {
        set_option(fd_, SOL_SOCKET, SO_RCVBUF, receive_buffer_bytes);
    }
    connect(port);
}

TestClient::TestClient(const char* from, std::uint16_t port) : TestClient() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    ::inet_pton(AF_INET, from, &address.sin_addr);
    if (::bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        fail("bind");
    }
    connect(port);
}

TestClient::~TestClient() {
    close();
}

TestClient::TestClient(TestClient&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      buffer_(std::move(other.buffer_)),
      fences_(other.fences_),
      received_(other.received_),
      times_(other.times_) {}

void TestClient::connect(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        fail("connect");
    }
    set_option(fd_, SOL_SOCKET, SO_SNDTIMEO, kPatience);
}

bool TestClient::send(const net::ClientMessage& message) {
    flatbuffers::FlatBufferBuilder builder;
    return send_bytes(net::encode(builder, message));
}

bool TestClient::send_bytes(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t sent =
            uninterrupted([&] { return ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL); });
        if (sent < 0 && (errno == EPIPE || errno == ECONNRESET)) {
            return false;
        }
        if (sent < 0) {
            fail("send");
        }
        bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
    return true;
}

std::optional<net::ServerMessage> TestClient::receive() {
    std::span<const std::byte> message;
    while (buffer_.next(message) != net::ReceiveBuffer::Next::message) {
        const std::span<std::byte> space = buffer_.writable();
        const ssize_t received =
            uninterrupted([&] { return ::recv(fd_, space.data(), space.size(), 0); });
        was_reset_ = received < 0 && errno == ECONNRESET;
        if (received == 0 || was_reset_) {
            return std::nullopt;
        }
        if (received < 0) {
            fail("recv");
        }
        buffer_.commit(static_cast<std::size_t>(received));
    }
    if (received_ != nullptr) {
        received_->insert(received_->end(), message.begin(), message.end());
    }
    net::ServerMessage decoded;
    if (const auto error = net::decode_server(message, decoded)) {
        throw std::runtime_error(error->text);
    }
    times_.complete(decoded);
    // Comes once to each service: tests ask for what follows, but those of PlayerNotices.
    return std::holds_alternative<net::PlayersListed>(decoded) ? receive() : decoded;
}

std::optional<std::string> TestClient::receive_bytes() {
    std::string bytes(4096, '\0');
    const ssize_t received =
        uninterrupted([&] { return ::recv(fd_, bytes.data(), bytes.size(), 0); });
    was_reset_ = received < 0 && errno == ECONNRESET;
    if (received == 0 || was_reset_) {
        return std::nullopt;
    }
    if (received < 0) {
        fail("recv");
    }
    bytes.resize(static_cast<std::size_t>(received));
    return bytes;
}

net::Welcome TestClient::join(const net::Hello& hello) {
    send(hello);
    return receive_one<net::Welcome>();
}

net::Welcome TestClient::join_at(engine::Position spawn) {
    net::Hello hello;
    hello.spawn = spawn;
    return join(hello);
}

void TestClient::fence() {
    if (!frames_until_fence().empty()) {
        throw std::runtime_error("a frame came unexpected");
    }
}

std::vector<net::FrameMessage> TestClient::frames_until_fence() {
    send(net::Ping{++fences_});
    std::vector<net::FrameMessage> frames;
    while (true) {
        net::ServerMessage message = receive().value();
        if (auto* const frame = std::get_if<net::FrameMessage>(&message)) {
            frames.push_back(std::move(*frame));
        } else if (std::get<net::Pong>(message).nonce == fences_) {
            return frames;
        }
    }
}

void TestClient::kill() {
    set_option(fd_, SOL_SOCKET, SO_LINGER, linger{1, 0});
    close();
}

void TestClient::close() {
    if (fd_ >= 0) {
        ::close(fd_);
        fd_ = -1;
    }
}

void TestClient::end_of_stream() {
    ::shutdown(fd_, SHUT_WR);
}

}  // namespace marchland::tests
