#include "tools/clients/cpp/connection.h"

#include "net/transport/tls_layer.h"

#include <algorithm>
#include <cerrno>
#include <utility>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace marchland::client {
namespace {

std::error_code last_error() {
    return {errno, std::generic_category()};
}

/// Can TLS ask for a server of that name? RFC 6066, 3, and RFC 1035, 2.3.4.
bool is_server_name(const std::string& name) {
    constexpr std::size_t kBytesMax = 255;
    return !name.empty() && name.size() <= kBytesMax && name.find('\0') == std::string::npos;
}

bool would_block() {
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

}  // namespace

Connection::Connection(process::Descriptor socket, const WayIn& way)
    : socket_(std::move(socket)), layers_(make_layers(way)) {}

std::variant<Connection, std::error_code> Connection::start(const Address& address,
                                                            const WayIn& way, int receive_bytes,
                                                            const std::optional<Address>& from) {
    if (way.tls != nullptr && !is_server_name(way.server_name)) {
        return std::make_error_code(std::errc::invalid_argument);
    }
    process::Descriptor socket(::socket(address.storage.ss_family,
                                        SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP));
    if (!socket.is_open()) {
        return last_error();
    }
    const int on = 1;
    if (setsockopt(socket.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0) {
        return last_error();
    }
    if (receive_bytes != 0 &&
        setsockopt(socket.fd(), SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes) != 0) {
        return last_error();
    }
    if (from &&
        (setsockopt(socket.fd(), IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on) != 0 ||
         bind(socket.fd(), reinterpret_cast<const sockaddr*>(&from->storage), from->bytes) != 0)) {
        return last_error();
    }
    const auto* const where = reinterpret_cast<const sockaddr*>(&address.storage);
    if (connect(socket.fd(), where, address.bytes) != 0 && errno != EINPROGRESS) {
        return last_error();
    }
    return Connection(std::move(socket), way);
}

std::error_code Connection::connect_error() const {
    int error = 0;
    socklen_t bytes = sizeof error;
    if (getsockopt(fd(), SOL_SOCKET, SO_ERROR, &error, &bytes) != 0) {
        return last_error();
    }
    return {error, std::generic_category()};
}

void Connection::open() {
    ReadBuffer nothing{{}, {}, {}, {}};
    (void)take_up({}, nothing);
}

bool Connection::is_ready() const {
    return std::ranges::all_of(
        layers_, [](const auto& layer) { return layer->state() == net::Layer::State::open; });
}

bool Connection::send(std::span<const std::byte> message) {
    if (!flush()) {
        return false;
    }
    if (!layers_.empty()) {
        send_down({message.begin(), message.end()}, layers_.size());
        return true;
    }
    const ssize_t sent = ::send(fd(), message.data(), message.size(), MSG_NOSIGNAL);
    if (sent < 0) {
        // Whatever is wrong with the socket, the next read says it.
        return false;
    }
    const std::span<const std::byte> rest = message.subspan(static_cast<std::size_t>(sent));
    unsent_.assign(rest.begin(), rest.end());
    return true;
}

/// Wraps the bytes in the layers below, and gives the kernel what it takes: the rest waits.
void Connection::send_down(net::Layer::Bytes bytes, std::size_t layers_below) {
    for (std::size_t i = layers_below; i > 0; --i) {
        net::Layer::Bytes wrapped;
        layers_[i - 1]->wrap(bytes, wrapped);
        bytes = std::move(wrapped);
    }
    unsent_.insert(unsent_.end(), bytes.begin(), bytes.end());
    (void)flush();
}

bool Connection::flush() {
    if (unsent_.empty()) {
        return true;
    }
    const ssize_t sent = ::send(fd(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
    if (sent < 0) {
        return false;
    }
    unsent_.erase(unsent_.begin(), unsent_.begin() + sent);
    return unsent_.empty();
}

Connection::Read Connection::receive(ReadBuffer& buffer, std::size_t bytes_max) {
    const ssize_t got =
        recv(fd(), buffer.chunk.data(), std::min(bytes_max, ReadBuffer::kChunkBytes), 0);
    if (got > 0) {
        return {Health::open, static_cast<std::size_t>(got)};
    }
    if (got == 0) {
        return {Health::ended, 0};
    }
    return {would_block() ? Health::open : Health::failed, 0};
}

/// Leaves in buffer.up what the layers make of the bytes; each begins when those below are open.
/// What one carried before its end goes up, too.
Connection::Health Connection::take_up(std::span<const std::byte> from_socket, ReadBuffer& buffer) {
    Health health = Health::open;
    buffer.up.assign(from_socket.begin(), from_socket.end());
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        buffer.between.swap(buffer.up);
        buffer.up.clear();
        net::Layer::Bytes answers;
        layers_[i]->take(buffer.between, buffer.up, answers);
        send_down(std::move(answers), i);
        const net::Layer::State state = layers_[i]->state();
        if (state == net::Layer::State::failed) {
            health = Health::failed;
        } else if (state == net::Layer::State::ended && health == Health::open) {
            health = Health::ended;
        }
        if (state == net::Layer::State::opening || (health != Health::open && buffer.up.empty())) {
            buffer.up.clear();
            break;
        }
    }
    return health;
}

std::string Connection::problem() const {
    for (const auto& layer : layers_) {
        const auto* const tls = dynamic_cast<const net::TlsLayer*>(layer.get());
        if (tls != nullptr && !tls->certificate_problem().empty()) {
            return "the certificate is not accepted: " + tls->certificate_problem();
        }
        if (layer->state() == net::Layer::State::failed) {
            return tls != nullptr ? "no TLS, or none that fits" : "no WebSocket";
        }
    }
    return "";
}

}  // namespace marchland::client
