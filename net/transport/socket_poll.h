#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>
#include <sys/epoll.h>

namespace marchland::net {

class PolledSocket;

/// Which sockets of one I/O thread have something to be read, or room to write? It asks the kernel at most once in
/// `batch`, for all sockets together: messages of a thousand clients come spread over a tick, and to wake up for each
/// costs more than to read it.
///
///     the last look had something for nobody    wait for the first event, and look at once
///     for somebody                              look again when `batch` is over
///
/// Threads  One I/O thread's, but for the constructor.
/// Bounds   kEventsMax sockets in one look; where there were so many, the next look follows at once.
/// Latency  What comes waits `batch` at most; on a server with little to do it does not wait.
/// Cost     One epoll_wait for each look, one epoll_ctl for each socket. No memory is allocated for a socket's event.
class SocketPoll {
public:
    static constexpr std::size_t kEventsMax = 1'024;

    /// `batch` 0: it looks as soon as anything comes. Throws boost::system::system_error when the system gives
    /// no descriptor.
    SocketPoll(boost::asio::io_context& io, std::chrono::microseconds batch);
    SocketPoll(const SocketPoll&) = delete;
    SocketPoll& operator=(const SocketPoll&) = delete;
    ~SocketPoll();

    /// Begins to look, unless it does already: also after what a look told somebody threw.
    void resume();
    /// Looks no more.
    void close();

    [[nodiscard]] boost::asio::io_context& io() { return io_; }
    /// How often it asked the kernel.
    [[nodiscard]] std::uint64_t looks_total() const { return looks_total_; }

private:
    friend class PolledSocket;

    void look();
    [[nodiscard]] bool tell();
    void wait(std::chrono::microseconds pause);
    void wait_for_event();
    void control(int operation, PolledSocket& socket);
    void forget(const PolledSocket& socket);

    boost::asio::io_context& io_;
    const std::chrono::microseconds batch_;
    const int epoll_;
    boost::asio::posix::stream_descriptor
        first_event_;  ///< epoll_, while the first event is waited for
    boost::asio::steady_timer timer_;
    std::array<epoll_event, kEventsMax>
        events_;  ///< of the last look; those of sockets that are gone are of nobody
    std::size_t event_count_ = 0;
    std::size_t next_event_ = 0;  ///< those before were told
    std::uint64_t looks_total_ = 0;
    bool is_waiting_ = false;
    bool is_closed_ = false;
};

/// One connected TCP socket that a SocketPoll looks at.
///
/// Threads  Made by any; from the first await_*() on its poll's.
/// Life     The poll outlives it. It may be destroyed by what it tells.
/// Cost     A message that fits into the space of a read takes one system call.
class PolledSocket {
public:
    using Buffers = std::array<boost::asio::const_buffer, 2>;

    class User {
    public:
        virtual void on_readable() = 0;
        virtual void on_writable() = 0;

    protected:
        ~User() = default;
    };

    /// The socket is connected and does not block; Asio knows it no more from here on. `from`: who is at the other end.
    PolledSocket(SocketPoll& poll, boost::asio::ip::tcp::socket socket,
                 const boost::asio::ip::tcp::endpoint& from, User& user);
    PolledSocket(const PolledSocket&) = delete;
    PolledSocket& operator=(const PolledSocket&) = delete;
    ~PolledSocket() { close(); }

    /// Tells on_readable() once, in a later look, when there may be something: bytes, the end, an error.
    void await_readable();
    /// After a write() that took less than it was given: tells on_writable() once, in a later look.
    void await_writable();

    /// `would_block`, `eof` and all others as of Asio. The space is not empty.
    std::size_t read(std::span<std::byte> space, boost::system::error_code& error);
    /// As much as the kernel takes.
    std::size_t write(const Buffers& buffers, boost::system::error_code& error);

    /// Nothing more is written. That it is not connected any more is no error: the read says so.
    void shut_down();
    /// Nobody is told anything any more. What the kernel holds unsent is still sent.
    void close();
    /// Likewise, and what the kernel holds unsent is thrown away.
    void reset();

    [[nodiscard]] bool is_open() const { return fd_ >= 0; }
    /// Did bytes come that were not read?
    [[nodiscard]] bool has_unread() const;
    /// Has the other end said that no more follows, or broken the connection, with nothing unread before that?
    [[nodiscard]] bool has_ended() const;
    /// Who is at the other end, for the log.
    [[nodiscard]] std::string peer() const;

private:
    friend class SocketPoll;

    void await();

    SocketPoll& poll_;
    User& user_;
    const boost::asio::ip::tcp::endpoint from_;
    int fd_;
    bool is_added_ = false;  ///< to the poll
    bool may_read_ = false;  ///< an event said so, and no read has found the end of it
    bool has_hung_up_ = false;
    bool awaits_readable_ = false;
    bool awaits_writable_ = false;
};

/// "127.0.0.1:50000"
std::string text_of(const boost::asio::ip::tcp::endpoint& endpoint);

}  // namespace marchland::net
