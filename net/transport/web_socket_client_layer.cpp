#include "net/transport/web_socket_client_layer.h"

#include "engine/assert.h"
#include "net/transport/web_socket_upgrade.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace marchland::net {
namespace {

namespace http = boost::beast::http;

constexpr std::string_view kEndOfAnswer = "\r\n\r\n";

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

WebSocketClientLayer::WebSocketClientLayer(const std::string& host) : key_(new_key()) {
    request_ = "GET / HTTP/1.1\r\nHost: " + host +
               "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
               "Sec-WebSocket-Key: " +
               key_ + "\r\n\r\n";
}

void WebSocketClientLayer::take(std::span<const std::byte> below, Bytes& up, Bytes& down) {
    if (!request_.empty()) {
        const auto request = std::as_bytes(std::span(request_));
        down.insert(down.end(), request.begin(), request.end());
        request_.clear();
        request_.shrink_to_fit();
    }
    if (state_ == State::opening) {
        below = below.subspan(take_answer(below));
    }
    if (state_ == State::open && !below.empty()) {
        state_ = stream_.take(below, up, down);
    }
}

std::size_t WebSocketClientLayer::take_answer(std::span<const std::byte> below) {
    const std::size_t had = answer_.size();
    const std::size_t room = kUpgradeBytesMax - had;
    answer_.append(reinterpret_cast<const char*>(below.data()), std::min(room, below.size()));
    const std::size_t end =
        answer_.find(kEndOfAnswer, had - std::min(had, kEndOfAnswer.size() - 1));
    if (end == std::string::npos) {
        state_ = answer_.size() < kUpgradeBytesMax ? State::opening : State::failed;
        return below.size();
    }
    answer_.resize(end + kEndOfAnswer.size());
    state_ = is_upgraded() ? State::open : State::failed;
    const std::size_t bytes = answer_.size() - had;
    answer_.clear();
    answer_.shrink_to_fit();
    return bytes;
}

bool WebSocketClientLayer::is_upgraded() const {
    http::response_parser<http::empty_body> parser;
    parser.header_limit(kUpgradeBytesMax);
    parser.skip(true);  // a refusal may have a body, which nobody reads
    boost::system::error_code error;
    parser.put(boost::asio::buffer(answer_), error);
    if (error || !parser.is_header_done()) {
        return false;
    }
    const auto& answer = parser.get();
    return answer.result() == http::status::switching_protocols &&
           answer[http::field::sec_websocket_accept] == accept_key(key_);
}

void WebSocketClientLayer::wrap(std::span<const std::byte> bytes, Bytes& down) {
    if (state_ == State::open && !bytes.empty()) {
        stream_.wrap(bytes, down);
    }
}

void WebSocketClientLayer::end(Bytes& down) {
    if (state_ == State::open) {
        stream_.end(down);
    }
}

}  // namespace marchland::net
