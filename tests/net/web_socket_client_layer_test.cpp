#include "net/transport/web_socket_layer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace marchland::tests {

namespace {

using net::Layer;
using Bytes = Layer::Bytes;

std::span<const std::byte> bytes_of_text(std::string_view text) {
    return std::as_bytes(std::span(text));
}

/// What a fresh client makes of an answer that comes in pieces of that size.
Layer::State after(std::string_view answer, std::size_t piece = SIZE_MAX) {
    net::WebSocketClientLayer client("localhost");
    Bytes up;
    Bytes down;
    client.take({}, up, down);
    for (std::size_t at = 0; at < answer.size(); at += std::min(piece, answer.size() - at)) {
        client.take(bytes_of_text(answer.substr(at, piece)), up, down);
    }
    EXPECT_TRUE(up.empty());
    return client.state();
}

}  // namespace

TEST(WebSocketClient, AndTheServersLayerUnderstandEachOtherByteByByte) {
    const net::OriginRule any_origin;
    net::WebSocketClientLayer client("localhost:7778");
    net::WebSocketServerLayer server(any_origin);
    Bytes to_server;
    Bytes to_client;
    Bytes received_by_server;
    Bytes received_by_client;
    client.take({}, received_by_client, to_server);
    for (const std::byte byte : Bytes(to_server)) {
        server.take(std::span(&byte, 1), received_by_server, to_client);
    }
    for (const std::byte byte : Bytes(to_client)) {
        EXPECT_EQ(client.state(), Layer::State::opening);
        client.take(std::span(&byte, 1), received_by_client, to_server);
    }
    ASSERT_EQ(client.state(), Layer::State::open);

    // A message of two bytes, with its length before them.
    const Bytes message{std::byte{2}, std::byte{0}, std::byte{0},
                        std::byte{0}, std::byte{8}, std::byte{9}};
    to_server.clear();
    client.wrap(message, to_server);
    server.take(to_server, received_by_server, to_client);
    EXPECT_EQ(received_by_server, message);
    to_client.clear();
    server.wrap(message, to_client);
    client.take(to_client, received_by_client, to_server);
    EXPECT_EQ(received_by_client, message);
}

TEST(WebSocketClient, FailsOnAnythingButTheUpgradeItAskedFor) {
    for (const std::size_t piece : {std::size_t{1}, SIZE_MAX}) {
        EXPECT_EQ(after("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n", piece),
                  Layer::State::failed);
        EXPECT_EQ(after("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                        "Connection: Upgrade\r\nSec-WebSocket-Accept: not-for-this-key\r\n\r\n",
                        piece),
                  Layer::State::failed);
        EXPECT_EQ(after("no HTTP at all\r\n\r\n", piece), Layer::State::failed);
    }
}

TEST(WebSocketClient, GivesAnAnswerWithoutEndUp) {
    EXPECT_EQ(after("HTTP/1.1 101 Switching"), Layer::State::opening);
    EXPECT_EQ(after("HTTP/1.1 101 Switching Protocols\r\nX: " + std::string(9'000, 'x'), 100),
              Layer::State::failed);
}

}  // namespace marchland::tests
