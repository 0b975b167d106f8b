#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace marchland::bench {

inline constexpr std::int32_t kRadiusMm = 50'000;  ///< of the usual view
inline constexpr std::int32_t kStepMm = 250;       ///< of a walker

/// How the entities of a workload move.
enum class Motion {
    walk,      ///< Workload::steps_per_tick of kStepMm
    teleport,  ///< to anywhere on the map in each tick
};

enum class View {
    circle,     ///< in a map with height a sphere
    rectangle,  ///< along the axes; only in a flat map
    sector,     ///< nobody turns
};

/// What an entity sees, and by whom it can be seen: a view with a leave range, and layers. An Angle's
/// unit is engine/angle.h's.
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
    std::int32_t beacon_mm = 0;  ///< from so far away everyone sees it; 0: it is no beacon
    std::int32_t leave_beacon_mm = 0;
};

/// A crowd to measure: every entity watches and is watched, in a square map, flat or with height.
struct Workload {
    std::string_view name = {};
    std::string_view summary = {};
    std::uint32_t entities = 0;
    std::int32_t side_mm = 0;  ///< the map's edge; it decides how many each watcher sees
    /// The edge of a square in the middle of the map that every other entity never leaves; 0: none.
    std::int32_t hot_side_mm = 0;
    Motion motion = Motion::walk;
    std::uint32_t movers = 0;         ///< that move in one tick, in turns; 0: everyone
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
    /// So many, the first by number, are seen by everyone within beacon_mm.
    std::uint32_t beacons = 0;
    std::int32_t beacon_mm = 0;
    bool is_halved = false;     ///< it is large: measured in two halves on two threads as well
    bool is_on_demand = false;  ///< long, or for one question: only run when it is named
    std::uint32_t warm_up_ticks = 0;  ///< untimed, before the first repetition
    std::uint32_t ticks = 0;          ///< of one repetition
    std::uint32_t moves = 0;          ///< one at a time, of one repetition; 0: no path move
};

/// By entity. A function of the workload alone: everybody who measures it has the same.
std::vector<Senses> senses_of(const Workload& workload);

/// How far along x or y a leave range of senses_of() reaches at most, beacons left out.
std::int32_t reach_mm(const Workload& workload);

/// Are all views circles in a flat map, and is nobody a beacon? That is what hash_grid and two halves
/// on two threads can do.
bool is_usual(const Workload& workload);

/// Does everyone see whom he is seen by? With one radius for all and one layer.
bool is_mutual(const Workload& workload);

/// Is it usual, with one radius for all, without leave range and layers?
bool is_plain(const Workload& workload);

/// The workloads, in the order in which they are run.
std::span<const Workload> all_workloads();

/// Null when there is none of that name.
const Workload* find_workload(std::string_view name);

}  // namespace marchland::bench
