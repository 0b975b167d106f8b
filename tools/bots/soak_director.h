#pragma once

#include "tools/bots/abusers.h"
#include "tools/bots/director.h"
#include "tools/bots/pacer.h"
#include "tools/bots/scenario_director.h"
#include "tools/bots/walker.h"
#include "tools/bots/zone_facts.h"
#include "tools/random/random.h"

#include <cstddef>
#include <cstdint>
#include <optional>
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

}  // namespace marchland::bots
