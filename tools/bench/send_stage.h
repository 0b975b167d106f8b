#pragma once

#include "tools/bench/bare_server.h"
#include "tools/bench/frame_script.h"
#include "tools/bench/send_clients.h"
#include "tools/bench/zone_server.h"
#include "tools/bench/zone_walker.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace marchland::bench {

struct SendCrowd {
    std::size_t clients = 1'000;
    Movers movers = Movers::walkers;
    std::uint64_t seed = 1;
};

/// What some ticks of one server took.
struct SendTurn {
    std::uint64_t frames = 0;
    std::uint64_t cpu_ns = 0;  ///< of all threads but the clients'
    std::uint64_t writes = 0;
    std::uint64_t updates = 0;      ///< that frames told of; the bare server tells no news
    std::uint64_t allocations = 0;  ///< of all threads while the server was at work
    std::uint64_t bytes = 0;
};

/// Our server and the bare one, with as many clients each, in one process. They take turns; the bare
/// one sends in its turn what ours sent in the one before, and reads as much.
///
/// Threads  The thread that makes it is that of all clients: its CPU time is no server's.
/// Errors   std::runtime_error: a client was told something wrong, or nothing.
class SendStage {
public:
    /// `allocation_count`: see Host.
    SendStage(const SendCrowd& crowd, std::uint64_t (*allocation_count)());

    /// Twenty ticks a second, unless a server is slower.
    SendTurn run_zone(std::size_t ticks);
    /// As many ticks as the zone had in its last turn.
    SendTurn run_bare();

private:
    /// `send_moves` returns how many bytes the clients sent; `read` reads the tick's frames.
    SendTurn run(SendServer& server, std::size_t ticks,
                 const std::function<std::size_t()>& send_moves,
                 const std::function<void(std::size_t tick)>& read);
    void run_tick(SendServer& server, const std::function<std::size_t()>& send_moves) const;

    const SendCrowd crowd_;
    std::uint64_t (*const allocation_count_)();
    std::vector<Walker> walkers_;  ///< the clients'
    FrameScript script_;
    std::size_t script_ticks_ = 0;
    ZoneServer zone_;
    BareServer bare_;
    SendClients zone_clients_;
    SendClients bare_clients_;
};

/// The edge of a square map on which so many walkers are such that who stands anywhere on it sees
/// `in_view` of them on average, near its edges fewer.
std::int32_t map_side_mm(std::size_t walkers, double in_view);

}  // namespace marchland::bench
