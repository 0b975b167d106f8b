#include "tools/bots/siege_director.h"

#include "tools/bots/swarm.h"

#include <chrono>

namespace marchland::bots {
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
