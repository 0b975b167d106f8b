#pragma once

#include "net/messages.h"
#include "tools/bots/clock.h"
#include "tools/clients/cpp/address.h"
#include "tools/clients/cpp/connection.h"
#include "tools/random/random.h"

#include <flatbuffers/flatbuffer_builder.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace marchland::bots {

/// Connections that behave badly, beside players who must not notice. Each of a few seats does one
/// thing after the other, over a new connection each time:
///
///   noise      bytes that are nothing                silence    not a word
///   half       half a Hello, and no more             order      a Move before the Hello
///   length     the largest length prefix             flood      joins, then pings without end
///   vanish     joins, and is gone                    deaf       joins, and never reads
///
/// Cost     Looked at every 20 ms: a few system calls each.
/// Bounds   A connection is given up after some seconds, if the server has not closed it before.
class Abusers {
public:
    static constexpr std::size_t kSeats = 16;

    Abusers(const client::Address& server, const client::WayIn& way, const std::string& token,
            std::uint64_t seed);

    void advance(Instant now);

    [[nodiscard]] std::uint64_t connections() const { return connections_; }
    [[nodiscard]] std::uint64_t closed_by_server() const { return closed_by_server_; }

private:
    enum class Deed : std::uint8_t {
        noise,
        silence,
        half,
        order,
        length,
        flood,
        vanish,
        deaf,
    };
    static constexpr std::uint64_t kDeeds = 8;

    struct Seat {
        std::optional<client::Connection> connection;  ///< empty: begins anew
        Deed deed = Deed::noise;
        Instant since;
        bool is_open = false;  ///< the socket is connected, and the layers begin to shake hands
        bool has_acted = false;
    };

    void begin(Seat& seat, Instant now);
    void advance(Seat& seat, Instant now);
    void act(Seat& seat);
    void send(Seat& seat, const net::ClientMessage& message);
    void send_bytes(Seat& seat, std::span<const std::byte> bytes);
    [[nodiscard]] net::Hello hello() const;

    const client::Address server_;
    const client::WayIn way_;
    const std::string token_;
    tools::Random random_;
    std::array<Seat, kSeats> seats_;
    Instant next_;
    std::uint64_t connections_ = 0;
    std::uint64_t closed_by_server_ = 0;
    client::ReadBuffer buffer_;
    flatbuffers::FlatBufferBuilder builder_;
};

}  // namespace marchland::bots
