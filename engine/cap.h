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
///   who stays, and who could enter ── admit ──► as many who could enter as there may be seen
///                                  ── left_out ──► who has no place after all
///
/// In a crowd nearly all who could enter have no chance: admit() sends them away before anything else
/// is done for them.
///
/// Threads  One at a time.
/// Cost     O(candidates) for admit, O(visible_max) for left_out. No allocation once the lists have
///          their sizes.
class Cap {
public:
    explicit Cap(const CrowdLimits& limits) : limits_(limits) {}

    /// Takes from `entering` (in any order, and in any order afterwards) those that cannot be among
    /// the nearest. `staying`: whom the watcher saw and could go on seeing.
    void admit(const Scene& scene, Slot watcher, std::span<const Sighting> staying,
               std::vector<Sighting>& entering);

    /// Were there more candidates than may be seen, when admit() was called last?
    [[nodiscard]] bool is_exceeded() const { return is_exceeded_; }

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
    struct Applicant {
        WeightedSquare distance = 0;
        Sighting sighting;
    };

    const CrowdLimits limits_;
    bool is_exceeded_ = false;
    std::vector<Rank> ranks_;
    std::vector<Applicant> applicants_;
    std::vector<std::size_t> left_out_;
};

}  // namespace marchland::engine
