#pragma once

#include "engine/ids.h"
#include "engine/index/index.h"
#include "engine/index/index_storage.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace marchland::engine {

/// Entities in the order of one coordinate: one axis of a cross list, a linked list in an array. Ties
/// are in the order of the slots, so each entity has exactly one place.
///
///    end <-> (1,a) <-> (2,b) <-> (3,c) <-> (3,d) <-> end        a ring: the end is place 0
///
/// To find a place from nowhere in particular, the list looks at every √n-th element of the array
/// and walks on from the best of them: there is nothing beside the list to keep up to date.
///
/// Shapes   Place 0 is the end, place s + 1 is slot s. 12 bytes a slot.
/// Order    Ascending value, then ascending slot.
/// Cost     insert and first_from O(√n) as long as neighbours in the array are not neighbours on
///          the axis by design, O(n) at worst; erase O(1); move O(entities passed), but no more
///          than an insert; load O(m log m) for m, plus one walk over the list.
/// Errors   Inserting what is here, or naming what is not, asserts.
/// Source   A sorted list in an array, entered by sampling: Cormen, Leiserson, Rivest and Stein,
///          "Introduction to Algorithms", problem 10-3 (3rd ed.).
class AxisList {
public:
    using Place = std::uint32_t;
    static constexpr Place kEnd = 0;

    void insert(Slot slot, std::int32_t value);
    void erase(Slot slot);
    void move(Slot slot, std::int32_t value);

    struct Entry {
        std::int32_t value = 0;
        Slot slot{};

        friend auto operator<=>(const Entry&, const Entry&) = default;
    };
    /// Inserts these, best in ascending order: another one only walks more.
    void merge(std::span<const Entry> entries);

    /// The first with value >= min, or kEnd.
    [[nodiscard]] Place first_from(std::int64_t min) const;
    /// `slot` is here.
    [[nodiscard]] Place place_of(Slot slot) const;

    /// After the last comes kEnd, and after kEnd the first; backwards likewise.
    [[nodiscard]] Place next(Place place) const { return nodes_[place].next; }
    [[nodiscard]] Place previous(Place place) const { return nodes_[place].previous; }
    /// Of any place but kEnd.
    [[nodiscard]] std::int32_t value_at(Place place) const { return nodes_[place].value; }
    [[nodiscard]] static Slot slot_at(Place place) { return static_cast<Slot>(place - 1); }

private:
    static constexpr Place kUnlinked = std::numeric_limits<Place>::max();

    struct Node {
        std::int32_t value = 0;
        Place next = kUnlinked;
        Place previous = kUnlinked;
    };

    [[nodiscard]] Entry entry_at(Place place) const { return {value_at(place), slot_at(place)}; }
    [[nodiscard]] bool is_linked(Place place) const {
        return place < nodes_.size() && nodes_[place].next != kUnlinked;
    }
    [[nodiscard]] bool is_between(const Entry& entry, Place before, Place after) const;
    [[nodiscard]] Place sample_before(const Entry& entry) const;
    [[nodiscard]] Place walk_before(const Entry& entry, Place start, std::size_t steps_max) const;
    [[nodiscard]] Place last_before(const Entry& entry) const;
    void make_room_for(Slot slot);
    void link_after(Place before, const Entry& entry);
    void unlink(Place place);

    std::vector<Node> nodes_{Node{0, kEnd, kEnd}};  ///< by place
    std::size_t stride_ = 1;                        ///< √nodes, rounded up
};

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
class CrossList final : public PositionedIndex {
public:
    explicit CrossList(const IndexOptions& options);

    void insert(Slot slot, Position at) override;
    void erase(Slot slot, Position at) override;
    void move(Slot slot, Position from, Position to) override;
    void load(std::span<const Placed> entities) override;
    void query(const Rect& area, std::vector<Slot>& out) const override;

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
    const std::size_t axis_count_;
    std::array<AxisList, 3> lists_;  ///< the first axis_count_ are in use
};

}  // namespace marchland::engine
