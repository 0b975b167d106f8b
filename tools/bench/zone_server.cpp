#include "tools/bench/zone_server.h"

#include "engine/assert.h"
#include "tools/bench/workload.h"
#include "tools/bench/zone_player.h"

#include <stdexcept>
#include <utility>
#include <variant>

namespace marchland::bench {
namespace {

constexpr std::int32_t kLeaveRadiusMm = kRadiusMm + kRadiusMm / 10;
constexpr std::uint32_t kHourMs = 3'600'000;

shards::ZoneOptions zone_options(const engine::Rect& map, std::size_t entities_max) {
    shards::ZoneOptions options;
    options.world = map;
    options.leave_radius_mm_max = kLeaveRadiusMm;
    options.entities_max = entities_max;
    return options;
}

/// As it stands, but for what would end the silent clients of a paused server.
net::ServerOptions door_options(std::size_t clients_max) {
    net::ServerOptions options;
    options.port = 0;
    options.connections_max = clients_max;
    options.handshakes_max = clients_max;
    options.handshake_timeout_ms = kHourMs;
    options.idle_timeout_ms = kHourMs;
    options.default_view = engine::View::circle(kRadiusMm, kLeaveRadiusMm);
    return options;
}

shards::Layout whole(const engine::Rect& map) {
    auto layout = shards::Layout::grid(map, 1, 1);
    MARCHLAND_ASSERT(std::holds_alternative<shards::Layout>(layout));
    return std::get<shards::Layout>(std::move(layout));
}

}  // namespace

ZoneServer::ZoneServer(const engine::Rect& map, std::size_t clients_max, std::size_t walkers,
                       std::uint64_t seed)
    : door_(door_options(clients_max)),
      zone_(zone_options(map, clients_max + walkers), whole(map), door_),
      lockstep_(zone_) {
    add_walkers(map, walkers, seed);
    if (const auto failure = door_.start(zone_)) {
        throw std::runtime_error("cannot listen on loopback: " + failure->error.message());
    }
    thread_ = std::thread([this] { run(); });
}

ZoneServer::~ZoneServer() {
    is_over_ = true;
    begin_.release();
    thread_.join();
    door_.stop();
}

void ZoneServer::add_walkers(const engine::Rect& map, std::size_t count, std::uint64_t seed) {
    for (std::size_t i = 0; i < count; ++i) {
        const Walker walker(map, Gait::walk, seed + i);
        shards::Join join;
        join.entity.id = zone_.new_id();
        join.entity.position = walker.at();
        join.port = std::make_shared<ZonePlayer>(walker, never_listens_);
        join.takes_frames = false;
        const bool has_joined = zone_.join(std::move(join));
        MARCHLAND_ASSERT(has_joined);
    }
}

void ZoneServer::run() {
    while (true) {
        begin_.acquire();
        if (is_over_) {
            return;
        }
        lockstep_.step();
    }
}

}  // namespace marchland::bench
