#include "tools/clients/cpp/connection.h"

#include <cerrno>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace marchland::client {
namespace {

std::error_code last_error() {
    return {errno, std::generic_category()};
}

bool would_block() {
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

}  // namespace

std::variant<Connection, std::error_code> Connection::start(const Address& address) {
    process::Descriptor socket(::socket(address.storage.ss_family,
                                        SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP));
    if (!socket.is_open()) {
        return last_error();
    }
    const int on = 1;
    if (setsockopt(socket.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0) {
        return last_error();
    }
    const auto* const where = reinterpret_cast<const sockaddr*>(&address.storage);
    if (connect(socket.fd(), where, address.bytes) != 0 && errno != EINPROGRESS) {
        return last_error();
    }
    return Connection(std::move(socket));
}

std::error_code Connection::connect_error() const {
    int error = 0;
    socklen_t bytes = sizeof error;
    if (getsockopt(fd(), SOL_SOCKET, SO_ERROR, &error, &bytes) != 0) {
        return last_error();
    }
    return {error, std::generic_category()};
}

bool Connection::send(std::span<const std::byte> message) {
    if (!flush()) {
        return false;
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

Connection::Read Connection::receive(ReadBuffer& buffer) {
    const ssize_t got = recv(fd(), buffer.chunk.data(), ReadBuffer::kChunkBytes, 0);
    if (got > 0) {
        return {Health::open, static_cast<std::size_t>(got)};
    }
    if (got == 0) {
        return {Health::ended, 0};
    }
    return {would_block() ? Health::open : Health::failed, 0};
}

}  // namespace marchland::client
