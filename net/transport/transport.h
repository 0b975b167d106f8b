#pragma once

#include "net/transport/socket_io.h"

#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace marchland::net {

/// Whom a transport notifies of what came of an operation: a session.
class TransportUser {
public:
    virtual ~TransportUser() = default;

    /// The first `bytes` of the space that was given are the client's; `wire_bytes` came from the
    /// network for them: more, or without any of them, where layers need bytes of their own. An error
    /// is the end of what the client sends, in order or not; `connection_aborted`: it broke a layer's rules.
    virtual void on_read(const boost::system::error_code& error, std::size_t bytes,
                         std::size_t wire_bytes) = 0;
    /// All that send() was given is with the kernel, or nothing more will be.
    virtual void on_sent(const boost::system::error_code& error) = 0;
};

/// How one connection carries a stream of bytes each way: over plain TCP, or in layers above it.
///
/// Nothing queues here: there is one send at a time, and until all of it is with the kernel the session lets no
/// next frame be made. So a slow client gets fewer and newer frames over every transport, as long as the kernel
/// keeps little unsent (TCP_NOTSENT_LOWAT, which the listener sets on the socket below).
///
/// Threads  One I/O thread.
/// Life     A pending operation holds its user, and so the transport that the user holds.
/// Cost     Of plain TCP: a virtual call or two. What is sent is not copied, and no memory is allocated for it.
class Transport : public std::enable_shared_from_this<Transport> {
public:
    using Buffers = IoSocket::Buffers;

    virtual ~Transport() = default;

    /// Reads some bytes; one read at a time. The space must stay until on_read.
    virtual void async_read(std::span<std::byte> space, std::shared_ptr<TransportUser> user) = 0;

    /// Sends both buffers, which are not both empty, in their order; one send at a time. True: all of it is with
    /// the kernel. False, without an error: on_sent() comes later; until then the bytes stay where they are; `user`
    /// holds them. An error is the connection's end.
    virtual bool send(const Buffers& buffers, std::shared_ptr<TransportUser> user,
                      boost::system::error_code& error) = 0;

    /// The end of what is sent, in order; no send is under way. Reading goes on.
    virtual void shut_down() = 0;
    /// Ends pending operations: nobody is notified. What the kernel took is still sent.
    virtual void close() = 0;
    /// Likewise, and what the kernel took is thrown away.
    virtual void reset() = 0;

    /// How long it waited for this end to do its work, not for the peer.
    [[nodiscard]] virtual std::chrono::steady_clock::duration waited(
        std::chrono::steady_clock::time_point) const {
        return {};
    }
    /// Does it so now?
    [[nodiscard]] virtual bool is_waiting_for_turn() const { return false; }
    /// Is there something of the peer's that was not read?
    [[nodiscard]] virtual bool has_unread() const { return false; }

    /// Once in a while: gives memory back that nothing is in, where a buffer has more than this.
    virtual void trim(std::size_t) {}
    /// What its buffers have taken of memory.
    [[nodiscard]] virtual std::size_t memory_bytes() const { return 0; }
    /// What the other end did wrong, where a layer can name it; else empty.
    [[nodiscard]] virtual std::string failure() const { return ""; }

    /// Who is at the other end, for the log: "127.0.0.1:50000".
    [[nodiscard]] virtual std::string peer() const = 0;
};

}  // namespace marchland::net
