#pragma once

#include "engine/crowd_limits.h"
#include "engine/frame.h"
#include "engine/geometry.h"
#include "engine/scene.h"
#include "engine/sightings.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace marchland::engine {

/// How far away somebody is for the cap: the square of the distance, times the square of what a
/// metre weighs, in percent. The square needs 66 bits, the weight 14.
__extension__ using WeightedSquare = unsigned __int128;

WeightedSquare weighted_square(Position watcher, Position entity, bool is_seen,
                               const CrowdLimits& limits, Dimensions dimensions);

/// Of all that a watcher could see, who are the nearest? In this order: the smaller weighted square;
/// of equal ones, who was seen before; of these, the lower id.
///
/// Threads  One at a time.
/// Cost     O(candidates). No allocation once the list has its size.
class Cap {
public:
    explicit Cap(const CrowdLimits& limits) : limits_(limits) {}

    /// The places in `candidates` (which are in ascending id, and more than visible_max) of those
    /// that are left out, ascending. `entered`: the slots of those that were not seen before, in the
    /// same order. Scratch memory, valid until the next call.
    std::span<const std::size_t> left_out(const Scene& scene, Slot watcher,
                                          std::span<const Sighting> candidates,
                                          std::span<const Slot> entered);

private:
    struct Rank {
        WeightedSquare distance = 0;
        bool is_new = false;
        std::size_t place = 0;  ///< by ascending id

        friend bool operator<(const Rank& a, const Rank& b) {
            if (a.distance != b.distance) {
                return a.distance < b.distance;
            }
            return a.is_new != b.is_new ? b.is_new : a.place < b.place;
        }
    };

    const CrowdLimits limits_;
    std::vector<Rank> ranks_;
    std::vector<std::size_t> left_out_;
};

}  // namespace marchland::engine
