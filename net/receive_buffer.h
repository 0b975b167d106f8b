#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace marchland::net {

/// Cuts one connection's stream into messages: a length prefix (u32, little-endian, of what follows
/// it) and that many bytes, again and again.
///
///     |  given out  | whole message | part of one |   writable   |
///     0             begin                         end            capacity
///
/// Every message begins at a multiple of 8 when it is given out, as FlatBuffers needs it: one that
/// does not is moved down by up to 7 bytes, over what was given out before.
///
/// Bounds   One prefix and message_bytes_max, rounded up to 8, whatever the stream says.
/// Cost     O(bytes): each is moved at most twice.
class ReceiveBuffer {
public:
    enum class Next {
        incomplete,  ///< more bytes are needed
        message,     ///< `message` is one
        too_large,   ///< the prefix is over the limit: the stream cannot be read on
    };

    explicit ReceiveBuffer(std::size_t message_bytes_max);

    /// Is writable() not empty? Always so once next() returned `incomplete`.
    [[nodiscard]] bool has_room() const { return end_ - begin_ < capacity_; }
    /// Where to receive to.
    [[nodiscard]] std::span<std::byte> writable();
    /// The first `bytes` of writable() were received.
    void commit(std::size_t bytes);

    /// The next whole message, its prefix included; valid until the next call of any method.
    [[nodiscard]] Next next(std::span<const std::byte>& message);

    /// From here on messages may be larger; what is held stays. The limit only grows.
    void widen(std::size_t message_bytes_max);
    [[nodiscard]] std::size_t message_bytes_max() const { return message_bytes_max_; }
    [[nodiscard]] std::size_t memory_bytes() const { return capacity_; }

    /// Forgets what it holds.
    void clear() { begin_ = end_ = 0; }

private:
    /// Prefix and message at begin_; the prefix alone while it is not there.
    [[nodiscard]] std::size_t wanted_bytes() const;

    std::size_t message_bytes_max_;
    std::size_t capacity_;
    std::unique_ptr<std::byte[]> bytes_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

}  // namespace marchland::net
