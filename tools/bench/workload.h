#pragma once

#include "engine/frame/crowd_limits.h"
#include "engine/geometry.h"
#include "tools/random/random.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

/// Who is measured: crowds, and how they move. All of it are integers from a seed: the same on
/// every machine.
namespace marchland::bench {

inline constexpr std::int32_t kRadiusMm = 50'000;                           ///< of the usual view
inline constexpr std::int32_t kLeaveRadiusMm = kRadiusMm + kRadiusMm / 10;  ///< of a whole zone's
inline constexpr std::int32_t kStepMm = 250;                                ///< of a walker

enum class Gait {
    walk,      ///< some steps of kStepMm in one direction; another once in 32 on average
    jump,      ///< half a map along x and back: who stands together lands together
    teleport,  ///< to anywhere in the area in each tick
};

enum class View {
    circle,     ///< in a map with height a sphere
    rectangle,  ///< along the axes; only in a flat map
    sector,     ///< nobody turns
};

/// What an entity sees, and by whom it can be seen: a view with a leave range, and layers. An
/// Angle's unit is engine/view.h's.
struct Senses {
    View view = View::circle;
    std::int32_t radius_mm = kRadiusMm;
    std::int32_t leave_radius_mm = kRadiusMm;
    std::uint32_t layers = 1;
    std::uint32_t layers_seen = 1;
    std::int32_t half_y_mm = 0;  ///< of a rectangle, whose half length along x is the radius
    std::int32_t leave_half_y_mm = 0;
    std::uint16_t facing = 0;        ///< of a sector
    std::uint16_t half_opening = 0;  ///< of a sector
    std::uint16_t leave_half_opening = 0;
    std::int32_t notify_mm = 0;  ///< from so far away everyone sees it; 0: no notification range
    std::int32_t leave_notify_mm = 0;
};

/// A crowd to measure: every entity watches and is watched, in a square map, flat or with height.
/// What is not said is as in A, but for shorter repetitions.
struct Workload {
    std::string_view name = {};
    std::string_view summary = {};
    std::uint32_t entities = 10'000;
    std::int32_t side_mm = 1'960'000;  ///< the map's edge; it decides how many each watcher sees
    /// The edge of a square in the middle of the map that every other entity never leaves; 0: none.
    std::int32_t hot_side_mm = 0;
    Gait gait = Gait::walk;
    std::int32_t steps_per_tick = 1;  ///< in one direction
    std::int32_t radius_min_mm = kRadiusMm;
    std::int32_t radius_max_mm = kRadiusMm;
    std::int32_t leave_wider_percent = 0;  ///< than the radius
    /// 1: everyone is in one layer and sees it. 2: half are in each; half see both, the others one.
    std::uint32_t layers = 1;
    View view = View::circle;
    std::int32_t half_y_mm = 0;      ///< of rectangles
    std::uint16_t half_opening = 0;  ///< of sectors: 65,536ths of a turn to either side
    std::int32_t height_mm = 0;      ///< of the map; 0: flat
    /// So many, the first by number, are seen by everyone within notify_mm.
    std::uint32_t notify_sources = 0;
    std::int32_t notify_mm = 0;
    /// Where some are set: beside each index runs the same without.
    engine::CrowdLimits limits = {};
    std::uint32_t mover_one_in = 1;  ///< in each tick others
    bool is_halved = false;          ///< it is large: measured in two halves on two threads as well
    bool is_on_demand = false;       ///< long, or for one question: only run when it is named
    std::uint32_t warm_up_ticks = 60;  ///< untimed, before the first repetition
    std::uint32_t ticks = 10;          ///< of one repetition
    std::uint32_t moves = 400;         ///< one at a time, of one repetition; 0: no path move
};

/// By entity. A function of the workload alone: everybody who measures it has the same.
std::vector<Senses> senses_of(const Workload& workload);

/// How far along x or y a leave range of senses_of() reaches at most; notification ranges left out.
std::int32_t reach_mm(const Workload& workload);

/// Are all views circles in a flat map, without notification ranges and limits? That is what
/// hash_grid and two halves on two threads can do.
bool is_usual(const Workload& workload);

/// Is seeing mutual? With one radius for all and one layer.
bool is_mutual(const Workload& workload);

/// The workloads, in the order in which they are run.
std::span<const Workload> all_workloads();

/// What is measured of a workload.
enum class Path {
    tick,  ///< everyone moves, then the frames of everyone
    move,  ///< one moves, then what everyone around sees of it; and so on
};

/// The edge of a map on which each of `entities` sees `k` others on average through a circle of
/// kRadiusMm, rounded up to metres. `k` is less than `entities` and at least 1.
std::int32_t side_mm_for(std::uint32_t entities, double k);

/// Entity `entity` goes to `to`.
struct Move {
    std::uint32_t entity = 0;
    engine::Position to;
};

/// How one moves about an area: by the numbers that it is given, the same way in every run.
///
/// A walker keeps one of the directions in which a step is kStepMm exactly, and bounces off the
/// edges of its area. Where the map has height it climbs or sinks besides, by up to 100 mm a step.
struct Ways {
    struct Direction {
        std::int32_t x = 0;
        std::int32_t y = 0;
        std::int32_t z = 0;
    };

    [[nodiscard]] engine::Position anywhere(tools::Random& random) const;
    [[nodiscard]] Direction turn(tools::Random& random) const;
    void advance(engine::Position& at, Direction& direction, tools::Random& random) const;

    engine::Rect area;  ///< a jumper's is a map from 0 to an even number
    Gait gait;
    /// Steps; the other three are these, turned.
    std::span<const std::array<std::int32_t, 2>> quarter;
    std::int32_t steps_per_tick = 1;
    std::int32_t height_mm = 0;  ///< 0: flat
};

/// Where the entities of a workload are, tick after tick: the same for every Movement of one seed.
/// There are 20 directions.
class Movement {
public:
    Movement(const Workload& workload, std::uint64_t seed);

    [[nodiscard]] std::span<const engine::Position> positions() const { return positions_; }

    /// Everyone moves, or whose turn it is. The positions after the tick, by entity.
    std::span<const engine::Position> advance_tick();

    /// `count` entities move one after the other, as many of the hot half as of the other. The span
    /// is valid until the next call.
    std::span<const Move> advance_some(std::size_t count);

private:
    [[nodiscard]] const Ways& ways_of(std::uint32_t entity) const;
    void advance(std::uint32_t entity);

    const std::uint32_t mover_one_in_;
    std::uint32_t tick_ = 0;
    const Ways map_ways_;
    const Ways hot_ways_;  ///< of the entities with an even number
    tools::Random random_;
    std::vector<engine::Position> positions_;
    std::vector<Ways::Direction> directions_;
    std::uint32_t next_mover_ = 0;
    std::vector<Move> moves_;
};

/// Somebody who moves about an area, the same way in every run and under every layout: where it is
/// after n steps depends on its seed alone. There are 12 directions.
class Walker {
public:
    /// Starts anywhere in the area.
    Walker(const engine::Rect& area, Gait gait, std::uint64_t seed);

    [[nodiscard]] engine::Position at() const { return at_; }
    engine::Position step();

private:
    Ways ways_;
    tools::Random random_;
    engine::Position at_;
    Ways::Direction direction_;
};

}  // namespace marchland::bench
