#pragma once

#include "tools/bots/world.h"
#include "tools/random/random.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace marchland::bots {

enum class Scenario : std::uint8_t {
    roam,      ///< uniform over the map, from one random waypoint to the next
    crowd,     ///< all press into the middle of the map and out again
    border,    ///< pace over the lines through the middle and the quarters, and over their corners
    teleport,  ///< walk, and jump across the whole map now and then
    resume,    ///< roam; a connection is cut now and then, and resumed
    slow,      ///< roam; every other player reads badly, see SlowReaders
    soak,      ///< a long life of a zone, see SoakDirector; a single walker of it roams
    siege,     ///< roam and resume, under attack, see SiegeDirector
};

inline constexpr std::array<std::string_view, 8> kScenarioNames = {
    "roam", "crowd", "border", "teleport", "resume", "slow", "soak", "siege"};

std::optional<Scenario> scenario_of(std::string_view name);
std::string_view name_of(Scenario scenario);

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
    engine::Position anywhere();
    engine::Position near(engine::Position center, std::int64_t reach_mm);
    engine::Position next_waypoint();
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

}  // namespace marchland::bots
