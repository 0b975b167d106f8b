#pragma once

#include "engine/geometry.h"
#include "shards/lockstep.h"
#include "shards/zone.h"
#include "net/server.h"
#include "tools/bench/send_server.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <semaphore>
#include <thread>
#include <vector>

namespace marchland::bench {

class ZonePlayer;

/// This project's server as it stands: engine, one shard, sessions, one I/O thread. Only its clock is
/// not its own: a tick is run when it is asked for.
class ZoneServer final : public SendServer {
public:
    /// The map holds the origin. `walkers` entities without a client move in every tick; their ids are the first ones.
    ZoneServer(const engine::Rect& map, std::size_t clients_max, std::size_t walkers,
               std::uint64_t seed);
    ~ZoneServer() override;

    [[nodiscard]] std::uint16_t port() const override { return door_.port(); }
    void start_tick() override { begin_.release(); }
    [[nodiscard]] std::uint64_t writes_total() const override {
        return door_.metrics().sends_total;
    }
    [[nodiscard]] std::uint64_t bytes_in_total() const override {
        return door_.metrics().bytes_in_total;
    }

private:
    void add_walkers(const engine::Rect& map, std::size_t count, std::uint64_t seed);
    void run();

    net::Server door_;
    shards::Zone zone_;
    shards::Lockstep lockstep_;
    const bool never_listens_ = false;
    std::counting_semaphore<2> begin_{0};  ///< a tick, or the end
    bool is_over_ = false;                 ///< set before the last release of begin_
    std::thread thread_;
};

}  // namespace marchland::bench
