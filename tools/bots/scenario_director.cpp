#include "tools/bots/scenario_director.h"

#include "tools/bots/swarm.h"

#include <algorithm>
#include <chrono>

namespace marchland::bots {
namespace {

// At 20 Hz every five seconds; in a siege every half minute: to resume, and not to be seen doing it.
std::uint64_t steps_per_cut(Scenario scenario) {
    return scenario == Scenario::resume ? 100 : scenario == Scenario::siege ? 600 : 0;
}

constexpr std::chrono::milliseconds kLazyInterval{200};

}  // namespace

ScenarioDirector::ScenarioDirector(const ScenarioOptions& options, const ZoneFacts& zone,
                                   Instant start)
    : steps_per_cut_(steps_per_cut(options.scenario)),
      cuts_(options.seed),
      pacer_(options.players, Clock::duration(std::chrono::seconds(1)) / zone.tick_rate_hz, start),
      stall_(options.stall),
      looked_into_(std::min(options.looked_into, options.players)) {
    if (options.scenario == Scenario::slow) {
        slow_.emplace(options.players, stall_);
    }
    const auto step_mm =
        static_cast<std::int32_t>(options.speed_mm_per_s / static_cast<int>(zone.tick_rate_hz));
    tools::Random seeds(options.seed);
    walkers_.reserve(options.players);
    for (std::size_t i = 0; i < options.players; ++i) {
        walkers_.emplace_back(options.scenario, zone.world, step_mm, seeds.next());
    }
}

void ScenarioDirector::advance(Instant now, Swarm& swarm) {
    join_all(swarm);
    slow_some(now, swarm);
    read_lazily(now, swarm);
    pacer_.take_due(now, [&](std::uint64_t seat) {
        const auto player = static_cast<PlayerIndex>(seat);
        if (swarm.is_playing(player)) {
            swarm.move(player, walkers_[seat].advance());
            if (steps_per_cut_ != 0 && cuts_.one_in(steps_per_cut_)) {
                swarm.cut(player);
            }
        }
    });
}

void ScenarioDirector::join_all(Swarm& swarm) {
    if (have_joined_) {
        return;
    }
    have_joined_ = true;
    for (std::size_t i = 0; i < walkers_.size(); ++i) {
        const auto player = static_cast<PlayerIndex>(i);
        const bool is_slow = slow_ && SlowReaders::is_slow(player);
        swarm.join(player, walkers_[i].position(), is_slow ? SlowReaders::kReceiveBytes : 0);
    }
}

/// Many frames in one read are what makes thousands of players cheap here; the server does not notice.
void ScenarioDirector::read_lazily(Instant now, Swarm& swarm) {
    const std::size_t lazy = walkers_.size() - looked_into_;
    if (lazy == 0) {
        return;
    }
    if (!lazy_reads_) {
        lazy_reads_.emplace(lazy, kLazyInterval, now);
    }
    lazy_reads_->take_due(now, [&](std::uint64_t seat) {
        const auto player = static_cast<PlayerIndex>(looked_into_ + seat);
        swarm.stop_reading(player);  // from its first turn after it was let in
        swarm.sip(player, client::ReadBuffer::kChunkBytes);
    });
}

void ScenarioDirector::slow_some(Instant now, Swarm& swarm) {
    if (!slow_) {
        return;
    }
    if (!all_are_in_ && is_complete(swarm)) {
        all_are_in_ = now;
    }
    if (have_slowed_) {
        slow_->advance(now, swarm);
    } else if (all_are_in_ && now - *all_are_in_ >= stall_) {
        slow_->begin(now, swarm);
        have_slowed_ = true;
    }
}

Director::Slow ScenarioDirector::slow() const {
    return slow_ ? Slow{SlowReaders::count(walkers_.size()), slow_->stalls()} : Slow{};
}

bool ScenarioDirector::is_complete(const Swarm& swarm) const {
    return have_joined_ && swarm.joining() == 0;
}

}  // namespace marchland::bots
