#pragma once

#include "tools/bots/poller.h"
#include "tools/bots/zone.h"
#include "tools/clients/cpp/address.h"
#include "tools/process/descriptor.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
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

/// Reads an answer of the admin port (docs/operating.md), headers included; nothing when it is not one
/// with memory and processor time.
std::optional<ServerSample> parse_status(std::string_view answer, Instant now);

/// Of a table like /proc/net/tcp: how much one of the connections at this local port, a server's ends, has not sent, or
/// not acknowledged, at most. Lines that are no rows are passed over.
///
/// Source  proc(5), /proc/net/tcp: tx_queue.
std::size_t unsent_bytes_max(std::istream& table, std::uint16_t local_port);

/// Of this machine, IPv4 and IPv6; 0 of a server elsewhere. Some milliseconds with thousands of connections.
std::size_t unsent_bytes_max_at(std::uint16_t local_port);

/// Asks the server's admin port now and then how much memory and processor time it has used, without
/// ever waiting for it: players go first.
///
/// Bounds   One request at a time, given up after kPatience; an answer has kAnswerBytesMax at most.
class ServerWatch {
public:
    static constexpr Poller::Token kToken = static_cast<Poller::Token>(-2);
    static constexpr std::size_t kAnswerBytesMax = std::size_t{256} << 10U;

    ServerWatch(const client::Address& admin, Clock::duration interval, Poller& poller)
        : admin_(admin), interval_(interval), poller_(poller) {}

    void advance(Instant now);
    void on_event(std::uint32_t events, Instant now);
    /// Asks as soon as may be, rather than when it is due.
    void hurry() {
        next_ = Instant{};
        is_next_apart_ = true;
    }

    /// In the order of time: one for each second, of its last answer and the longest tick of all; and one for each hurry().
    [[nodiscard]] const std::vector<ServerSample>& samples() const { return samples_; }
    [[nodiscard]] std::uint64_t answers() const { return answers_; }
    [[nodiscard]] std::uint64_t failures() const { return failures_; }

private:
    void ask(Instant now);
    void send_request();
    void read_answer(Instant now);
    void keep(const ServerSample& sample);
    void give_up();

    const client::Address admin_;
    const Clock::duration interval_;
    Poller& poller_;
    process::Descriptor socket_;
    bool is_asked_ = false;
    std::string answer_;
    Instant asked_at_;
    Instant next_;
    Instant second_began_;
    bool is_next_apart_ = true;
    std::uint64_t answers_ = 0;
    std::vector<ServerSample> samples_;
    std::uint64_t failures_ = 0;
};

}  // namespace marchland::bots
