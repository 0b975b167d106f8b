#pragma once

#include "net/transport/socket_io.h"

#include <array>
#include <cstddef>
#include <memory>
#include <sys/epoll.h>

namespace marchland::net {

class EpollSocket;

/// SocketIo over an epoll of its own, by edges.
///
/// Bounds   kEventsMax sockets in one look; where there were so many, the next look follows at
///          once. A socket is read once in a look.
/// Cost     One epoll_wait for each look, one epoll_ctl for each socket; a call for each message
///          that comes, unless it is larger than the space of a read, and one for each send. No
///          memory is allocated for a socket's event.
class EpollIo final : public SocketIo {
public:
    static constexpr std::size_t kEventsMax = 1'024;

    /// Throws boost::system::system_error when the system gives no descriptor.
    EpollIo(boost::asio::io_context& io, std::chrono::microseconds batch);
    ~EpollIo() override;

    std::unique_ptr<IoSocket> adopt(boost::asio::ip::tcp::socket socket,
                                    const boost::asio::ip::tcp::endpoint& from) override;

private:
    friend class EpollSocket;

    Found look() override;
    [[nodiscard]] int descriptor() const override { return epoll_; }
    void control(int operation, EpollSocket& socket);
    void forget(const EpollSocket& socket);

    const int epoll_;
    /// Of the last look; those of sockets that are gone are of nobody.
    std::array<epoll_event, kEventsMax> events_;
    std::size_t event_count_ = 0;
    std::size_t next_event_ = 0;  ///< those before were delivered
};

}  // namespace marchland::net
