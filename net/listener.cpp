#include "net/listener.h"

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

Listener::Listener(const ServerOptions& options, Entrance entrance, AddressTable& addresses,
                   std::vector<std::unique_ptr<Lane>>& lanes)
    : options_(options),
      entrance_(std::move(entrance)),
      addresses_(addresses),
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
    const asio::ip::address address = asio::ip::make_address(entrance_.address, error);
    if (error) {
        return error;
    }
    const tcp::endpoint endpoint(address, entrance_.port);
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
    error_code error;
    const tcp::endpoint from = socket.remote_endpoint(error);
    if (error || others >= options_.connections_max + kRefusalsMax) {
        return;  // gone already, or closed here
    }
    auto [verdict, slot] = addresses_.admit(from.address(), std::chrono::steady_clock::now());
    if (verdict != AddressTable::Verdict::welcome) {
        LaneCounters::add(lane.counters().refused_addresses_total);
    }
    if (verdict == AddressTable::Verdict::refuse) {
        return;
    }
    LaneCounters::add(lane.counters().connections);
    LaneCounters::add(lane.counters().connections_total);
    configure(socket, options_);
    auto refusal = verdict == AddressTable::Verdict::tell_refuse ? Arrival::Refusal::address_limit
                   : others >= options_.connections_max          ? Arrival::Refusal::full
                                                                 : Arrival::Refusal::none;
    lane.adopt({make_transport(entrance_, std::move(socket)), std::move(slot), refusal});
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
