#pragma once

#include "shards/entity_port.h"
#include "shards/zone.h"
#include "net/server_options.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <system_error>

namespace marchland::net {

/// What the door tells about itself: totals since the start, and what is there now.
struct ServerMetrics {
    std::uint64_t connections = 0;
    std::uint64_t players = 0;  ///< connections that are through the handshake
    std::uint64_t ports = 0;    ///< players' places in the zone, those on their way out included
    std::uint64_t connections_total = 0;
    std::uint64_t accept_failures_total = 0;
    std::uint64_t closed_with_error_total = 0;
    std::uint64_t bytes_in_total = 0;
    std::uint64_t bytes_out_total = 0;
    std::uint64_t messages_in_total = 0;
    std::uint64_t sends_total = 0;
};

/// The zone's door: accepts clients over TCP, checks every byte they send, and carries frames out.
///
/// Threads  io_threads of its own, each with the connections that were dealt to it. The methods
///          here belong to the owner's thread, except post (shards' threads) and metrics (any).
/// Life     Made first, since a Zone needs an outlet; then start(zone); then stop(), before the
///          zone's threads are stopped; the zone is destroyed before the server.
class Server final : public shards::FrameOutlet {
public:
    explicit Server(ServerOptions options);
    ~Server() override;

    /// Binds, listens and starts the I/O threads. An error value when the address cannot be had.
    std::error_code start(shards::Zone& zone);

    /// Tells every client `stopping`, gives each a moment to read it, closes, joins the threads.
    void stop();

    /// The port that was bound; after a start() that succeeded.
    [[nodiscard]] std::uint16_t port() const;
    [[nodiscard]] ServerMetrics metrics() const;

    [[nodiscard]] std::uint32_t lane_count() const override;
    void post(std::uint32_t lane,
              std::span<const std::shared_ptr<shards::EntityPort>> ports) override;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace marchland::net
