#include "net/transport/web_socket_layer.h"

#include "engine/assert.h"
#include "net/wire_values.h"

#include <algorithm>
#include <string_view>

namespace marchland::net {

namespace {

constexpr std::string_view kEndOfRequest = "\r\n\r\n";

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

}  // namespace

void WebSocketLayer::take(std::span<const std::byte> below, Bytes& up, Bytes& down) {
    if (state_ == State::opening) {
        below = below.subspan(take_request(below, down));
    }
    if (state_ == State::open && !below.empty()) {
        state_ = stream_.take(below, up, down);
    }
}

std::size_t WebSocketLayer::take_request(std::span<const std::byte> below, Bytes& down) {
    const std::size_t had = request_.size();
    const std::size_t room = kUpgradeBytesMax + 1 - had;
    request_.append(reinterpret_cast<const char*>(below.data()), std::min(room, below.size()));
    // The end may have begun in what was there before.
    const std::size_t end =
        request_.find(kEndOfRequest, had - std::min(had, kEndOfRequest.size() - 1));
    if (end == std::string::npos && request_.size() <= kUpgradeBytesMax) {
        return below.size();
    }
    const bool is_whole =
        end != std::string::npos && end + kEndOfRequest.size() <= kUpgradeBytesMax;
    const std::size_t bytes = is_whole ? end + kEndOfRequest.size() : request_.size();
    const UpgradeAnswer answer =
        is_whole ? answer_upgrade({request_.data(), bytes}, rule_) : refuse_too_large_upgrade();
    append(answer.text, down);
    failure_ = answer.failure;
    state_ = answer.is_upgraded ? State::open : State::failed;
    request_.clear();
    request_.shrink_to_fit();
    return bytes - had;
}

void WebSocketLayer::wrap(std::span<const std::byte> bytes, Bytes& down) {
    while (state_ == State::open && !bytes.empty()) {
        const std::size_t message = message_bytes(bytes);
        stream_.wrap(bytes.first(message), down);
        bytes = bytes.subspan(message);
    }
}

void WebSocketLayer::end(Bytes& down) {
    if (state_ == State::open) {
        stream_.end(down);
    }
}

}  // namespace marchland::net
