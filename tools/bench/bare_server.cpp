#include "tools/bench/bare_server.h"

#include "engine/assert.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>

#include <utility>

namespace marchland::bench {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

BareServer::BareServer(const FrameScript& script)
    : script_(script), acceptor_(io_, tcp::endpoint(asio::ip::address_v4::loopback(), 0)) {
    port_ = acceptor_.local_endpoint().port();
    accept();
    thread_ = std::thread([this] { io_.run(); });
}

BareServer::~BareServer() {
    io_.stop();
    thread_.join();
}

void BareServer::start_tick() {
    asio::post(io_, [this, tick = next_tick_] { send(tick); });
    ++next_tick_;
}

std::uint64_t BareServer::writes_total() const {
    return writes_.load(std::memory_order_acquire);
}

std::uint64_t BareServer::bytes_in_total() const {
    return bytes_in_.load(std::memory_order_acquire);
}

std::size_t BareServer::clients() const {
    return client_count_.load(std::memory_order_acquire);
}

void BareServer::accept() {
    acceptor_.async_accept([this](const error_code& error, tcp::socket socket) {
        if (error) {
            return;
        }
        socket.set_option(tcp::no_delay(true));
        socket.non_blocking(true);
        clients_.push_back(std::make_unique<Client>(std::move(socket)));
        read(*clients_.back());
        client_count_.store(clients_.size(), std::memory_order_release);
        accept();
    });
}

void BareServer::read(Client& client) {
    client.socket.async_read_some(asio::buffer(client.space),
                                  [this, &client](const error_code& error, std::size_t bytes) {
                                      if (!error) {
                                          bytes_in_.fetch_add(bytes, std::memory_order_release);
                                          read(client);
                                      }
                                  });
}

/// All clients have read the tick before: the kernel has room for a frame.
void BareServer::send(std::size_t tick) {
    for (std::size_t i = 0; i < clients_.size(); ++i) {
        const auto frame = script_.frame(tick, i);
        error_code error;
        const std::size_t sent =
            clients_[i]->socket.write_some(asio::buffer(frame.data(), frame.size()), error);
        MARCHLAND_ASSERT(!error && sent == frame.size());
        writes_.fetch_add(1, std::memory_order_release);
    }
}

}  // namespace marchland::bench
