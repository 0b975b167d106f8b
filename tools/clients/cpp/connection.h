#pragma once

#include "net/transport/layer.h"
#include "tools/clients/cpp/address.h"
#include "tools/clients/cpp/message_splitter.h"
#include "tools/clients/cpp/way_in.h"
#include "tools/process/descriptor.h"

#include <cstddef>
#include <cstdint>
#include <optional>
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
    net::Layer::Bytes up;                ///< what layers made of the chunk
    net::Layer::Bytes between;           ///< what one layer gives to the next
};

/// One connection to a server, over TCP or in layers above it: messages in, messages out, never
/// blocking.
///
///     start() ──► writable: connect_error(), then open() ──► is_ready(): send() and read()
///                                       └─► readable: read(), while the layers shake hands ─┘
class Connection {
public:
    /// Begins to connect. Writable later means: connected, or failed, see connect_error().
    /// EINVAL: TLS cannot ask for a server of that name. `receive_bytes`: what the kernel may hold
    /// that was not read; 0: what it likes. `from`: which of this machine's addresses it comes
    /// from; nothing: the usual one.
    static std::variant<Connection, std::error_code> start(
        const Address& address, const WayIn& way = {}, int receive_bytes = 0,
        const std::optional<Address>& from = std::nullopt);
    /// The socket is connected: begins the handshakes, where there are any.
    void open();
    /// Are all handshakes done? With plain TCP always.
    [[nodiscard]] bool is_ready() const;

    [[nodiscard]] int fd() const { return socket_.fd(); }
    [[nodiscard]] bool is_open() const { return socket_.is_open(); }
    [[nodiscard]] std::error_code connect_error() const;

    /// Sends a whole message, or none of it: false when the kernel takes nothing. What the kernel
    /// took only a part of is completed by flush(), or the next send.
    bool send(std::span<const std::byte> message);
    /// Gives the kernel what waits; false when some still does.
    bool flush();
    /// Is there something to flush() once it is writable?
    [[nodiscard]] bool has_unsent() const { return !unsent_.empty(); }

    enum class Health : std::uint8_t {
        open,
        ended,   ///< the peer closed
        failed,  ///< reset, another error of the socket, or of a layer: see problem()
        broken,  ///< the stream is no messages
    };
    struct Read {
        Health health = Health::open;
        std::size_t bytes = 0;
    };

    /// Reads once, at most so many bytes, and calls `take(std::span<const std::byte>)` for each
    /// message that is whole. When `take` returns false, or closes the connection, the rest is
    /// dropped.
    template <typename Take>
    Read read(ReadBuffer& buffer, Take&& take, std::size_t bytes_max = ReadBuffer::kChunkBytes) {
        Read result = receive(buffer, bytes_max);
        if (result.bytes == 0) {
            return result;
        }
        std::span<const std::byte> stream =
            std::as_bytes(std::span(buffer.chunk)).first(result.bytes);
        if (!layers_.empty()) {
            result.health = take_up(stream, buffer);
            stream = buffer.up;
        }
        splitter_.begin(stream);
        while (const auto message = splitter_.next(buffer.aligned)) {
            if (!take(*message)) {
                break;
            }
        }
        splitter_.end();
        return {splitter_.is_broken() ? Health::broken : result.health, result.bytes};
    }

    /// What a layer found wrong; empty where it was the network, or nothing.
    [[nodiscard]] std::string problem() const;

    void close() { socket_.close(); }

private:
    Connection(process::Descriptor socket, const WayIn& way);

    Read receive(ReadBuffer& buffer, std::size_t bytes_max);
    Health take_up(std::span<const std::byte> from_socket, ReadBuffer& buffer);
    void send_down(net::Layer::Bytes bytes, std::size_t layers_below);

    process::Descriptor socket_;
    std::vector<std::unique_ptr<net::Layer>> layers_;  ///< from the socket up
    MessageSplitter splitter_;
    /// The rest of one message at most, and of what the layers answered.
    std::vector<std::byte> unsent_;
};

}  // namespace marchland::client
