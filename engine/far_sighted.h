#pragma once

#include "engine/beacons.h"
#include "engine/geometry.h"
#include "engine/ids.h"
#include "engine/slot_list.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace marchland::engine {

/// Watchers by how far they look: whom among them may a change at some place concern? For those that
/// look further than cells are wide, or not through a circle in a flat zone: few or all.
///
/// That a watcher may see a place is that a range around the watcher may hold it: so it is found as a
/// beacon is.
///
/// Threads  One at a time.
/// Cost     add, remove and follow O(1); a visit O(sizes of reach in use + found).
class FarSighted {
public:
    [[nodiscard]] std::span<const Slot> slots() const { return list_.slots(); }
    [[nodiscard]] std::size_t size() const { return list_.size(); }
    [[nodiscard]] bool contains(Slot slot) const { return list_.contains(slot); }

    /// `reach_mm`: of the leave range along x and y (leave_reach_mm). `fits_cells`: cells could be cut
    /// so wide that it is not among these any more.
    void add(Slot slot, Position at, std::int32_t reach_mm, bool fits_cells);
    void remove(Slot slot);
    void clear();
    /// It is here now. What visit_near says is as of the last call.
    void follow(Slot slot, Position to);

    /// How many were added with fits_cells.
    [[nodiscard]] std::size_t that_fit_cells() const { return that_fit_cells_; }

    /// Calls `visit(Slot)` once for every one that may see `at`, or may have seen it.
    template <typename Visit>
    void visit_near(Position at, Visit&& visit) const {
        by_reach_.visit_near(at, [&](Slot slot) {
            const Place& place = places_[to_number(slot)];
            if (square_around(place.at, place.reach_mm).contains(at)) {
                visit(slot);
            }
        });
    }

private:
    struct Place {
        Position at;
        std::int32_t reach_mm = 0;
        bool fits_cells = false;
    };

    SlotList list_;
    std::vector<Place> places_;  ///< by slot
    Beacons by_reach_;
    std::size_t that_fit_cells_ = 0;
};

}  // namespace marchland::engine
