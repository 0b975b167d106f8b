#pragma once

#include "engine/ids.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
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

}  // namespace marchland::engine
