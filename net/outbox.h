#pragma once

#include <boost/asio/buffer.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace marchland::net {

/// What is to be sent to one client: control messages (all but frames), and at most one frame. All
/// that waits goes in one send, control messages first, and stays in place until that is over;
/// meanwhile the next waits.
///
/// Bounds   Whoever pushes control messages asks has_room() first; Welcome and Error, which come
///          once each, may go over it.
class Outbox {
public:
    /// Pongs to a client that does not read: past it the connection ends.
    static constexpr std::size_t kControlBytesMax = std::size_t{32} * 1024;

    /// From here on there is room for so much.
    void widen(std::size_t control_bytes_max) { control_bytes_max_ = control_bytes_max; }
    [[nodiscard]] bool has_room(std::size_t bytes) const {
        return control_bytes() + bytes <= control_bytes_max_;
    }
    void push(std::span<const std::byte> message) {
        control_.insert(control_.end(), message.begin(), message.end());
    }
    /// The bytes stay the caller's, and in place until end_send() or drop_frame() releases them.
    void put_frame(std::span<const std::byte> frame);
    /// Gives a frame up that waits; one that is being sent stays.
    void drop_frame() { frame_ = {}; }

    /// Is there something that is not being sent?
    [[nodiscard]] bool is_waiting() const { return !control_.empty() || !frame_.empty(); }
    [[nodiscard]] bool is_sending() const { return !sending_.empty() || !sending_frame_.empty(); }
    [[nodiscard]] bool is_empty() const { return !is_waiting() && !is_sending(); }
    /// All that waits is sent now: here it is.
    [[nodiscard]] std::array<boost::asio::const_buffer, 2> begin_send();
    /// True: a frame was in it.
    bool end_send();

    /// Of all, and of what is being sent.
    [[nodiscard]] std::size_t bytes() const {
        return control_.size() + frame_.size() + sending_bytes();
    }
    [[nodiscard]] std::size_t sending_bytes() const {
        return sending_.size() + sending_frame_.size();
    }
    [[nodiscard]] std::size_t control_bytes() const { return control_.size() + sending_.size(); }

    /// Gives memory back that nothing is in, where it is more than this.
    void trim(std::size_t bytes_kept);
    [[nodiscard]] std::size_t memory_bytes() const {
        return control_.capacity() + sending_.capacity();
    }

private:
    std::size_t control_bytes_max_ = kControlBytesMax;
    std::vector<std::byte> control_;
    std::span<const std::byte> frame_;
    std::vector<std::byte> sending_;  ///< control messages
    std::span<const std::byte> sending_frame_;
};

}  // namespace marchland::net
