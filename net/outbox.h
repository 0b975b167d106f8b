#pragma once

#include <boost/asio/buffer.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace marchland::net {

/// What waits to be sent to one client: control messages (all but frames), and at most one frame,
/// gathered into one write.
///
///     control | frame        what was not begun goes out in this order;
///     rest of frame | control   a frame that was begun is finished first
///
/// Bounds   Whoever pushes control messages asks has_room() first; Welcome and Error, which come
///          once each, may go over it.
class Outbox {
public:
    /// Pongs to a client that does not read: about a hundred.
    static constexpr std::size_t kControlBytesMax = std::size_t{8} * 1024;

    /// From here on there is room for so much.
    void widen(std::size_t control_bytes_max) { control_bytes_max_ = control_bytes_max; }
    [[nodiscard]] bool has_room(std::size_t bytes) const {
        return control_.size() + bytes <= control_bytes_max_;
    }
    void push(std::span<const std::byte> message);

    /// The bytes stay the caller's, and in place until consume() or drop_frame() says so.
    void put_frame(std::span<const std::byte> frame);
    /// Gives a frame up of which no byte was sent; one that was begun stays.
    void drop_frame_if_not_begun();

    /// Gives memory back that nothing is in, where it is more than this.
    void trim(std::size_t bytes_kept) {
        if (control_.empty() && control_.capacity() > bytes_kept) {
            control_ = {};
        }
    }
    [[nodiscard]] std::size_t memory_bytes() const { return control_.capacity(); }

    [[nodiscard]] bool is_empty() const { return control_.empty() && frame_.empty(); }
    [[nodiscard]] std::array<boost::asio::const_buffer, 2> buffers() const;
    [[nodiscard]] std::size_t bytes() const { return control_.size() + frame_.size(); }
    [[nodiscard]] std::size_t control_bytes() const { return control_.size(); }

    /// The first `bytes` of buffers() were sent. True when that was the end of the frame.
    bool consume(std::size_t bytes);

private:
    void consume_control(std::size_t bytes);

    std::size_t control_bytes_max_ = kControlBytesMax;
    std::vector<std::byte> control_;
    std::span<const std::byte> frame_;  ///< what is not sent of it
    bool frame_is_begun_ = false;
};

}  // namespace marchland::net
