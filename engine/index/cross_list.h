#pragma once

#include "engine/ids.h"
#include "engine/index/axis_order.h"
#include "engine/index/index.h"
#include "engine/index/index_storage.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
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

/// Which entities are in this part of the map? One sorted list for each axis over the whole map: x,
/// y and, in a zone of three dimensions, z.
///
///        y |     e                  x: a b c d e
///          |  [  .  ] .             y: c b d a e
///          | a[  d  ]               a range around d: where it begins and ends in each order,
///          |  [b .  ]               by bisection; the order with the fewest between the two is
///          +----c---------- x       walked, the others left alone
///
/// Shapes   N entities, each in an AxisOrder for each axis. 40 bytes an entity, 52 in three
///          dimensions; up to four times that where many were erased: two blocks become one at 256
///          entities together.
/// Order    In each axis: ascending coordinate, then ascending slot. Of results: none.
/// Cost     query and query_box O(dimensions * (log N + blocks of the span)) and the entities of
///          the shortest span; insert, erase and move those of AxisOrder, for each axis.
/// Choose   for maps that are sparse along some axis, for views of very different sizes, and where
///          no cell size is right. Not for large crowded maps: a span is a strip through all of it,
///          and steps pass everybody with a like coordinate however far away.
/// Source   The cross-linked list ("orthogonal list") AOI of MMO servers: BigWorld's range lists,
///          KBEngine's coordinate system.
class CrossList final : public PositionedIndex {
public:
    explicit CrossList(const IndexOptions& options);

    void query(const Rect& area, std::vector<Slot>& out) const override;

    /// Appends exactly those in the box around `slot`, which is here and one of them.
    void query_around(Slot slot, HalfExtents half, std::vector<Slot>& out) const;
    /// Appends exactly those in the box. In a flat zone z is not asked for.
    void query_box(const Box& box, std::vector<Slot>& out) const;

    /// The list of that axis, for a person who debugs: `a(1,5) -> b(2,2)`, in a zone of three
    /// dimensions `a(1,5,0) -> b(2,2,7)`. Asserts that the zone has that axis.
    [[nodiscard]] std::string print(Axis axis,
                                    const std::function<std::string(Slot)>& name_of) const;

private:
    void put(Slot slot, Position at) override;
    void take(Slot slot, Position at) override;
    void shift(Slot slot, Position from, Position to) override;

    const std::size_t axis_count_;
    std::array<AxisOrder, 3> orders_;  ///< the first axis_count_ are in use; nothing stands beside
};

}  // namespace marchland::engine
