#pragma once

#include "tools/bench/frame_script.h"
#include "tools/bench/send_clients.h"
#include "tools/bench/service_client.h"
#include "tools/bench/zone_server.h"
#include "tools/bench/zone_walker.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace marchland::bench {

struct ServiceCrowd {
    std::size_t entities = 5'000;
    std::size_t players = 200;
    std::uint64_t seed = 1;
};

/// What some ticks took.
struct ServiceTurn {
    std::uint64_t take_cpu_ns =
        0;  ///< of the server's threads, from the first move's coming to the Pong
    std::uint64_t cpu_ns = 0;    ///< of the server's threads, all told
    std::uint64_t bytes_in = 0;  ///< of moves
    std::uint64_t updates = 0;   ///< that players were told of
};

/// A zone with players who stand and look, and a crowd that walks in each tick: a service's, or the zone's
/// own, which needs nobody to say so. Both crowds walk the same ways.
///
/// Threads  The thread that makes it is that of service and players: its CPU time is not the server's.
/// Errors   std::runtime_error: somebody was told something wrong, or nothing.
class ServiceStage {
public:
    ServiceStage(const ServiceCrowd& crowd, bool has_service);

    /// Twenty ticks a second, unless the server is slower.
    ServiceTurn run(std::size_t ticks);

private:
    ServiceCrowd crowd_;
    std::vector<Walker> walkers_;  ///< the service's
    ZoneServer zone_;
    std::optional<ServiceClient> service_;
    SendClients players_;
    FrameScript script_;
};

}  // namespace marchland::bench
