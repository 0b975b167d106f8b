#pragma once

#include "tools/bots/director.h"
#include "tools/bots/pacer.h"
#include "tools/bots/slow_readers.h"
#include "tools/bots/walker.h"
#include "tools/bots/zone_facts.h"
#include "tools/random/random.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace marchland::bots {

struct ScenarioOptions {
    Scenario scenario = Scenario::roam;
    std::size_t players = 0;
    std::uint64_t seed = 1;
    std::int32_t speed_mm_per_s = 5'000;
    /// Scenario slow: how long one stops reading, and how long all read before.
    Clock::duration stall = std::chrono::seconds(10);
    /// Only the first so many players are looked into; the others read a few times a second.
    std::size_t looked_into = SIZE_MAX;
};

/// All players join at once and walk until somebody ends it: one move each in every tick, spread
/// over the tick. What else happens to their connections, the scenario says.
///
/// Order    Player i walks the same way in every run with the same seed, step by step; the moments
///          at which the server takes the steps are the network's.
class ScenarioDirector final : public Director {
public:
    ScenarioDirector(const ScenarioOptions& options, const ZoneFacts& zone, Instant start);

    void advance(Instant now, Swarm& swarm) override;
    [[nodiscard]] bool has_more_to_join() const override { return !have_joined_; }
    [[nodiscard]] bool is_complete(const Swarm& swarm) const override;
    [[nodiscard]] bool is_calm() const override { return slow_ && !have_slowed_; }
    [[nodiscard]] Slow slow() const override;
    [[nodiscard]] std::uint64_t late_steps() const override { return pacer_.skipped(); }

private:
    void join_all(Swarm& swarm);
    void read_lazily(Instant now, Swarm& swarm);
    void slow_some(Instant now, Swarm& swarm);

    const std::uint64_t steps_per_cut_;  ///< on average; 0: no connection is cut
    tools::Random cuts_;
    std::vector<Walker> walkers_;  ///< by player
    Pacer pacer_;
    bool have_joined_ = false;

    const Clock::duration stall_;
    std::optional<SlowReaders> slow_;    ///< scenario slow only
    std::optional<Instant> all_are_in_;  ///< since when
    bool have_slowed_ = false;

    const std::size_t looked_into_;
    std::optional<Pacer> lazy_reads_;  ///< of those that are not looked into
};

}  // namespace marchland::bots
