#include "tools/bench/naive_server.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <cstring>

namespace marchland::bench {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

NaiveServer::NaiveServer(std::int32_t radius_mm, std::size_t nearest_max)
    : radius_mm_(radius_mm),
      nearest_max_(nearest_max),
      acceptor_(io_, tcp::endpoint(asio::ip::address_v4::loopback(), 0)) {
    port_ = acceptor_.local_endpoint().port();
    accept();
    thread_ = std::thread([this] { io_.run(); });
}

NaiveServer::~NaiveServer() {
    io_.stop();
    thread_.join();
}

void NaiveServer::start_tick() {
    asio::post(io_, [this] { tick(); });
}

void NaiveServer::accept() {
    acceptor_.async_accept([this](const error_code& error, tcp::socket socket) {
        if (error) {
            return;
        }
        socket.set_option(tcp::no_delay(true));
        const auto id = static_cast<std::uint32_t>(players_.size());
        players_.push_back(std::make_unique<Player>(std::move(socket), id));
        read(*players_.back());
        client_count_ = players_.size();
        accept();
    });
}

void NaiveServer::read(Player& player) {
    asio::async_read(player.socket, asio::buffer(player.message),
                     [this, &player](const error_code& error, std::size_t bytes) {
                         if (error) {
                             return;
                         }
                         player.x = player.message[0];
                         player.y = player.message[1];
                         bytes_in_ += bytes;
                         read(player);
                     });
}

void NaiveServer::tick() {
    for (auto& [key, cell] : grid_) {
        cell.clear();
    }
    for (const auto& player : players_) {
        grid_[cell_of(player->x, player->y)].push_back(player.get());
    }
    for (const auto& player : players_) {
        if (!player->is_sending) {  // who is slow misses a tick
            send_view(*player);
        }
    }
}

void NaiveServer::send_view(Player& player) {
    in_view_.clear();
    for (int row = -1; row <= 1; ++row) {
        for (int column = -1; column <= 1; ++column) {
            const auto cell =
                grid_.find(cell_of(player.x + column * radius_mm_, player.y + row * radius_mm_));
            if (cell == grid_.end()) {
                continue;
            }
            for (const Player* const other : cell->second) {
                const std::int64_t x = other->x - player.x;
                const std::int64_t y = other->y - player.y;
                const std::int64_t square = x * x + y * y;
                if (other != &player && square <= std::int64_t{radius_mm_} * radius_mm_) {
                    in_view_.push_back({square, {other->id, other->x, other->y}});
                }
            }
        }
    }
    if (nearest_max_ != 0 && in_view_.size() > nearest_max_) {
        const auto end = in_view_.begin() + static_cast<std::ptrdiff_t>(nearest_max_);
        std::nth_element(in_view_.begin(), end, in_view_.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        in_view_.erase(end, in_view_.end());
    }

    const auto bytes =
        static_cast<std::uint32_t>(sizeof player.id + in_view_.size() * sizeof(Seen));
    player.frame.resize(sizeof bytes + bytes);
    std::byte* at = player.frame.data();
    const auto put = [&at](const auto& value) {
        std::memcpy(at, &value, sizeof value);
        at += sizeof value;
    };
    put(bytes);
    put(player.id);
    for (const auto& [square, seen] : in_view_) {
        put(seen);
    }

    player.is_sending = true;
    asio::async_write(player.socket, asio::buffer(player.frame),
                      [this, &player](const error_code&, std::size_t) {
                          player.is_sending = false;
                          ++writes_;
                      });
}

std::uint64_t NaiveServer::cell_of(std::int32_t x, std::int32_t y) const {
    // One cell more below 0, where a map's edge is looked at: divisions round towards zero.
    const auto column = static_cast<std::uint32_t>((x + radius_mm_) / radius_mm_);
    const auto row = static_cast<std::uint32_t>((y + radius_mm_) / radius_mm_);
    return std::uint64_t{column} << 32U | row;
}

}  // namespace marchland::bench
