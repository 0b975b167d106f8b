#pragma once

#include "net/server_options.h"
#include "net/transport/transport.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace marchland::net {

/// One connected TCP socket of a SocketIo's, which outlives it: the peer's bytes are those of the
/// socket, and what is sent goes there as it is.
class IoSocket : public Transport {
public:
    void shut_down() override;
    void reset() override;

    [[nodiscard]] bool is_open() const { return fd_ >= 0; }
    [[nodiscard]] bool has_unread() const override;
    /// Has the other end sent that no more follows, or broken the connection, with nothing unread
    /// before that?
    [[nodiscard]] virtual bool has_ended() const;
    [[nodiscard]] std::string peer() const override;

protected:
    IoSocket(boost::asio::ip::tcp::socket socket, const boost::asio::ip::tcp::endpoint& from);
    /// The first `bytes` of them were sent.
    static void advance(Buffers& buffers, std::size_t bytes);

    const boost::asio::ip::tcp::endpoint from_;
    int fd_;
};

/// What one I/O thread does with the sockets of its clients, for all of them together: it looks at
/// them at most once in `batch`, since messages of a thousand clients come spread over a tick, and
/// to wake up for each costs more than to read it; and where the kernel can be given many sends at
/// once, all that one wake-up brings are one call.
///
///     a look called somebody  the next is `batch` later
///     nobody                  it waits for the first event, and looks at once
///
/// Two implement it, and their users cannot see which: EpollIo (a call for each read and send) and
/// UringIo (io_uring: a call for each look, which takes in what came and hands over what is to be
/// sent).
///
/// Who wakes whom: Asio's io_context is the I/O thread's only loop. Both implementations have a
/// descriptor that becomes readable with the first event: the epoll, or an eventfd of the ring.
/// Asio knows it only while that is waited for, and has a timer instead while a look is due: else
/// each event would wake the loop, batch or not. So mail, timers and posted work wake the thread as
/// ever. What is to be sent wakes nobody: whoever sends runs in the loop, and a look follows it
/// there.
///
/// Threads  One I/O thread's, but for the constructor and adopt().
/// Latency  What comes waits `batch` at most; on a server with little to do it does not wait.
class SocketIo {
public:
    /// `batch` 0: it looks as soon as anything comes. Throws boost::system::system_error when the
    /// system gives no descriptor; for io_uring, when it gives none of that.
    static std::unique_ptr<SocketIo> make(ServerOptions::Io kind, boost::asio::io_context& io,
                                          std::chrono::microseconds batch);
    SocketIo(const SocketIo&) = delete;
    SocketIo& operator=(const SocketIo&) = delete;
    virtual ~SocketIo() = default;

    /// The socket is connected; Asio knows it no more from here on. `from`: who is at the other
    /// end.
    virtual std::unique_ptr<IoSocket> adopt(boost::asio::ip::tcp::socket socket,
                                            const boost::asio::ip::tcp::endpoint& from) = 0;

    /// Begins to look, unless it does already: also after somebody whom a look called threw.
    void resume();
    /// Looks no more. All sockets are closed; what the kernel does for them yet is over when this
    /// returns.
    virtual void close();

    [[nodiscard]] boost::asio::io_context& io() { return io_; }
    /// How often it asked the kernel what there is.
    [[nodiscard]] std::uint64_t looks_total() const { return looks_total_; }
    /// For the log: which it is, and if not the first choice, why.
    [[nodiscard]] const std::string& name() const { return name_; }

protected:
    enum class Found : std::uint8_t { nothing, something, more };

    SocketIo(std::string name, boost::asio::io_context& io, std::chrono::microseconds batch)
        : io_(io), name_(std::move(name)), batch_(batch), first_event_(io), timer_(io) {}

    /// Asks the kernel, and calls the sockets' users. Users may close any socket, and throw: then
    /// the next look goes on with the others. What was found to be read counts.
    virtual Found look() = 0;
    /// What becomes readable with the first event after await_event(), which returns whether there
    /// is none yet.
    [[nodiscard]] virtual int descriptor() const = 0;
    [[nodiscard]] virtual bool await_event() { return true; }
    /// A look before the next is due; if somebody read, that is `batch` later than this.
    void look_early();
    [[nodiscard]] bool is_closed() const { return is_closed_; }

    boost::asio::io_context& io_;
    std::uint64_t looks_total_ = 0;

private:
    void look_and_wait();
    void wait(std::chrono::microseconds pause);
    void wait_for_event();

    std::string name_;
    const std::chrono::microseconds batch_;
    boost::asio::posix::stream_descriptor first_event_;  ///< while that is waited for
    boost::asio::steady_timer timer_;
    bool is_waiting_ = false;
    bool is_closed_ = false;
};

[[noreturn]] void throw_system_error(int error, const char* what);

/// Opens it, and binds it to the address, which is numeric: no name is looked up.
boost::system::error_code bind_to(boost::asio::ip::tcp::acceptor& acceptor,
                                  const std::string& address, std::uint16_t port);

/// "127.0.0.1:50000"
std::string text_of(const boost::asio::ip::tcp::endpoint& endpoint);

}  // namespace marchland::net
