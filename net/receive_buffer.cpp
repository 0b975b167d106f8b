#include "net/receive_buffer.h"

#include "engine/assert.h"
#include "net/wire_values.h"

#include <cstring>
#include <utility>

namespace marchland::net {

namespace {

constexpr std::size_t kAlignment = 8;
static_assert(__STDCPP_DEFAULT_NEW_ALIGNMENT__ >= kAlignment);

constexpr std::size_t round_up(std::size_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

ReceiveBuffer::ReceiveBuffer(std::size_t message_bytes_max)
    : message_bytes_max_(message_bytes_max),
      capacity_(round_up(kLengthPrefixBytes + message_bytes_max)),
      bytes_(std::make_unique_for_overwrite<std::byte[]>(capacity_)) {}

std::span<std::byte> ReceiveBuffer::writable() {
    const std::size_t held = end_ - begin_;
    if (begin_ > 0) {
        std::memmove(bytes_.get(), bytes_.get() + begin_, held);
        begin_ = 0;
        end_ = held;
    }
    MARCHLAND_ASSERT(held < capacity_);
    return {bytes_.get() + end_, capacity_ - end_};
}

void ReceiveBuffer::commit(std::size_t bytes) {
    MARCHLAND_ASSERT(bytes <= capacity_ - end_);
    end_ += bytes;
}

ReceiveBuffer::Next ReceiveBuffer::next(std::span<const std::byte>& message) {
    const std::size_t wanted = wanted_bytes();
    if (wanted > kLengthPrefixBytes + message_bytes_max_) {
        return Next::too_large;
    }
    if (end_ - begin_ < wanted) {
        return Next::incomplete;
    }
    std::byte* const at = bytes_.get() + begin_;
    std::byte* const aligned_at = bytes_.get() + begin_ / kAlignment * kAlignment;
    if (at != aligned_at) {
        std::memmove(aligned_at, at, wanted);
    }
    message = {aligned_at, wanted};
    begin_ += wanted;
    return Next::message;
}

void ReceiveBuffer::widen(std::size_t message_bytes_max) {
    if (message_bytes_max <= message_bytes_max_) {
        return;
    }
    ReceiveBuffer wider(message_bytes_max);
    std::memcpy(wider.bytes_.get(), bytes_.get() + begin_, end_ - begin_);
    wider.end_ = end_ - begin_;
    *this = std::move(wider);
}

std::size_t ReceiveBuffer::wanted_bytes() const {
    if (end_ - begin_ < kLengthPrefixBytes) {
        return kLengthPrefixBytes;
    }
    return kLengthPrefixBytes + read_length(bytes_.get() + begin_);
}

}  // namespace marchland::net
