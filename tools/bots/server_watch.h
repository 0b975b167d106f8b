#pragma once

#include "tools/bots/zone.h"
#include "tools/clients/cpp/address.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string_view>
#include <vector>

namespace marchland::bots {

/// What the server said of itself at one moment.
struct ServerSample {
    Instant at;
    std::uint64_t resident_bytes = 0;
    double cpu_seconds = 0;
    double tick_max_seconds = 0;  ///< the longest tick of any shard lately, about a second
};

/// Reads an answer of the admin port (docs/operating.md); nothing when it is not one with memory
/// and processor time.
std::optional<ServerSample> parse_status(unsigned code, std::string_view body, Instant now);

/// Of a table like /proc/net/tcp: how much one of the connections at this local port, a server's
/// ends, has not sent, or not acknowledged, at most. Lines that are no rows are passed over.
///
/// Source  proc(5), /proc/net/tcp: tx_queue.
std::size_t unsent_bytes_max(std::istream& table, std::uint16_t local_port);

/// Of this machine, IPv4 and IPv6; 0 of a server elsewhere. Some milliseconds with thousands of
/// connections.
std::size_t unsent_bytes_max_at(std::uint16_t local_port);

/// Asks the server's admin port now and then how much memory and processor time it has used,
/// without ever waiting for it: players go first.
///
/// Bounds   One request at a time, given up after kPatience; an answer has kAnswerBytesMax at most.
class ServerWatch {
public:
    static constexpr std::size_t kAnswerBytesMax = std::size_t{256} << 10U;

    ServerWatch(const client::Address& admin, Clock::duration interval);

    /// Called every few milliseconds: asks when it is due, and reads what has come.
    void advance(Instant now);
    /// Asks as soon as may be, rather than when it is due.
    void hurry() {
        next_ = Instant{};
        is_next_apart_ = true;
    }

    /// In the order of time: one for each second, of its last answer and the longest tick of all;
    /// and one for each hurry().
    [[nodiscard]] const std::vector<ServerSample>& samples() const { return samples_; }
    [[nodiscard]] std::uint64_t answers() const { return answers_; }
    [[nodiscard]] std::uint64_t failures() const { return failures_; }

private:
    struct UnderWay {
        explicit UnderWay(boost::asio::io_context& io) : stream(io) {}

        boost::beast::tcp_stream stream;
        boost::beast::flat_buffer buffer;
        boost::beast::http::response_parser<boost::beast::http::string_body> parser;
    };

    void ask();
    void end(const std::optional<ServerSample>& sample);
    void keep(const ServerSample& sample);

    const Clock::duration interval_;
    boost::asio::ip::tcp::endpoint admin_;
    boost::beast::http::request<boost::beast::http::empty_body> request_;
    boost::asio::io_context io_;
    std::optional<UnderWay> request_under_way_;
    Instant next_;
    Instant second_began_;
    bool is_next_apart_ = true;
    std::uint64_t answers_ = 0;
    std::vector<ServerSample> samples_;
    std::uint64_t failures_ = 0;
};

}  // namespace marchland::bots
