#pragma once

#include "engine/assert.h"
#include "engine/geometry.h"
#include "engine/ids.h"
#include "engine/index/index.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace marchland::engine {

/// How far something reaches from its middle along each axis, to both sides, in millimetres: a box
/// around a position. Never negative; a flat zone does not ask for z.
struct HalfExtents {
    std::int32_t x = 0;
    std::int32_t y = 0;
    std::int32_t z = 0;
};

/// Many unordered lists over the slots, each slot in at most one of them: the cells of a grid, the
/// nodes of a quadtree. The links stand in an array by slot, so a change of list allocates nothing
/// and a list that was long once leaves nothing behind.
///
///    first_  [ 7 ] [ - ] [ 2 ]          links_[7] <-> links_[3] <-> links_[4]
///
/// Shapes   Lists are numbered from 0. 12 bytes a slot, 4 a list.
/// Cost     push and remove O(1); for_each O(entries of that list).
/// Errors   Pushing a slot that is in a list, or removing one that is in none, asserts.
class SlotLists {
public:
    explicit SlotLists(std::size_t list_count) : first_(list_count, kNone) {}

    /// `list_count` is not below what it was. The new lists are empty.
    void grow_to(std::size_t list_count);

    /// At the front.
    void push(std::uint32_t list, Slot slot);
    void remove(Slot slot);

    /// `slot` is in a list.
    [[nodiscard]] std::uint32_t list_of(Slot slot) const;

    /// Calls `visit(Slot)`, which may remove that slot from its list.
    template <typename Visit>
    void for_each(std::uint32_t list, Visit&& visit) const {
        for (std::uint32_t at = first_[list]; at != kNone;) {
            const std::uint32_t next = links_[at].next;
            visit(static_cast<Slot>(at));
            at = next;
        }
    }

private:
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

    struct Link {
        std::uint32_t next = kNone;
        std::uint32_t previous = kNone;
        std::uint32_t list = kNone;  ///< kNone: in no list
    };

    std::vector<std::uint32_t> first_;  ///< by list
    std::vector<Link> links_;           ///< by slot
};

/// An index that knows where each slot is, and so holds its callers to what Index asks of them.
/// Each index keeps its own order besides.
///
/// Shapes   entries_[slot], free slots included. 16 bytes a slot.
/// Cost     O(1) each, and what the index's own order costs; walk O(slots).
/// Errors   Those of Index. z is carried along and never compared.
class PositionedIndex : public Index {
public:
    /// `bounds` may reach past int32, but holds some int32 position.
    explicit PositionedIndex(const Rect& bounds);

    void insert(Slot slot, Position at) final;
    void erase(Slot slot, Position at) final;
    void move(Slot slot, Position from, Position to) final;
    /// In ascending order of the slots.
    void walk(const std::function<void(Slot, Position)>& visit) const final;
    [[nodiscard]] std::size_t size() const final { return size_; }

protected:
    // The same in the index's own order. What is asked of callers holds, position_of has what is
    // new, and `at` of take and `from` are where the slot was put or shifted to last, in z as well.
    virtual void put(Slot slot, Position at) = 0;
    virtual void take(Slot slot, Position at) = 0;
    virtual void shift(Slot slot, Position from, Position to) = 0;

    [[nodiscard]] Position position_of(Slot slot) const {
        MARCHLAND_ASSERT(contains(slot));
        return entries_[to_number(slot)].at;
    }
    /// The part of the bounds that int32 positions can be in.
    [[nodiscard]] const Rect& bounds() const { return bounds_; }

private:
    struct Entry {
        Position at;
        bool is_here = false;
    };

    [[nodiscard]] bool contains(Slot slot) const {
        return to_number(slot) < entries_.size() && entries_[to_number(slot)].is_here;
    }
    /// Of a slot that is here, at that x and y.
    [[nodiscard]] Entry& entry_at(Slot slot, Position at);

    const Rect bounds_;
    std::vector<Entry> entries_;
    std::size_t size_ = 0;
};

}  // namespace marchland::engine
