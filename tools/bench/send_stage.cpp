#include "tools/bench/send_stage.h"

#include "tools/bench/await.h"
#include "tools/bench/clocks.h"
#include "tools/bench/workload.h"

#include <chrono>
#include <cmath>
#include <numbers>
#include <thread>

namespace marchland::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTick{50};
/// A view keeps who has left its radius for another tenth of it: with them about 60 are seen.
constexpr double kInView = 57;

engine::Rect map_of(const SendCrowd& crowd) {
    const std::int32_t side_mm = map_side_mm(crowd.clients, kInView);
    return {0, 0, side_mm, side_mm};
}

std::vector<Walker> walkers_of(const SendCrowd& crowd) {
    std::vector<Walker> walkers;
    for (std::size_t i = 0; i < crowd.clients; ++i) {
        walkers.emplace_back(map_of(crowd), Gait::walk, (crowd.seed << 32U) + i);
    }
    return walkers;
}

std::size_t walkers_without_client(const SendCrowd& crowd) {
    return crowd.movers == Movers::walkers ? crowd.clients : 0;
}

}  // namespace

std::int32_t map_side_mm(std::size_t walkers, double in_view) {
    // Of two anywhere on a square of edge 1, the second is within d <= 1 of the first this often.
    const auto seen = [](double d) { return d * d * (std::numbers::pi - d * 8 / 3 + d * d / 2); };
    double low = 0;
    double high = 1;
    for (int step = 0; step < 50; ++step) {
        const double middle = (low + high) / 2;
        (static_cast<double>(walkers) * seen(middle) < in_view ? low : high) = middle;
    }
    return static_cast<std::int32_t>(std::lround(kRadiusMm / high));
}

SendStage::SendStage(const SendCrowd& crowd, std::uint64_t (*allocation_count)())
    : crowd_(crowd),
      allocation_count_(allocation_count),
      walkers_(walkers_of(crowd)),
      script_(crowd.clients),
      zone_(map_of(crowd), crowd.clients, walkers_without_client(crowd), crowd.seed),
      bare_(script_),
      zone_clients_(zone_.port(), crowd.clients),
      bare_clients_(bare_.port(), crowd.clients) {
    zone_clients_.join(walkers_, crowd.movers, walkers_without_client(crowd));
    await([this] { return bare_.clients() == crowd_.clients; }, "the bare server lets nobody in");
}

SendTurn SendStage::run_zone(std::size_t ticks) {
    script_.clear();
    script_ticks_ = ticks;
    const std::uint64_t updates_before = zone_clients_.moves_total();
    SendTurn turn = run(
        zone_, ticks, [this] { return zone_clients_.send_moves(walkers_); },
        [this](std::size_t) { zone_clients_.read_frames(script_); });
    turn.updates = zone_clients_.moves_total() - updates_before;
    return turn;
}

SendTurn SendStage::run_bare() {
    bare_.rewind();
    return run(
        bare_, script_ticks_, [this] { return bare_clients_.send_moves_of(zone_clients_); },
        [this](std::size_t tick) { bare_clients_.read_again(script_, tick); });
}

SendTurn SendStage::run(SendServer& server, std::size_t ticks,
                        const std::function<std::size_t()>& send_moves,
                        const std::function<void(std::size_t tick)>& read) {
    SendTurn turn;
    const std::uint64_t writes_before = server.writes_total();
    const std::uint64_t cpu_before = clocks_now().cpu_ns - thread_cpu_ns();
    Clock::time_point due = Clock::now();
    for (std::size_t tick = 0; tick < ticks; ++tick) {
        const std::uint64_t allocations_before = allocation_count_();
        run_tick(server, send_moves);
        turn.allocations += allocation_count_() - allocations_before;
        read(tick);
        due = std::max(due + kTick, Clock::now());
        std::this_thread::sleep_until(due);
    }
    turn.cpu_ns = clocks_now().cpu_ns - thread_cpu_ns() - cpu_before;
    turn.frames = ticks * crowd_.clients;
    turn.writes = server.writes_total() - writes_before;
    turn.bytes = script_.bytes();
    return turn;
}

void SendStage::run_tick(SendServer& server, const std::function<std::size_t()>& send_moves) const {
    if (crowd_.movers == Movers::clients) {
        const std::uint64_t heard = server.bytes_in_total() + send_moves();
        await([&] { return server.bytes_in_total() >= heard; }, "the clients are not heard");
    }
    const std::uint64_t wrote = server.writes_total() + crowd_.clients;
    server.start_tick();
    await([&] { return server.writes_total() >= wrote; }, "the clients are not sent their frames");
}

}  // namespace marchland::bench
