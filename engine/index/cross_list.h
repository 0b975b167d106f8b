#pragma once

#include "engine/index/axis_list.h"
#include "engine/index/half_extents.h"
#include "engine/index/index.h"
#include "engine/index/slot_positions.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace marchland::engine {

/// A box in the zone's frame, both ends inclusive, in millimetres.
struct Box {
    Rect plane;
    std::int64_t min_z = 0;
    std::int64_t max_z = 0;

    [[nodiscard]] constexpr bool contains(Position p) const {
        return plane.contains(p) && p.z >= min_z && p.z <= max_z;
    }
};

enum class Axis : std::uint8_t { x, y, z };

/// Which entities are in this part of the map? One sorted list for each axis over the whole map: x, y
/// and, in a zone of three dimensions, z.
///
///        y |     e                  x: a -> b -> c -> d -> e
///          |  [  .  ] .             y: c -> b -> d -> a -> e
///          | a[  d  ]               a range around d: from d outwards, both ways, on all lists
///          |  [b .  ]               in step; the first one whose ends are reached had the
///          +----c---------- x       fewest: those are looked at, the other lists left alone
///
/// Shapes   N entities; a node of each list for each, in arrays by slot. 40 bytes an entity, 52 in
///          three dimensions. No allocation but for a slot never seen before.
/// Order    Of each list: ascending coordinate, then ascending slot. Of results: none.
/// Cost     query_around O(dimensions * entities of the shortest span); query the same, and O(√N)
///          to enter the lists; insert O(√N); move O(entities passed), at most O(√N); erase O(1);
///          load O(n log n + N). The √N are expected ones, see AxisList.
/// Choose   for maps that are sparse along some axis, for views of very different sizes, and where
///          no cell size is right. Not for large crowded maps: a span is a strip through all of it,
///          and steps pass everybody with a like coordinate however far away.
/// Source   The cross-linked list ("orthogonal list") AOI of MMO servers: BigWorld's range lists,
///          KBEngine's coordinate system.
class CrossList final : public Index {
public:
    CrossList(const Rect& bounds, Dimensions dimensions);

    void insert(Slot slot, Position at) override;
    void erase(Slot slot, Position at) override;
    void move(Slot slot, Position from, Position to) override;
    void load(std::span<const Placed> entities) override;
    void query(const Rect& area, std::vector<Slot>& out) const override;
    void walk(const std::function<void(Slot, Position)>& visit) const override {
        positions_.for_each(visit);
    }
    [[nodiscard]] std::size_t size() const override { return positions_.size(); }

    /// Appends exactly those in the box around `slot`, which is here and one of them.
    void query_around(Slot slot, HalfExtents half, std::vector<Slot>& out) const;
    /// Appends exactly those in the box. In a flat zone z is not asked for.
    void query_box(const Box& box, std::vector<Slot>& out) const;

    /// Appends all slots, in the order of that axis, which the zone has.
    void append_in_order(Axis axis, std::vector<Slot>& out) const;
    /// The list of that axis, for a person who debugs: `a(1,5) -> b(2,2)`, in a zone of three
    /// dimensions `a(1,5,0) -> b(2,2,7)`.
    [[nodiscard]] std::string print(Axis axis,
                                    const std::function<std::string(Slot)>& name_of) const;

private:
    [[nodiscard]] const AxisList& list_of(Axis axis) const;

    SlotPositions positions_;
    const std::size_t axis_count_;
    std::array<AxisList, 3> lists_;  ///< the first axis_count_ are in use
};

}  // namespace marchland::engine
