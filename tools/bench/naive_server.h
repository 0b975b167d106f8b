#pragma once

#include "tools/bench/loopback.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace marchland::bench {

/// What a studio writes in an afternoon, and then asks whether it needs more: one thread of
/// Boost.Asio and a hash grid, which in each tick sends each player where everybody around it is.
/// It has no borders, no deltas and no limits, and trusts its clients. It is the yardstick of
/// `marchland-bench server`: what it does is not to be changed.
///
///     client  says  x, y                               i32 each: where I am now
///     server  says  bytes | your id | id, x, y | ...   u32, u32; u32, i32, i32 for each in view
class NaiveServer final : public CountingServer {
public:
    /// `nearest_max`: a player is sent so many at most, the nearest; 0: all.
    NaiveServer(std::int32_t radius_mm, std::size_t nearest_max);
    ~NaiveServer() override;

    void start_tick() override;

    /// As it is on the wire.
    struct Seen {
        std::uint32_t id;
        std::int32_t x;
        std::int32_t y;
    };

private:
    struct Player {
        Player(boost::asio::ip::tcp::socket&& of, std::uint32_t number)
            : socket(std::move(of)), id(number) {}

        boost::asio::ip::tcp::socket socket;
        const std::uint32_t id;
        std::int32_t x = 0;
        std::int32_t y = 0;
        std::array<std::int32_t, 2> message{};  ///< that is being read
        std::vector<std::byte> frame;
        bool is_sending = false;
    };

    void accept();
    void read(Player& player);
    void tick();
    void send_view(Player& player);
    [[nodiscard]] std::uint64_t cell_of(std::int32_t x, std::int32_t y) const;

    const std::int32_t radius_mm_;
    const std::size_t nearest_max_;
    boost::asio::io_context io_{1};
    boost::asio::ip::tcp::acceptor acceptor_;
    std::vector<std::unique_ptr<Player>> players_;
    std::unordered_map<std::uint64_t, std::vector<Player*>> grid_;
    /// Of one player: square of the distance, who.
    std::vector<std::pair<std::int64_t, Seen>> in_view_;
    std::thread thread_;
};

}  // namespace marchland::bench
