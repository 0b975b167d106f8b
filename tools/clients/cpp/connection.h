#pragma once

#include "tools/clients/cpp/address.h"
#include "tools/clients/cpp/message_splitter.h"
#include "tools/process/descriptor.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <system_error>
#include <variant>
#include <vector>

namespace marchland::client {

/// What one read takes at most, shared by all connections: they are read one after another.
struct ReadBuffer {
    static constexpr std::size_t kChunkBytes = std::size_t{256} << 10U;

    std::vector<std::uint64_t> chunk = std::vector<std::uint64_t>(kChunkBytes / 8);
    std::vector<std::uint64_t> aligned;  ///< for MessageSplitter::next
};

/// One TCP connection to a server: messages in, messages out, never blocking.
class Connection {
public:
    /// Begins to connect. Writable later means: connected, or failed, see connect_error().
    static std::variant<Connection, std::error_code> start(const Address& address);

    [[nodiscard]] int fd() const { return socket_.fd(); }
    [[nodiscard]] bool is_open() const { return socket_.is_open(); }
    [[nodiscard]] std::error_code connect_error() const;

    /// Sends a whole message, or none of it: false when the kernel takes nothing. What the kernel
    /// took only a part of is completed by the next send.
    bool send(std::span<const std::byte> message);

    enum class Health : std::uint8_t {
        open,
        ended,   ///< the peer closed
        failed,  ///< reset, or another error of the socket
        broken,  ///< the stream is no messages
    };
    struct Read {
        Health health = Health::open;
        std::size_t bytes = 0;
    };

    /// Reads once and calls `take(std::span<const std::byte>)` for each message that is whole. When
    /// `take` returns false, or closes the connection, the rest is dropped.
    template <typename Take>
    Read read(ReadBuffer& buffer, Take&& take) {
        const Read result = receive(buffer);
        if (result.bytes == 0) {
            return result;
        }
        splitter_.begin(std::as_bytes(std::span(buffer.chunk)).first(result.bytes));
        while (const auto message = splitter_.next(buffer.aligned)) {
            if (!take(*message)) {
                break;
            }
        }
        splitter_.end();
        return {splitter_.is_broken() ? Health::broken : result.health, result.bytes};
    }

    void close() { socket_.close(); }

private:
    explicit Connection(process::Descriptor socket) : socket_(std::move(socket)) {}

    Read receive(ReadBuffer& buffer);
    bool flush();

    process::Descriptor socket_;
    MessageSplitter splitter_;
    std::vector<std::byte> unsent_;  ///< the rest of one message, at most
};

}  // namespace marchland::client
