#include "net/transport/socket_io.h"

#include "net/transport/epoll_io.h"
#include "net/transport/uring_io.h"

#include <boost/system/system_error.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cerrno>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace marchland::net {

namespace asio = boost::asio;
using boost::system::error_code;

IoSocket::IoSocket(asio::ip::tcp::socket socket, const asio::ip::tcp::endpoint& from)
    : from_(from), fd_(socket.release()) {}

void IoSocket::advance(Buffers& buffers, std::size_t bytes) {
    for (asio::const_buffer& buffer : buffers) {
        const std::size_t of_this = std::min(bytes, buffer.size());
        buffer += of_this;
        bytes -= of_this;
    }
}

void IoSocket::shut_down() {
    ::shutdown(fd_, SHUT_WR);
}

void IoSocket::reset() {
    const linger nothing{1, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &nothing, sizeof nothing);
    close();
}

bool IoSocket::has_unread() const {
    int bytes = 0;
    return ::ioctl(fd_, FIONREAD, &bytes) == 0 && bytes > 0;
}

bool IoSocket::has_ended() const {
    char byte = 0;
    const ssize_t bytes = ::recv(fd_, &byte, sizeof byte, MSG_PEEK | MSG_DONTWAIT);
    return bytes == 0 || (bytes < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

std::string IoSocket::peer() const {
    return text_of(from_);
}

std::unique_ptr<SocketIo> SocketIo::make(ServerOptions::Io kind, asio::io_context& io,
                                         std::chrono::microseconds batch) {
    if (kind == ServerOptions::Io::epoll) {
        return std::make_unique<EpollIo>(io, batch);
    }
    try {
        return std::make_unique<UringIo>(io, batch);
    } catch (const boost::system::system_error& refusal) {
        if (kind == ServerOptions::Io::io_uring) {
            throw;
        }
        auto epoll = std::make_unique<EpollIo>(io, batch);
        epoll->name_ =
            fmt::format("epoll; io_uring is not allowed here: {}", refusal.code().message());
        return epoll;
    }
}

void SocketIo::resume() {
    if (!is_waiting_ && !is_closed_) {
        wait(std::chrono::microseconds::zero());
    }
}

void SocketIo::close() {
    is_closed_ = true;
    timer_.cancel();
    if (first_event_.is_open()) {
        first_event_.release();
    }
}

void SocketIo::look_and_wait() {
    is_waiting_ = false;
    const Found found = look();
    if (is_closed_) {
        return;
    }
    if (found == Found::more) {
        wait(std::chrono::microseconds::zero());
    } else if (found == Found::something && batch_ > std::chrono::microseconds::zero()) {
        wait(batch_);
    } else {
        wait_for_event();
    }
}

void SocketIo::look_early() {
    const Found found = look();
    if (is_closed_) {
        return;
    }
    if (found != Found::nothing && batch_ > std::chrono::microseconds::zero()) {
        wait(batch_);
    } else if (first_event_.is_open() && !await_event()) {
        wait(std::chrono::microseconds::zero());
    }
}

/// For nothing else.
void SocketIo::wait(std::chrono::microseconds pause) {
    if (first_event_.is_open()) {
        first_event_.release();
    }
    timer_.expires_after(pause);
    timer_.async_wait([this](const error_code& error) {
        // It may have been set anew when it had gone off already.
        if (!error && timer_.expiry() <= std::chrono::steady_clock::now()) {
            look_and_wait();
        }
    });
    is_waiting_ = true;
}

void SocketIo::wait_for_event() {
    if (!await_event()) {
        wait(std::chrono::microseconds::zero());
        return;
    }
    if (!first_event_.is_open()) {
        first_event_.assign(descriptor());
    }
    first_event_.async_wait(asio::posix::stream_descriptor::wait_read,
                            [this](const error_code& error) {
                                if (error) {
                                    return;
                                }
                                if (batch_ > std::chrono::microseconds::zero()) {
                                    first_event_.release();
                                }
                                look_and_wait();
                            });
    is_waiting_ = true;
}

void throw_system_error(int error, const char* what) {
    throw boost::system::system_error(error, boost::system::system_category(), what);
}

error_code bind_to(asio::ip::tcp::acceptor& acceptor, const std::string& address,
                   std::uint16_t port) {
    error_code error;
    const asio::ip::tcp::endpoint endpoint(asio::ip::make_address(address, error), port);
    if (!error) {
        acceptor.open(endpoint.protocol(), error);
    }
    if (!error) {
        acceptor.set_option(asio::socket_base::reuse_address(true), error);
        acceptor.bind(endpoint, error);
    }
    return error;
}

std::string text_of(const asio::ip::tcp::endpoint& endpoint) {
    return fmt::format("{}:{}", endpoint.address().to_string(), endpoint.port());
}

}  // namespace marchland::net
