#pragma once

#include "engine/geometry.h"
#include "engine/ids.h"
#include "engine/index/axis_order.h"
#include "engine/index/grid_cells.h"
#include "engine/index/index.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace marchland::engine {

/// The entities of one cell that holds many, in x order and in y order. A query finds its span in
/// both and walks the shorter one:
///
///        y
///        |   . a .  .  .  .        The area [ ] spans 3 of the cell in x and 9 in y: walk the
///        | . [ . b ] . .  .        3 in x order, keep those whose y fits.
///        +----------------- x
///
/// Cost     As AxisOrder, twice. 24 bytes an entity, and as much again where blocks are half full.
class CrowdedCell {
public:
    void add(Slot slot, Position at);
    /// All of these at once: sorted, not inserted one by one.
    void load(std::span<const Placed> entities);
    void remove(Slot slot, Position at);
    void move(Slot slot, Position from, Position to);
    /// Keeps the memory.
    void clear();

    void append_all(std::vector<Slot>& out) const;
    void append_inside(const MapArea& area, std::vector<Slot>& out) const;

    /// Calls `visit(Slot, Position)`; z is 0.
    template <typename Visit>
    void for_each(Visit&& visit) const {
        by_x_.for_each([&visit](Slot slot, std::int32_t x, std::int32_t y) {
            visit(slot, Position{x, y, 0});
        });
    }

    [[nodiscard]] std::size_t size() const { return by_x_.size(); }

private:
    AxisOrder by_x_;
    AxisOrder by_y_;
};

}  // namespace marchland::engine
