#include "net/outbox.h"

#include "engine/assert.h"

#include <algorithm>

namespace marchland::net {

void Outbox::push(std::span<const std::byte> message) {
    control_.insert(control_.end(), message.begin(), message.end());
}

void Outbox::put_frame(std::span<const std::byte> frame) {
    MARCHLAND_ASSERT(frame_.empty() && !frame.empty());
    frame_ = frame;
}

void Outbox::drop_frame_if_not_begun() {
    if (!frame_is_begun_) {
        frame_ = {};
    }
}

std::array<boost::asio::const_buffer, 2> Outbox::buffers() const {
    const boost::asio::const_buffer control(control_.data(), control_.size());
    const boost::asio::const_buffer frame(frame_.data(), frame_.size());
    if (frame_is_begun_) {
        return {frame, control};
    }
    return {control, frame};
}

bool Outbox::consume(std::size_t bytes) {
    MARCHLAND_ASSERT(bytes <= this->bytes());
    if (!frame_is_begun_) {
        const std::size_t of_control = std::min(bytes, control_.size());
        consume_control(of_control);
        bytes -= of_control;
    }
    const std::size_t of_frame = std::min(bytes, frame_.size());
    const bool had_frame = !frame_.empty();
    frame_ = frame_.subspan(of_frame);
    frame_is_begun_ = !frame_.empty() && (frame_is_begun_ || of_frame > 0);
    consume_control(bytes - of_frame);
    return had_frame && frame_.empty();
}

void Outbox::consume_control(std::size_t bytes) {
    control_.erase(control_.begin(), control_.begin() + static_cast<std::ptrdiff_t>(bytes));
}

}  // namespace marchland::net
