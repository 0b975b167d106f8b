#include "net/transport/epoll_io.h"

#include "engine/assert.h"

#include <boost/asio/error.hpp>

#include <cerrno>
#include <unistd.h>
#include <utility>
#include <sys/socket.h>
#include <sys/uio.h>

namespace marchland::net {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

/// Edges: a socket that nobody reads reports it once, and not in each look.
constexpr std::uint32_t kAllEvents = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
constexpr std::uint32_t kEnds = EPOLLRDHUP | EPOLLHUP | EPOLLERR;

error_code last_error() {
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
        return asio::error::would_block;
    }
    return {errno, boost::system::system_category()};
}

int make_epoll() {
    const int fd = ::epoll_create1(EPOLL_CLOEXEC);
    if (fd < 0) {
        throw_system_error(errno, "epoll");
    }
    return fd;
}

}  // namespace

class EpollSocket final : public IoSocket {
public:
    EpollSocket(EpollIo& io, asio::ip::tcp::socket socket, const asio::ip::tcp::endpoint& from)
        : IoSocket(std::move(socket), from), io_(io) {}
    ~EpollSocket() override { close_fd(); }

    void await_readable() override;
    Read read(std::span<std::byte> space, error_code& error) override;
    bool send(const Buffers& buffers, std::shared_ptr<const void> holder,
              error_code& error) override;
    void close() override { close_fd(); }

private:
    friend class EpollIo;

    void note(std::uint32_t events);
    // Its user may be notified, and it may be gone.
    void tell_sent();
    [[nodiscard]] bool tell_readable();
    void await_event();
    bool send_unsent(error_code& error);
    void close_fd();

    EpollIo& io_;
    bool is_added_ = false;  ///< to the epoll
    bool may_read_ = false;  ///< an event reported it, and no read has found the end of it
    bool may_send_ = false;  ///< the last event reported it
    bool has_hung_up_ = false;
    bool awaits_readable_ = false;
    bool is_sending_ = false;
    Buffers unsent_;
    std::shared_ptr<const void> holder_;  ///< of what is unsent
};

EpollIo::EpollIo(asio::io_context& io, std::chrono::microseconds batch)
    : SocketIo("epoll", io, batch), epoll_(make_epoll()) {}

EpollIo::~EpollIo() {
    close();
    ::close(epoll_);
}

std::unique_ptr<IoSocket> EpollIo::adopt(asio::ip::tcp::socket socket,
                                         const asio::ip::tcp::endpoint& from) {
    return std::make_unique<EpollSocket>(*this, std::move(socket), from);
}

SocketIo::Found EpollIo::look() {
    if (next_event_ == event_count_) {  // else somebody threw in the last look
        next_event_ = 0;
        const int count = ::epoll_wait(epoll_, events_.data(), kEventsMax, 0);
        MARCHLAND_ASSERT(count >= 0 || errno == EINTR);
        event_count_ = count > 0 ? static_cast<std::size_t>(count) : 0;
        ++looks_total_;
    }
    bool has_something = false;
    for (; next_event_ < event_count_; ++next_event_) {
        epoll_event& event = events_[next_event_];
        const std::uint32_t what = event.events;
        event.events = 0;  // once, also if somebody throws
        if (auto* const socket = static_cast<EpollSocket*>(event.data.ptr)) {
            socket->note(what);
            socket->tell_sent();
        }
        if (auto* const socket = static_cast<EpollSocket*>(event.data.ptr)) {
            has_something |= socket->tell_readable();
        }
    }
    return event_count_ == kEventsMax ? Found::more
           : has_something            ? Found::something
                                      : Found::nothing;
}

void EpollIo::control(int operation, EpollSocket& socket) {
    epoll_event event{};
    event.events = kAllEvents;
    event.data.ptr = &socket;
    if (::epoll_ctl(epoll_, operation, socket.fd_, &event) != 0) {
        throw_system_error(errno, "epoll_ctl");
    }
}

void EpollIo::forget(const EpollSocket& socket) {
    for (std::size_t i = next_event_; i < event_count_; ++i) {
        if (events_[i].data.ptr == &socket) {
            events_[i].data.ptr = nullptr;
        }
    }
}

void EpollSocket::note(std::uint32_t events) {
    has_hung_up_ |= (events & kEnds) != 0;
    may_read_ |= (events & (EPOLLIN | kEnds)) != 0;
    may_send_ = (events & (EPOLLOUT | kEnds)) != 0;
}

void EpollSocket::tell_sent() {
    error_code error;
    if (is_sending_ && may_send_ && (send_unsent(error) || error)) {
        is_sending_ = false;
        const auto held = std::exchange(holder_, nullptr);
        user_->on_sent(error);
    }
}

bool EpollSocket::tell_readable() {
    if (!may_read_ || !std::exchange(awaits_readable_, false)) {
        return false;
    }
    user_->on_readable();
    return true;
}

void EpollSocket::await_readable() {
    awaits_readable_ = true;
    await_event();
}

/// What is known to be there makes no new edge: the kernel is asked to report it again.
void EpollSocket::await_event() {
    if (!is_open()) {
        return;
    }
    if (!is_added_) {
        io_.control(EPOLL_CTL_ADD, *this);
        is_added_ = true;
    } else if (awaits_readable_ && may_read_) {
        io_.control(EPOLL_CTL_MOD, *this);
    }
}

/// Less than there was space for is all there was: what comes later makes an edge. But the end
/// makes none after its own.
Transport::Read EpollSocket::read(std::span<std::byte> space, error_code& error) {
    const ssize_t bytes = ::recv(fd_, space.data(), space.size(), MSG_DONTWAIT);
    may_read_ = bytes == static_cast<ssize_t>(space.size()) || has_hung_up_;
    if (bytes > 0) {
        error = {};
        return {static_cast<std::size_t>(bytes), static_cast<std::size_t>(bytes)};
    }
    error = bytes == 0 ? error_code(asio::error::eof) : last_error();
    if (error == asio::error::would_block) {
        may_read_ = false;
    }
    return {};
}

bool EpollSocket::send(const Buffers& buffers, std::shared_ptr<const void> holder,
                       error_code& error) {
    MARCHLAND_ASSERT(!is_sending_);
    unsent_ = buffers;
    if (send_unsent(error)) {
        return true;
    }
    if (!error) {
        is_sending_ = true;
        holder_ = std::move(holder);
        await_event();
    }
    return false;
}

/// As much as the kernel takes; true: all of it. Mostly one of the two is empty, and `send` of one
/// costs the kernel less than `sendmsg` of a list.
bool EpollSocket::send_unsent(error_code& error) {
    auto& [first, second] = unsent_;
    constexpr int kFlags = MSG_DONTWAIT | MSG_NOSIGNAL;
    ssize_t bytes = 0;
    if (first.size() > 0 && second.size() > 0) {
        std::array<iovec, 2> parts = {{{const_cast<void*>(first.data()), first.size()},
                                       {const_cast<void*>(second.data()), second.size()}}};
        msghdr message{};
        message.msg_iov = parts.data();
        message.msg_iovlen = parts.size();
        bytes = ::sendmsg(fd_, &message, kFlags);
    } else {
        const auto& one = first.size() > 0 ? first : second;
        bytes = ::send(fd_, one.data(), one.size(), kFlags);
    }
    if (bytes < 0) {
        error = last_error();
        if (error == asio::error::would_block) {
            error = {};
        }
        return false;
    }
    error = {};
    advance(unsent_, static_cast<std::size_t>(bytes));
    return asio::buffer_size(unsent_) == 0;
}

void EpollSocket::close_fd() {
    if (is_open()) {
        if (is_added_) {
            io_.forget(*this);  // the kernel does so when it is closed
        }
        ::close(std::exchange(fd_, -1));
        is_sending_ = false;
        holder_.reset();  // it may hold this: whoever calls holds it, too
    }
}

}  // namespace marchland::net
