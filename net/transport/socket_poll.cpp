#include "net/transport/socket_poll.h"

#include "engine/assert.h"

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>
#include <spdlog/fmt/fmt.h>

#include <cerrno>
#include <unistd.h>
#include <utility>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>

namespace marchland::net {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

/// Edges: a socket that nobody reads says it once, and not in each look.
constexpr std::uint32_t kAllEvents = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
constexpr std::uint32_t kEnds = EPOLLRDHUP | EPOLLHUP | EPOLLERR;

error_code last_error() {
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
        return asio::error::would_block;
    }
    return {errno, boost::system::system_category()};
}

[[noreturn]] void throw_last_error(const char* what) {
    throw boost::system::system_error(errno, boost::system::system_category(), what);
}

int make_epoll() {
    const int fd = ::epoll_create1(EPOLL_CLOEXEC);
    if (fd < 0) {
        throw_last_error("epoll");
    }
    return fd;
}

}  // namespace

SocketPoll::SocketPoll(asio::io_context& io, std::chrono::microseconds batch)
    : io_(io), batch_(batch), epoll_(make_epoll()), first_event_(io), timer_(io) {}

SocketPoll::~SocketPoll() {
    close();
    ::close(epoll_);
}

void SocketPoll::resume() {
    if (!is_waiting_ && !is_closed_) {
        wait(std::chrono::microseconds::zero());
    }
}

void SocketPoll::close() {
    is_closed_ = true;
    timer_.cancel();
    if (first_event_.is_open()) {
        first_event_.release();
    }
}

void SocketPoll::look() {
    is_waiting_ = false;
    if (next_event_ ==
        event_count_) {  // else somebody threw in the last look, and others were not told
        next_event_ = 0;
        const int count = ::epoll_wait(epoll_, events_.data(), kEventsMax, 0);
        MARCHLAND_ASSERT(count >= 0 || errno == EINTR);
        event_count_ = count > 0 ? static_cast<std::size_t>(count) : 0;
        ++looks_total_;
    }
    const bool was_told = tell();
    if (is_closed_) {
        return;
    }
    if (event_count_ == kEventsMax) {
        wait(std::chrono::microseconds::zero());
    } else if (was_told && batch_ > std::chrono::microseconds::zero()) {
        wait(batch_);
    } else {
        wait_for_event();
    }
}

/// Was there somebody to tell? Whoever is told may close any socket, its own included.
bool SocketPoll::tell() {
    bool was_told = false;
    for (; next_event_ < event_count_; ++next_event_) {
        epoll_event& event = events_[next_event_];
        const std::uint32_t what = event.events;
        event.events = 0;  // once, also if somebody throws
        if (auto* const socket = static_cast<PolledSocket*>(event.data.ptr)) {
            socket->has_hung_up_ |= (what & kEnds) != 0;
            socket->may_read_ |= (what & (EPOLLIN | kEnds)) != 0;
            if ((what & (EPOLLOUT | kEnds)) != 0 &&
                std::exchange(socket->awaits_writable_, false)) {
                was_told = true;
                socket->user_.on_writable();
            }
        }
        auto* const socket = static_cast<PolledSocket*>(event.data.ptr);
        if (socket != nullptr && socket->may_read_ &&
            std::exchange(socket->awaits_readable_, false)) {
            was_told = true;
            socket->user_.on_readable();
        }
    }
    return was_told;
}

void SocketPoll::wait(std::chrono::microseconds pause) {
    timer_.expires_after(pause);
    timer_.async_wait([this](const error_code& error) {
        if (!error) {
            look();
        }
    });
    is_waiting_ = true;
}

/// Asio knows epoll_ only meanwhile: else each event would wake its loop, batch or not.
void SocketPoll::wait_for_event() {
    if (!first_event_.is_open()) {
        first_event_.assign(epoll_);
    }
    first_event_.async_wait(asio::posix::stream_descriptor::wait_read,
                            [this](const error_code& error) {
                                if (error) {
                                    return;
                                }
                                if (batch_ > std::chrono::microseconds::zero()) {
                                    first_event_.release();
                                }
                                look();
                            });
    is_waiting_ = true;
}

void SocketPoll::control(int operation, PolledSocket& socket) {
    epoll_event event{};
    event.events = kAllEvents;
    event.data.ptr = &socket;
    if (::epoll_ctl(epoll_, operation, socket.fd_, &event) != 0) {
        throw_last_error("epoll_ctl");
    }
}

void SocketPoll::forget(const PolledSocket& socket) {
    for (std::size_t i = next_event_; i < event_count_; ++i) {
        if (events_[i].data.ptr == &socket) {
            events_[i].data.ptr = nullptr;
        }
    }
}

PolledSocket::PolledSocket(SocketPoll& poll, asio::ip::tcp::socket socket,
                           const asio::ip::tcp::endpoint& from, User& user)
    : poll_(poll), user_(user), from_(from), fd_(socket.release()) {}

void PolledSocket::await_readable() {
    awaits_readable_ = true;
    await();
}

void PolledSocket::await_writable() {
    awaits_writable_ = true;
    await();
}

/// What is known to be there makes no new edge: the kernel is asked to say it again.
void PolledSocket::await() {
    if (!is_open()) {
        return;
    }
    if (!is_added_) {
        poll_.control(EPOLL_CTL_ADD, *this);
        is_added_ = true;
    } else if (awaits_readable_ && may_read_) {
        poll_.control(EPOLL_CTL_MOD, *this);
    }
}

/// Less than there was space for is all there was: what comes later makes an edge. But the end makes none after its
/// own.
std::size_t PolledSocket::read(std::span<std::byte> space, error_code& error) {
    const ssize_t bytes = ::recv(fd_, space.data(), space.size(), MSG_DONTWAIT);
    may_read_ = bytes == static_cast<ssize_t>(space.size()) || has_hung_up_;
    if (bytes > 0) {
        error = {};
        return static_cast<std::size_t>(bytes);
    }
    error = bytes == 0 ? error_code(asio::error::eof) : last_error();
    if (error == asio::error::would_block) {
        may_read_ = false;
    }
    return 0;
}

/// Mostly one of the two is empty, and `send` of one costs the kernel less than `sendmsg` of a list.
std::size_t PolledSocket::write(const Buffers& buffers, error_code& error) {
    const auto& [first, second] = buffers;
    constexpr int kFlags = MSG_DONTWAIT | MSG_NOSIGNAL;
    error = {};
    ssize_t bytes = 0;
    if (first.size() > 0 && second.size() > 0) {
        std::array<iovec, 2> parts = {{{const_cast<void*>(first.data()), first.size()},
                                       {const_cast<void*>(second.data()), second.size()}}};
        msghdr message{};
        message.msg_iov = parts.data();
        message.msg_iovlen = parts.size();
        bytes = ::sendmsg(fd_, &message, kFlags);
    } else if (const auto& one = first.size() > 0 ? first : second; one.size() > 0) {
        bytes = ::send(fd_, one.data(), one.size(), kFlags);
    }
    if (bytes < 0) {
        error = last_error();
        return 0;
    }
    return static_cast<std::size_t>(bytes);
}

void PolledSocket::shut_down() {
    ::shutdown(fd_, SHUT_WR);
}

void PolledSocket::close() {
    if (is_open()) {
        if (is_added_) {
            poll_.forget(*this);  // the kernel does so when it is closed
        }
        ::close(std::exchange(fd_, -1));
    }
}

void PolledSocket::reset() {
    const linger nothing{1, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &nothing, sizeof nothing);
    close();
}

bool PolledSocket::has_unread() const {
    int bytes = 0;
    return ::ioctl(fd_, FIONREAD, &bytes) == 0 && bytes > 0;
}

bool PolledSocket::has_ended() const {
    char byte = 0;
    const ssize_t bytes = ::recv(fd_, &byte, sizeof byte, MSG_PEEK | MSG_DONTWAIT);
    return bytes == 0 || (bytes < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

std::string PolledSocket::peer() const {
    return text_of(from_);
}

std::string text_of(const asio::ip::tcp::endpoint& endpoint) {
    return fmt::format("{}:{}", endpoint.address().to_string(), endpoint.port());
}

}  // namespace marchland::net
