#include "tools/bots/scenario_director.h"

#include "tools/bots/swarm.h"

#include <chrono>

namespace marchland::bots {
namespace {

// Every five seconds at 20 Hz, on average.
constexpr std::uint64_t kStepsPerCut = 100;

}  // namespace

ScenarioDirector::ScenarioDirector(const ScenarioOptions& options, const ZoneFacts& zone,
                                   Instant start)
    : cuts_connections_(options.scenario == Scenario::resume),
      cuts_(options.seed),
      pacer_(options.players, Clock::duration(std::chrono::seconds(1)) / zone.tick_rate_hz, start) {
    const auto step_mm =
        static_cast<std::int32_t>(options.speed_mm_per_s / static_cast<int>(zone.tick_rate_hz));
    Random seeds(options.seed);
    walkers_.reserve(options.players);
    for (std::size_t i = 0; i < options.players; ++i) {
        walkers_.emplace_back(options.scenario, zone.world, step_mm, seeds.next());
    }
}

void ScenarioDirector::advance(Instant now, Swarm& swarm) {
    if (!have_joined_) {
        for (std::size_t i = 0; i < walkers_.size(); ++i) {
            swarm.join(static_cast<PlayerIndex>(i), walkers_[i].position());
        }
        have_joined_ = true;
    }
    pacer_.take_due(now, [&](std::uint64_t seat) {
        const auto player = static_cast<PlayerIndex>(seat);
        if (swarm.is_playing(player)) {
            swarm.move(player, walkers_[seat].advance());
            if (cuts_connections_ && cuts_.one_in(kStepsPerCut)) {
                swarm.cut(player);
            }
        }
    });
}

bool ScenarioDirector::is_complete(const Swarm& swarm) const {
    return have_joined_ && swarm.joining() == 0;
}

}  // namespace marchland::bots
