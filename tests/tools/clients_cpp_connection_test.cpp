#include "net/transport/tls_context.h"
#include "net/transport/tls_layer.h"
#include "net/transport/web_socket_layer.h"
#include "tools/clients/cpp/connection.h"
#include "tests/net/certificate_maker.h"
#include "tests/net/token_maker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unistd.h>
#include <netinet/in.h>

namespace marchland::client {

namespace {

using Bytes = net::Layer::Bytes;

Bytes bytes_of(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

void wait_readable(int fd) {
    pollfd wanted{fd, POLLIN, 0};
    if (poll(&wanted, 1, 20'000) != 1) {
        throw std::runtime_error("nothing to read for twenty seconds");
    }
}

std::shared_ptr<ssl_ctx_st> server_tls() {
    const tests::KeyFolder folder;
    const tests::Certificate made = tests::make_certificate();
    net::TlsContext context(
        {folder.write("certificate", made.certificate_pem), folder.write("key", made.key_pem)},
        false);
    if (!context.reload().empty()) {
        throw std::runtime_error("no certificate");
    }
    return context.current();
}

/// The other end of one connection over WebSocket in TLS, its layers taken apart.
class Peer {
public:
    Peer() : listener_(socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in any{};
        any.sin_family = AF_INET;
        any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address_.bytes = sizeof any;
        if (bind(listener_, reinterpret_cast<const sockaddr*>(&any), sizeof any) != 0 ||
            listen(listener_, 1) != 0 ||
            getsockname(listener_, reinterpret_cast<sockaddr*>(&address_.storage),
                        &address_.bytes) != 0) {
            throw std::runtime_error("cannot listen");
        }
    }
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;
    ~Peer() {
        close(listener_);
        close(fd_);
    }

    [[nodiscard]] const Address& address() const { return address_; }

    /// Both ends shake hands, one after the other.
    void open(Connection& connection) {
        fd_ = accept(listener_, nullptr, nullptr);
        connection.open();
        ReadBuffer buffer;
        while (!connection.is_ready()) {
            std::array<pollfd, 2> both{{{fd_, POLLIN, 0}, {connection.fd(), POLLIN, 0}}};
            if (poll(both.data(), both.size(), 20'000) <= 0) {
                throw std::runtime_error("no handshake in twenty seconds");
            }
            if (both[0].revents != 0) {
                take_some();
            }
            if (both[1].revents != 0) {
                (void)connection.read(buffer, [](std::span<const std::byte>) { return true; });
            }
        }
    }

    /// A message as the layers carry it.
    [[nodiscard]] Bytes wrapped(const Bytes& message) {
        Bytes framed;
        Bytes sealed;
        web_socket_.wrap(message, framed);
        tls_.wrap(framed, sealed);
        return sealed;
    }
    [[nodiscard]] Bytes end_of_tls() {
        Bytes bytes;
        tls_.end(bytes);
        return bytes;
    }
    void send(const Bytes& bytes) const {
        if (write(fd_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
            throw std::runtime_error("cannot send");
        }
    }

private:
    void take_some() {
        std::array<std::byte, 16'384> chunk{};
        const ssize_t got = ::read(fd_, chunk.data(), chunk.size());
        Bytes between;
        Bytes up;
        Bytes answer;
        Bytes down;
        tls_.take(std::span(chunk).first(static_cast<std::size_t>(std::max<ssize_t>(got, 0))),
                  between, down);
        web_socket_.take(between, up, answer);
        if (!answer.empty()) {
            tls_.wrap(answer, down);
        }
        send(down);
    }

    const net::OriginRule any_page_;
    net::TlsLayer tls_{server_tls()};
    net::WebSocketServerLayer web_socket_{any_page_};
    int listener_;
    int fd_ = -1;
    Address address_;
};

}  // namespace

/// In one read: a message, and then what ends TLS below the WebSocket.
TEST(ClientConnection, WhatCameBeforeAnEndGoesThroughAllLayers) {
    const std::string message("\x04\0\0\0four", 8);
    for (const bool is_in_order : {true, false}) {
        WayIn way;
        way.tls = std::get<0>(net::make_client_tls({"", true}));
        way.is_web_socket = true;
        way.server_name = "localhost";
        Peer peer;
        auto connection = std::get<Connection>(Connection::start(peer.address(), way));
        peer.open(connection);

        Bytes last = peer.wrapped(bytes_of(message));
        const Bytes end =
            is_in_order ? peer.end_of_tls() : bytes_of(std::string("\x17\x03\x03\0\x05wrong", 10));
        last.insert(last.end(), end.begin(), end.end());
        peer.send(last);
        ReadBuffer buffer;
        std::vector<Bytes> received;
        wait_readable(connection.fd());
        const Connection::Read read =
            connection.read(buffer, [&](std::span<const std::byte> bytes) {
                received.emplace_back(bytes.begin(), bytes.end());
                return true;
            });
        EXPECT_EQ(read.health,
                  is_in_order ? Connection::Health::ended : Connection::Health::failed);
        EXPECT_EQ(received, std::vector<Bytes>{bytes_of(message)});
    }
}

}  // namespace marchland::client
