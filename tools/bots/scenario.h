#pragma once

#include "tools/bots/director.h"
#include "tools/bots/zone.h"
#include "tools/random/random.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace marchland::bots {

enum class Scenario : std::uint8_t {
    roam,      ///< uniform over the map, from one random waypoint to the next
    crowd,     ///< all press into the middle of the map and out again
    market,    ///< all in a square off the middle, a quarter of the map wide: one shard gets hot
    border,    ///< pace over the lines through the middle and the quarters, and over their corners
    teleport,  ///< walk, and jump across the whole map now and then
    resume,    ///< roam; a connection is cut now and then, and resumed
    slow,      ///< roam; every other player reads badly, see SlowReaders
    soak,      ///< half roam, half as in border; resume, come and go, beside some who attack
    siege,     ///< roam and resume, under attack; for both see HostileDirector
};

inline constexpr std::array<std::string_view, 9> kScenarioNames = {
    "roam", "crowd", "market", "border", "teleport", "resume", "slow", "soak", "siege"};

std::optional<Scenario> scenario_of(std::string_view name);
constexpr std::string_view name_of(Scenario scenario) {
    return kScenarioNames.at(static_cast<std::size_t>(scenario));
}

/// One player's way through the world.
///
/// Order    The same scenario, world, step and seed give the same positions, step by step.
/// Units    Millimetres; one step is what a player walks in one tick.
/// Bounds   Never leaves the world. A waypoint is reached exactly, then the next one is chosen.
class Walker {
public:
    Walker(Scenario scenario, const World& world, std::int32_t step_mm, std::uint64_t seed);

    [[nodiscard]] engine::Position position() const { return position_; }

    /// Walks one step and returns where it led.
    engine::Position advance();
    /// The same from there: it was put elsewhere than its last step led to.
    engine::Position advance_from(engine::Position position) {
        position_ = position;
        return advance();
    }

    /// Somebody else who walks in this way.
    [[nodiscard]] Walker with_seed(std::uint64_t seed) const {
        return {scenario_, world_, step_mm_, seed};
    }

private:
    /// What the border scenario paces over: a line or a corner. The ends of the way lie on both
    /// sides of `anchor`, `reach_mm` away along `across`, and wander to the side by `wander_mm`.
    struct Pace {
        engine::Position anchor;
        std::int64_t across_x = 0;  ///< -1, 0 or 1
        std::int64_t across_y = 0;
        std::int64_t reach_mm = 0;
        std::int64_t wander_mm = 0;
    };

    [[nodiscard]] engine::Position middle() const;
    engine::Position in_market();
    engine::Position anywhere();
    engine::Position near(engine::Position center, std::int64_t reach_mm);
    engine::Position end_of_leg();
    engine::Position pace_waypoint();
    Pace choose_pace();

    const Scenario scenario_;
    const World world_;
    const std::int32_t step_mm_;
    tools::Random random_;
    const std::int32_t height_mm_;  ///< z in a flat zone: carried along, never asked for
    const Pace pace_;
    bool is_odd_leg_ = false;  ///< crowd: the way in; border: to the far side
    engine::Position position_;
    engine::Position waypoint_;
};

class Swarm;

/// Every other player of a run reads badly, while the others read as ever:
///
///   player 1, 5, 9 ...    a thousand bytes a second, always
///   player 3, 7, 11 ...   stops reading for `stall`, then reads for half as long, and so on; each
///                         begins at another moment
///
/// They go on moving all the time. Before begin() they read as the others do.
class SlowReaders {
public:
    /// What the kernel may hold for a slow reader that it has not read: little, or the server would
    /// not notice for long. With half of this the kernel itself begins to drop what comes.
    static constexpr int kReceiveBytes = 8192;

    static bool is_slow(PlayerIndex player) { return to_number(player) % 2 == 1; }
    static std::size_t count(std::size_t players) { return players / 2; }

    SlowReaders(std::size_t players, Clock::duration stall) : players_(players), stall_(stall) {}

    void begin(Instant now, Swarm& swarm);
    void advance(Instant now, Swarm& swarm);

    [[nodiscard]] std::uint64_t stalls() const { return stalls_; }

private:
    struct Return {
        Instant at;
        PlayerIndex player;
    };

    const std::size_t players_;
    const Clock::duration stall_;
    std::optional<Pacer> sips_;         ///< of those that read a little at a time
    std::optional<Pacer> stall_turns_;  ///< of those that stop
    std::deque<Return> returns_;        ///< who reads again when, in this order
    std::uint64_t stalls_ = 0;
};

/// Players that do the same, and come and go together. Moments count from when those are in that
/// come at once.
struct Group {
    std::string name;
    Scenario scenario = Scenario::roam;
    std::size_t players = 0;
    std::int32_t speed_mm_per_s = 5'000;
    /// From when on they join, one after the other, and over how long; likewise, they leave.
    std::chrono::seconds joins_at{0};
    std::chrono::seconds joins_over{0};
    std::optional<std::chrono::seconds> leaves_at = {};  ///< nothing: they stay
    std::chrono::seconds leaves_over{0};
};

struct ScenarioOptions {
    Scenario scenario = Scenario::roam;
    std::size_t players = 100;  ///< at once; of all groups, where there are any
    /// Scenario soak: who leaves is followed by somebody else, until so many have come; then who is
    /// there stays.
    std::size_t players_max = 0;
    std::uint64_t seed = 1;
    std::int32_t speed_mm_per_s = 5'000;
    /// Scenario slow: how long one stops reading, and how long all read before.
    Clock::duration stall = std::chrono::seconds(10);
    /// Only the first so many players are looked into; the others read a few times a second.
    std::size_t looked_into = SIZE_MAX;
    /// Of a plan, in the order of their players; none: all do the same.
    std::vector<Group> groups = {};

    /// Does anybody? With a trace nobody plays another one than roam.
    [[nodiscard]] bool plays(Scenario one) const {
        return scenario == one || std::ranges::find(groups, one, &Group::scenario) != groups.end();
    }
};

/// Players join and walk until somebody ends it: one move each in every tick, spread over the tick.
/// What else happens to their connections, the scenario says.
///
/// Order    Player i walks the same way in every run with the same seed, step by step, until it is
///          corrected, and then goes on from there; the moments at which the server takes the steps
///          are the network's.
class ScenarioDirector : public Director {
public:
    ScenarioDirector(const ScenarioOptions& options, const ZoneFacts& zone, Instant start);

    /// Scenario soak: enough for a run of that length.
    static std::size_t players_max(std::size_t players, Clock::duration duration);

    void advance(Instant now, Swarm& swarm) override;
    [[nodiscard]] bool has_more_to_join() const override { return still_to_join_ > 0; }
    /// Are those in that come at once?
    [[nodiscard]] bool is_complete(const Swarm&) const override { return begun_.has_value(); }
    [[nodiscard]] std::string_view phase() const override {
        return !slow_ ? "" : have_slowed_ ? "beside" : "before";
    }
    [[nodiscard]] Slow slow() const override;
    [[nodiscard]] std::uint64_t late_steps() const override { return pacer_.skipped(); }

private:
    /// A place for one player at a time.
    struct Way {
        PlayerIndex player{};
        std::optional<Walker> walker;     ///< always there; another one for each player
        std::uint64_t steps_per_cut = 0;  ///< on average; 0: its connection is not cut
    };
    /// A player comes or goes.
    struct Turn {
        Clock::duration at{};
        PlayerIndex player{};
        bool is_leave = false;
    };

    void add_group(const Group& group, const ZoneFacts& zone);
    void take_turns(Instant now, Swarm& swarm);
    void step(Way& way, Swarm& swarm);
    void read_lazily(Instant now, Swarm& swarm);
    void slow_some(Instant now, Swarm& swarm);

    tools::Random cuts_;   ///< and who leaves
    tools::Random seeds_;  ///< of walkers
    std::vector<Way> ways_;
    const std::size_t players_max_;
    std::size_t next_player_ = 0;
    std::vector<Turn> turns_;  ///< in ascending time
    std::size_t next_turn_ = 0;
    std::size_t still_to_join_ = 0;
    std::optional<Instant> begun_;  ///< those that come at once are in
    Pacer pacer_;

    const Clock::duration stall_;
    std::optional<SlowReaders> slow_;  ///< scenario slow only
    bool have_slowed_ = false;

    const std::size_t looked_into_;
    std::optional<Pacer> lazy_reads_;  ///< of those that are not looked into
};

}  // namespace marchland::bots
