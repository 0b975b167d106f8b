#include "tools/clients/cpp/message_splitter.h"

#include "engine/assert.h"
#include "net/wire_values.h"

#include <cstring>

namespace marchland::client {
namespace {

bool is_aligned(std::span<const std::byte> bytes) {
    return reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(std::uint64_t) == 0;
}

}  // namespace

void MessageSplitter::begin(std::span<const std::byte> bytes) {
    MARCHLAND_ASSERT(rest_.empty());
    if (piece_.empty()) {
        rest_ = bytes;
        return;
    }
    piece_.insert(piece_.end(), bytes.begin(), bytes.end());
    rest_ = piece_;
}

std::optional<std::span<const std::byte>> MessageSplitter::next(
    std::vector<std::uint64_t>& scratch) {
    if (is_broken_ || rest_.size() < net::kLengthPrefixBytes) {
        return std::nullopt;
    }
    const std::size_t length = net::read_length(rest_.data());
    if (length == 0 || length > kMessageBytesMax) {
        is_broken_ = true;
        return std::nullopt;
    }
    const std::size_t whole = net::kLengthPrefixBytes + length;
    if (rest_.size() < whole) {
        return std::nullopt;
    }
    const std::span<const std::byte> message = rest_.first(whole);
    rest_ = rest_.subspan(whole);
    if (is_aligned(message)) {
        return message;
    }
    scratch.resize((whole + 7) / 8);
    std::memcpy(scratch.data(), message.data(), whole);
    return std::as_bytes(std::span(scratch)).first(whole);
}

void MessageSplitter::end() {
    // rest_ may lie in piece_: assign() from itself is not allowed, erase() is.
    const bool is_in_piece = !piece_.empty();
    if (is_in_piece) {
        piece_.erase(piece_.begin(), piece_.end() - static_cast<std::ptrdiff_t>(rest_.size()));
    } else {
        piece_.assign(rest_.begin(), rest_.end());
    }
    rest_ = {};
}

}  // namespace marchland::client
