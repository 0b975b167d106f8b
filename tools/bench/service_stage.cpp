#include "tools/bench/service_stage.h"

#include "tools/bench/await.h"
#include "tools/bench/clocks.h"
#include "tools/bench/send_stage.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace marchland::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTick{50};
constexpr double kInView = 57;  ///< as in `send`: about 60 are seen

engine::Rect map_of(const ServiceCrowd& crowd) {
    const std::int32_t side_mm = map_side_mm(crowd.entities, kInView);
    return {0, 0, side_mm, side_mm};
}

std::vector<Walker> walkers_of(const ServiceCrowd& crowd, std::size_t count, std::uint64_t seed) {
    std::vector<Walker> walkers;
    for (std::size_t i = 0; i < count; ++i) {
        walkers.emplace_back(map_of(crowd), Gait::walk, seed + i);
    }
    return walkers;
}

std::uint64_t others_cpu_ns() {
    return clocks_now().cpu_ns - thread_cpu_ns();
}

}  // namespace

ServiceStage::ServiceStage(const ServiceCrowd& crowd, bool has_service)
    : crowd_(crowd),
      walkers_(walkers_of(crowd, crowd.entities, crowd.seed)),
      zone_(map_of(crowd), crowd.players + (has_service ? crowd.entities + 1 : 0),
            has_service ? 0 : crowd.entities, crowd.seed),
      players_(zone_.port(), crowd.players),
      script_(crowd.players) {
    if (has_service) {
        service_.emplace(zone_.port(), walkers_);
    }
    players_.join(walkers_of(crowd, crowd.players, crowd.seed << 32U), Movers::walkers,
                  crowd.entities);
    if (service_) {
        service_->fence();  // it was told of all players: nothing more is sent to it
    }
}

ServiceTurn ServiceStage::run(std::size_t ticks) {
    ServiceTurn turn;
    const std::uint64_t updates_before = players_.moves_total();
    const std::uint64_t cpu_before = others_cpu_ns();
    Clock::time_point due = Clock::now();
    script_.clear();
    for (std::size_t tick = 0; tick < ticks; ++tick) {
        if (service_) {
            const auto moves = service_->step(walkers_);
            turn.bytes_in += moves.size();
            const std::uint64_t take_before = others_cpu_ns();
            service_->send(moves);
            service_->fence();
            turn.take_cpu_ns += others_cpu_ns() - take_before;
        }
        const std::uint64_t wrote = zone_.writes_total() + crowd_.players;
        zone_.start_tick();
        await([&] { return zone_.writes_total() >= wrote; }, "the players are not sent frames");
        players_.read_frames(script_);
        due = std::max(due + kTick, Clock::now());
        std::this_thread::sleep_until(due);
    }
    turn.cpu_ns = others_cpu_ns() - cpu_before;
    turn.updates = players_.moves_total() - updates_before;
    return turn;
}

}  // namespace marchland::bench
