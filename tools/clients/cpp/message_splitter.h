#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace marchland::client {

/// Cuts a byte stream into messages, each with its length prefix, wherever the reads happen to cut
/// it. Between two reads a connection holds only the piece of a message that has come so far: most
/// hold nothing, and one read buffer serves them all.
///
///     begin(bytes of one read)   next() until it is empty   end()
///
/// Bounds   A message of more than kMessageBytesMax breaks the stream, for good.
/// Cost     Messages are handed out where they lie. Copied are pieces, and what does not begin at a
///          multiple of 8, as the decoder needs it.
class MessageSplitter {
public:
    static constexpr std::size_t kMessageBytesMax = std::size_t{16} << 20U;

    /// `bytes` begin at a multiple of 8 and stay where they are until end().
    void begin(std::span<const std::byte> bytes);
    /// The next whole message, valid until the next call. `scratch` may be shared by all
    /// connections.
    std::optional<std::span<const std::byte>> next(std::vector<std::uint64_t>& scratch);
    void end();

    /// A length that no message has: nothing behind it can be read.
    [[nodiscard]] bool is_broken() const { return is_broken_; }

private:
    std::vector<std::byte> piece_;     ///< of the message that is not whole yet
    std::span<const std::byte> rest_;  ///< between begin() and end(): what next() has to look at
    bool is_broken_ = false;
};

}  // namespace marchland::client
