#include "net/outbox.h"

#include "engine/assert.h"

#include <utility>

namespace marchland::net {

void Outbox::put_frame(std::span<const std::byte> frame) {
    MARCHLAND_ASSERT(frame_.empty() && sending_frame_.empty() && !frame.empty());
    frame_ = frame;
}

std::array<boost::asio::const_buffer, 2> Outbox::begin_send() {
    MARCHLAND_ASSERT(is_waiting() && !is_sending());
    std::swap(control_, sending_);
    sending_frame_ = std::exchange(frame_, {});
    return {boost::asio::const_buffer(sending_.data(), sending_.size()),
            boost::asio::const_buffer(sending_frame_.data(), sending_frame_.size())};
}

bool Outbox::end_send() {
    sending_.clear();
    return !std::exchange(sending_frame_, {}).empty();
}

void Outbox::trim(std::size_t bytes_kept) {
    for (auto* const buffer : {&control_, &sending_}) {
        if (buffer->empty() && buffer->capacity() > bytes_kept) {
            std::vector<std::byte>().swap(*buffer);
        }
    }
}

}  // namespace marchland::net
