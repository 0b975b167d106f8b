#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace marchland::bench {

inline constexpr std::int32_t kRadiusMm = 50'000;  ///< of every view, in every workload
inline constexpr std::int32_t kStepMm = 250;       ///< what a walker goes in one tick

/// How the entities of a workload move.
enum class Motion {
    walk,      ///< kStepMm in each tick
    teleport,  ///< to anywhere on the map in each tick
};

/// A crowd to measure: every entity watches and is watched, in a flat square map.
struct Workload {
    std::string_view name;
    std::string_view summary;
    std::uint32_t entities = 0;
    std::int32_t side_mm = 0;  ///< the map's edge; it decides how many each watcher sees
    /// The edge of a square in the middle of the map that every other entity never leaves; 0: none.
    std::int32_t hot_side_mm = 0;
    Motion motion = Motion::walk;
    std::uint32_t warm_up_ticks = 0;  ///< untimed, before the first repetition
    std::uint32_t ticks = 0;          ///< of one repetition
    std::uint32_t moves = 0;          ///< one at a time, of one repetition
};

/// The workloads, in the order in which they are run.
std::span<const Workload> all_workloads();

/// Null when there is none of that name.
const Workload* find_workload(std::string_view name);

}  // namespace marchland::bench
