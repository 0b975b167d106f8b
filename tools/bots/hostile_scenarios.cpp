#include "tools/bots/hostile_scenarios.h"

#include "tools/bots/swarm.h"

#include <chrono>

namespace marchland::bots {

namespace {

constexpr std::uint64_t kStepsPerCut = 200;     // ten seconds at 20 Hz, on average
constexpr std::uint64_t kStepsPerLeave = 1200;  // a minute

constexpr std::chrono::seconds kSecondsPerLeave{60};

}  // namespace

SoakDirector::SoakDirector(const ScenarioOptions& options, const ZoneFacts& zone, Instant start,
                           std::size_t players_max, const AbuseOptions& abuse)
    : players_max_(players_max),
      world_(zone.world),
      step_mm_(
          static_cast<std::int32_t>(options.speed_mm_per_s / static_cast<int>(zone.tick_rate_hz))),
      random_(options.seed),
      next_player_(options.players),
      pacer_(options.players, Clock::duration(std::chrono::seconds(1)) / zone.tick_rate_hz, start),
      abusers_(abuse, {Abusers::mixed()}) {
    seats_.reserve(options.players);
    for (std::size_t i = 0; i < options.players; ++i) {
        seats_.push_back({static_cast<PlayerIndex>(i), new_walker(i)});
    }
}

/// A third more than leave on average, at 20 Hz; at other rates more or fewer leave.
std::size_t SoakDirector::players_max(std::size_t players, Clock::duration duration) {
    const auto lives = static_cast<std::size_t>(duration / kSecondsPerLeave) + 1;
    return players + players * lives * 4 / 3;
}

Walker SoakDirector::new_walker(std::size_t seat) {
    return {seat % 2 == 0 ? Scenario::roam : Scenario::border, world_, step_mm_, random_.next()};
}

void SoakDirector::advance(Instant now, Swarm& swarm) {
    if (!have_joined_) {
        have_joined_ = true;
        for (const Seat& seat : seats_) {
            swarm.join(seat.player, seat.walker->position());
        }
    }
    abusers_.advance(now);
    pacer_.take_due(now, [&](std::uint64_t seat) { step(seat, swarm); });
}

void SoakDirector::step(std::size_t number, Swarm& swarm) {
    Seat& seat = seats_[number];
    if (!swarm.is_playing(seat.player)) {
        return;
    }
    swarm.move(seat.player, seat.walker->advance());
    if (random_.one_in(kStepsPerCut)) {
        swarm.cut(seat.player);
    } else if (random_.one_in(kStepsPerLeave) && next_player_ < players_max_) {
        swarm.leave(seat.player);
        seat.player = static_cast<PlayerIndex>(next_player_++);
        seat.walker.emplace(new_walker(number));
        swarm.join(seat.player, seat.walker->position());
    }
}

/// Later on somebody is always on the way in.
bool SoakDirector::is_complete(const Swarm& swarm) const {
    return have_joined_ && swarm.joining() == 0;
}

namespace {

using namespace std::chrono_literals;

constexpr auto kNap = 2ms;

}  // namespace

std::vector<Attack> SiegeDirector::attacks(std::size_t crowd, bool has_admin) {
    std::vector<Attack> attacks = {
        {"strangers",
         {Deed::noise, Deed::silence, Deed::half, Deed::drip, Deed::order, Deed::length,
          Deed::flood},
         64},
        {"tokens", {Deed::token}, 40},
        {"web_socket", {Deed::web_page}, 40},
        {"wave", {Deed::silence}, 400, 2s, true},
        {"crowd", {Deed::crowd}, crowd, 60s},
        {"take_over", {Deed::take_over}, 16},
        {"logins", {Deed::logins}, 32},
        {"churn", {Deed::churn}, 40},
        {"large", {Deed::large}, 100},
        {"resume_pool", {Deed::vanish}, 100},
        {"never_read", {Deed::deaf}, 40, 40s},
    };
    if (has_admin) {
        attacks.push_back({"admin", {Deed::operator_}, 32});
    }
    return attacks;
}

std::size_t SiegeDirector::connections_max(const std::vector<Attack>& attacks) {
    std::size_t all = 0;
    for (const Attack& attack : attacks) {
        all += attack.connections;
    }
    return all;
}

std::vector<SiegeDirector::Phase> SiegeDirector::plan(const std::vector<Attack>& attacks,
                                                      Clock::duration duration) {
    std::vector<Phase> phases = {{"quiet", 0, duration / 6}};
    const auto count = static_cast<Clock::rep>(attacks.size());
    for (std::size_t i = 0; i < attacks.size(); ++i) {
        phases.push_back({attacks[i].name, 1U << i, duration * 2 / 3 / count});
    }
    phases.push_back({"all", UINT32_MAX, duration / 5});
    phases.push_back({"after", 0, {}});
    return phases;
}

SiegeDirector::SiegeDirector(const ScenarioOptions& options, const ZoneFacts& zone, Instant start,
                             Clock::duration duration, const AbuseOptions& abuse,
                             const std::vector<Attack>& attacks)
    : players_(options, zone, start),
      phases_(plan(attacks, duration)),
      abusers_(abuse, attacks),
      attackers_([this](const std::stop_token& stop) {
          while (!stop.stop_requested()) {
              abusers_.advance(Clock::now(), attacks_now_.load());
              std::this_thread::sleep_for(kNap);
          }
      }) {}

void SiegeDirector::advance(Instant now, Swarm& swarm) {
    players_.advance(now, swarm);
    attacks_now_ = phases_[phase_].attacks;  // whoever counts by phases has seen this one begin
    if (!phase_ends_ && is_complete(swarm)) {
        phase_ends_ = now + phases_.front().length;
    }
    if (phase_ends_ && now >= *phase_ends_ && phase_ + 1 < phases_.size()) {
        ++phase_;
        *phase_ends_ = now + phases_[phase_].length;
    }
}

}  // namespace marchland::bots
