#include "net/listener.h"

#include "net/transport/tcp_transport.h"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>
#include <spdlog/spdlog.h>

#include <chrono>
#include <future>
#include <utility>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace marchland::net {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr int kBacklog = 1024;
constexpr auto kPauseAfterFailure = std::chrono::milliseconds(100);
/// So many connections over the limit are told `full` at once; those beyond are just closed.
constexpr std::size_t kRefusalsMax = 256;

/// What the kernel may keep of what a client sent: a stalled I/O thread holds clients back instead
/// of filling memory.
constexpr int kReceiveBufferBytes = 64 * 1024;
/// What the kernel may keep of what was sent to a client, acknowledged or not: a client at 100 ms
/// gets at most this much in 100 ms.
constexpr int kSendBufferBytes = 64 * 1024;

using NotSentLowAt = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_NOTSENT_LOWAT>;
using UserTimeoutMs = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_USER_TIMEOUT>;

/// Failures are ignored: the socket works without, and a dead one says so when it is read.
void configure(tcp::socket& socket, const ServerOptions& options) {
    error_code ignored;
    socket.non_blocking(true, ignored);
    // A frame is written whole: there is nothing to wait for before it is sent.
    socket.set_option(tcp::no_delay(true), ignored);
    socket.set_option(NotSentLowAt(static_cast<int>(options.unsent_bytes_max)), ignored);
    // A peer that vanished: the kernel gives up when we would have.
    socket.set_option(UserTimeoutMs(static_cast<int>(options.slow_timeout_ms) +
                                    static_cast<int>(options.linger_timeout_ms)),
                      ignored);
}

}  // namespace

Listener::Listener(const ServerOptions& options, std::vector<std::unique_ptr<Lane>>& lanes)
    : options_(options),
      lanes_(lanes),
      acceptor_(lanes.front()->io()),
      pause_timer_(lanes.front()->io()),
      log_limit_(1, std::chrono::steady_clock::now()) {}

error_code Listener::open() {
    error_code error = bind();
    if (!error) {
        accept();
    }
    return error;
}

error_code Listener::bind() {
    error_code error;
    const asio::ip::address address = asio::ip::make_address(options_.address, error);
    if (error) {
        return error;
    }
    const tcp::endpoint endpoint(address, options_.port);
    acceptor_.open(endpoint.protocol(), error);
    if (error) {
        return error;
    }
    // Buffers are set here, before a connection's window is agreed on; connections inherit them.
    acceptor_.set_option(asio::socket_base::reuse_address(true), error);
    acceptor_.set_option(asio::socket_base::receive_buffer_size(kReceiveBufferBytes), error);
    acceptor_.set_option(asio::socket_base::send_buffer_size(kSendBufferBytes), error);
    acceptor_.bind(endpoint, error);
    if (error) {
        return error;
    }
    acceptor_.listen(kBacklog, error);
    if (!error) {
        port_ = acceptor_.local_endpoint(error).port();
    }
    return error;
}

void Listener::close() {
    std::promise<void> closed;
    asio::post(acceptor_.get_executor(), [&] {
        error_code ignored;
        acceptor_.close(ignored);
        pause_timer_.cancel();
        closed.set_value();
    });
    closed.get_future().wait();
}

void Listener::accept() {
    Lane& lane = *lanes_[next_lane_];
    next_lane_ = (next_lane_ + 1) % lanes_.size();
    acceptor_.async_accept(lane.io(), [this, &lane](const error_code& error, tcp::socket socket) {
        if (!acceptor_.is_open()) {
            return;
        }
        if (error) {
            pause(error);
            return;
        }
        deal(std::move(socket), lane);
        accept();
    });
}

void Listener::deal(tcp::socket socket, Lane& lane) {
    const std::size_t others = connections();
    if (others >= options_.connections_max + kRefusalsMax) {
        return;  // closes it
    }
    LaneCounters::add(lane.counters().connections);
    LaneCounters::add(lane.counters().connections_total);
    configure(socket, options_);
    lane.adopt(std::make_unique<TcpTransport>(std::move(socket)),
               others >= options_.connections_max);
}

void Listener::pause(const error_code& reason) {
    LaneCounters::add(lanes_.front()->counters().accept_failures_total);
    if (log_limit_.allows_line(std::chrono::steady_clock::now())) {
        spdlog::warn("cannot accept connections: {}", reason.message());
    }
    pause_timer_.expires_after(kPauseAfterFailure);
    pause_timer_.async_wait([this](const error_code& error) {
        if (!error && acceptor_.is_open()) {
            accept();
        }
    });
}

std::size_t Listener::connections() const {
    std::size_t sum = 0;
    for (const auto& lane : lanes_) {
        sum += lane->counters().connections.load(std::memory_order_relaxed);
    }
    return sum;
}

}  // namespace marchland::net
