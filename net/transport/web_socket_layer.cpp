#include "net/transport/web_socket_layer.h"

#include "engine/assert.h"
#include "net/wire_values.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <utility>

namespace marchland::net {

namespace {

namespace http = boost::beast::http;

constexpr std::string_view kEndOfHeader = "\r\n\r\n";

void append(std::string_view text, Layer::Bytes& to) {
    const auto* const begin = reinterpret_cast<const std::byte*>(text.data());
    to.insert(to.end(), begin, begin + text.size());
}

/// The message at the beginning, its prefix included.
std::size_t message_bytes(std::span<const std::byte> bytes) {
    MARCHLAND_ASSERT(bytes.size() >= kLengthPrefixBytes);
    const std::size_t length = read_length(bytes.data());
    MARCHLAND_ASSERT(length <= bytes.size() - kLengthPrefixBytes);
    return kLengthPrefixBytes + length;
}

/// 16 random bytes in base64 (RFC 6455, 4.1).
std::string new_key() {
    std::array<unsigned char, 16> nonce{};
    const int made = RAND_bytes(nonce.data(), static_cast<int>(nonce.size()));
    MARCHLAND_ASSERT(made == 1);
    std::array<unsigned char, 32> encoded{};
    const int length =
        EVP_EncodeBlock(encoded.data(), nonce.data(), static_cast<int>(nonce.size()));
    return {reinterpret_cast<const char*>(encoded.data()), static_cast<std::size_t>(length)};
}

}  // namespace

WebSocketLayer::WebSocketLayer(WebSocketEnd own)
    : own_(own),
      frames_(own == WebSocketEnd::client ? WebSocketEnd::server : WebSocketEnd::client) {}

void WebSocketLayer::take(std::span<const std::byte> below, Bytes& up, Bytes& down) {
    if (state_ == State::opening) {
        below = below.subspan(take_header(below, down));
    }
    if (state_ != State::open || below.empty()) {
        return;
    }
    Bytes unsent;  // RFC 6455, 5.5.1: after a Close nothing more is sent, no answer either
    const auto result = frames_.take(below, up, is_end_sent_ ? unsent : down);
    if (result != WebSocketFrames::Result::more) {
        state_ = result == WebSocketFrames::Result::closed ? State::ended : State::failed;
    }
}

std::size_t WebSocketLayer::take_header(std::span<const std::byte> below, Bytes& down) {
    const std::size_t had = header_.size();
    const std::size_t room = kUpgradeBytesMax + 1 - had;
    header_.append(reinterpret_cast<const char*>(below.data()), std::min(room, below.size()));
    // The end may have begun in what was there before.
    const std::size_t end =
        header_.find(kEndOfHeader, had - std::min(had, kEndOfHeader.size() - 1));
    if (end == std::string::npos && header_.size() <= kUpgradeBytesMax) {
        return below.size();
    }
    const bool is_whole = end != std::string::npos && end + kEndOfHeader.size() <= kUpgradeBytesMax;
    if (is_whole) {
        header_.resize(end + kEndOfHeader.size());
    }
    const auto header = is_whole ? std::optional<std::string_view>(header_) : std::nullopt;
    state_ = accept(header, down) ? State::open : State::failed;
    return std::exchange(header_, {}).size() - had;
}

void WebSocketLayer::wrap(std::span<const std::byte> bytes, Bytes& down) {
    if (state_ == State::open && !is_end_sent_ && !bytes.empty()) {
        append_binary(bytes, down, own_);
    }
}

void WebSocketLayer::end(Bytes& down) {
    if (state_ == State::open && !std::exchange(is_end_sent_, true)) {
        append_close(WebSocketClose::normal, down, own_);
    }
}

bool WebSocketServerLayer::accept(std::optional<std::string_view> header, Bytes& down) {
    UpgradeAnswer answer = header ? answer_upgrade(*header, rule_) : refuse_too_large_upgrade();
    append(answer.text, down);
    failure_ = std::move(answer.failure);
    return answer.is_upgraded;
}

void WebSocketServerLayer::wrap(std::span<const std::byte> bytes, Bytes& down) {
    while (state() == State::open && !bytes.empty()) {
        const std::size_t message = message_bytes(bytes);
        WebSocketLayer::wrap(bytes.first(message), down);
        bytes = bytes.subspan(message);
    }
}

WebSocketClientLayer::WebSocketClientLayer(const std::string& host)
    : WebSocketLayer(WebSocketEnd::client), key_(new_key()) {
    request_ = "GET / HTTP/1.1\r\nHost: " + host +
               "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
               "Sec-WebSocket-Key: " +
               key_ + "\r\n\r\n";
}

void WebSocketClientLayer::take(std::span<const std::byte> below, Bytes& up, Bytes& down) {
    append(std::exchange(request_, {}), down);
    WebSocketLayer::take(below, up, down);
}

bool WebSocketClientLayer::accept(std::optional<std::string_view> header, Bytes&) {
    if (!header) {
        return false;
    }
    http::response_parser<http::empty_body> parser;
    parser.header_limit(kUpgradeBytesMax);
    parser.skip(true);  // a refusal may have a body, which nobody reads
    boost::system::error_code error;
    parser.put(boost::asio::buffer(*header), error);
    if (error || !parser.is_header_done()) {
        return false;
    }
    const auto& answer = parser.get();
    return answer.result() == http::status::switching_protocols &&
           answer[http::field::sec_websocket_accept] == accept_key(key_);
}

}  // namespace marchland::net
