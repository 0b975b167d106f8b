#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/system/error_code.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace marchland::net {

/// How one connection carries a stream of bytes each way: over plain TCP (IoSocket), or in layers
/// above it (LayeredTransport).
///
/// Nothing queues here: there is one send at a time, and until all of it is with the kernel the
/// session lets no next frame be made. So a slow client gets fewer and newer frames over every
/// transport, as long as the kernel keeps little unsent (TCP_NOTSENT_LOWAT, which the listener sets
/// on the socket below).
///
/// Threads  Made by any; from attach() on one I/O thread's.
/// Life     Its user keeps it, and close()s it before either goes, once it has awaited or sent
///          something: it may be destroyed inside a call that it makes.
/// Cost     Of plain TCP: a virtual call or two. What is sent is not copied, and no memory is
///          allocated for it.
class Transport : public std::enable_shared_from_this<Transport> {
public:
    using Buffers = std::array<boost::asio::const_buffer, 2>;

    /// Whom it notifies: a session's connection.
    class User {
    public:
        virtual void on_readable() = 0;
        /// All of it is with the kernel, or nothing more will be.
        virtual void on_sent(const boost::system::error_code& error) = 0;

    protected:
        ~User() = default;
    };
    /// `wire_bytes` came from the network for the peer's `bytes`: more, or without any of them,
    /// where layers need bytes of their own.
    struct Read {
        std::size_t bytes = 0;
        std::size_t wire_bytes = 0;
    };

    Transport() = default;
    Transport(const Transport&) = delete;
    Transport& operator=(const Transport&) = delete;
    virtual ~Transport() = default;

    /// Once, before all else.
    void attach(User& user) { user_ = &user; }

    /// Calls on_readable() once, later, when there may be something: bytes, the end, an error.
    virtual void await_readable() = 0;
    /// `would_block`, `eof` and all others as of Asio; an error but the first is the end of what
    /// the peer sends, in order or not. `connection_aborted`: it broke a layer's rules. The space
    /// is not empty.
    virtual Read read(std::span<std::byte> space, boost::system::error_code& error) = 0;

    /// Sends both buffers, which are not both empty, in their order; one send at a time. True: all
    /// of it is with the kernel. False, without an error: on_sent() comes later. `holder` holds the
    /// bytes, and the user: it is let go of after that, when the kernel needs them no more, which
    /// may be after close(). An error is the connection's end.
    virtual bool send(const Buffers& buffers, std::shared_ptr<const void> holder,
                      boost::system::error_code& error) = 0;
    /// After the last send: nothing more follows. Reading goes on. That it is not connected any
    /// more is no error: the read reports it.
    virtual void shut_down() = 0;

    /// Nobody is called any more. What the kernel holds unsent is still sent.
    virtual void close() = 0;
    /// Likewise, and what the kernel holds unsent is thrown away.
    virtual void reset() = 0;

    /// How long it waited for this end to do its work, not for the peer.
    [[nodiscard]] virtual std::chrono::steady_clock::duration waited(
        std::chrono::steady_clock::time_point) const {
        return {};
    }
    /// Does it so now?
    [[nodiscard]] virtual bool is_waiting_for_turn() const { return false; }
    /// Did bytes come that were not read?
    [[nodiscard]] virtual bool has_unread() const { return false; }

    /// Once in a while: gives memory back that nothing is in, where a buffer has more than this.
    virtual void trim(std::size_t) {}
    /// What its buffers have taken of memory.
    [[nodiscard]] virtual std::size_t memory_bytes() const { return 0; }
    /// What the other end did wrong, where a layer can name it; else empty.
    [[nodiscard]] virtual std::string failure() const { return ""; }

    /// Who is at the other end, for the log: "127.0.0.1:50000".
    [[nodiscard]] virtual std::string peer() const = 0;

protected:
    User* user_ = nullptr;
};

}  // namespace marchland::net
