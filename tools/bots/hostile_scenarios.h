#pragma once

#include "tools/bots/abusers.h"
#include "tools/bots/director.h"
#include "tools/bots/scenario.h"
#include "tools/bots/zone.h"
#include "tools/random/random.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

namespace marchland::bots {

/// A long life of a zone: half of the players roam, half pace over borders; connections are cut and
/// resumed; everybody leaves after a minute on average, and a new player comes in the place. Beside
/// them Abusers do what they can.
///
/// Bounds   Players are counted once and for all: no more than players_max() come, then who is there
///          stays.
class SoakDirector final : public Director {
public:
    SoakDirector(const ScenarioOptions& options, const ZoneFacts& zone, Instant start,
                 std::size_t players_max, const AbuseOptions& abuse);

    /// Enough for a run of that length.
    static std::size_t players_max(std::size_t players, Clock::duration duration);

    void advance(Instant now, Swarm& swarm) override;
    [[nodiscard]] bool has_more_to_join() const override { return !have_joined_; }
    [[nodiscard]] bool is_complete(const Swarm& swarm) const override;
    [[nodiscard]] Abuse abuse() const override {
        return {abusers_.connections(), abusers_.closed_by_server()};
    }
    [[nodiscard]] std::uint64_t late_steps() const override { return pacer_.skipped(); }

private:
    /// A place for one player at a time.
    struct Seat {
        PlayerIndex player{};
        std::optional<Walker> walker;  ///< always there; another one for each player
    };

    [[nodiscard]] Walker new_walker(std::size_t seat);
    void step(std::size_t seat, Swarm& swarm);

    const std::size_t players_max_;
    const World world_;
    const std::int32_t step_mm_;
    tools::Random random_;
    std::vector<Seat> seats_;
    std::size_t next_player_;
    Pacer pacer_;
    Abusers abusers_;
    bool have_joined_ = false;
};

/// Players that roam, and resume now and then, in a zone under attack:
///
///   quiet │ strangers │ tokens │ ... one attack after the other │ all │ after: nobody attacks
///   └ 1/6 ┴─────────────────────── 2/3 ─────────────────────────┴ 1/5 ┴ 2/15 ┘   of the duration
///
/// Threads   The attackers have one of their own, or the players would wait for them here and it would look as if the
///           server were late. They share nothing with the players.
class SiegeDirector final : public Director {
public:
    /// What there is to attack: the admin port only where it is known.
    static std::vector<Attack> attacks(std::size_t crowd, bool has_admin);
    static std::size_t connections_max(const std::vector<Attack>& attacks);

    SiegeDirector(const ScenarioOptions& options, const ZoneFacts& zone, Instant start,
                  Clock::duration duration, const AbuseOptions& abuse,
                  const std::vector<Attack>& attacks);

    void advance(Instant now, Swarm& swarm) override;
    [[nodiscard]] bool has_more_to_join() const override { return players_.has_more_to_join(); }
    [[nodiscard]] bool is_complete(const Swarm& swarm) const override {
        return players_.is_complete(swarm);
    }
    [[nodiscard]] bool is_calm() const override { return phase_ == 0; }
    [[nodiscard]] std::string_view phase() const override { return phases_[phase_].name; }
    [[nodiscard]] Abuse abuse() const override {
        return {abusers_.connections(), abusers_.closed_by_server(), abusers_.speed_mm_per_s_max(),
                abusers_.moves_made()};
    }
    [[nodiscard]] std::uint64_t late_steps() const override { return players_.late_steps(); }

private:
    struct Phase {
        std::string_view name;
        std::uint32_t attacks = 0;  ///< a bit each
        Clock::duration length{};
    };
    static std::vector<Phase> plan(const std::vector<Attack>& attacks, Clock::duration duration);

    ScenarioDirector players_;
    const std::vector<Phase> phases_;
    std::size_t phase_ = 0;
    std::optional<Instant> phase_ends_;  ///< nothing: not all players are in yet

    Abusers abusers_;
    std::atomic<std::uint32_t> attacks_now_ = 0;
    std::jthread attackers_;  ///< the last one: it ends before what it uses
};

}  // namespace marchland::bots
