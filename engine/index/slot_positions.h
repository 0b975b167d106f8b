#pragma once

#include "engine/assert.h"
#include "engine/geometry.h"
#include "engine/ids.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace marchland::engine {

/// Where is each slot? The part that the indexes of this folder have in common: each keeps its own
/// order beside it, and here its callers are held to what Index asks of them.
///
/// Shapes   entries_[slot], free slots included. 16 bytes a slot.
/// Cost     O(1) each; for_each O(slots).
/// Errors   Those of Index: inserting a slot twice, naming one that is not here or not at that x
///          and y, a position outside the bounds. z is carried along and never compared.
class SlotPositions {
public:
    /// `bounds` may reach past int32, but holds some int32 position.
    explicit SlotPositions(const Rect& bounds);

    void insert(Slot slot, Position at);
    void erase(Slot slot, Position at);
    void move(Slot slot, Position from, Position to);

    [[nodiscard]] bool contains(Slot slot) const {
        return to_number(slot) < entries_.size() && entries_[to_number(slot)].is_here;
    }
    [[nodiscard]] Position at(Slot slot) const {
        MARCHLAND_ASSERT(contains(slot));
        return entries_[to_number(slot)].at;
    }
    /// The part of the bounds that int32 positions can be in.
    [[nodiscard]] const Rect& bounds() const { return bounds_; }
    [[nodiscard]] std::size_t size() const { return size_; }

    /// Calls `visit(Slot, Position)`, in ascending order of the slots.
    template <typename Visit>
    void for_each(Visit&& visit) const {
        for (std::size_t i = 0; i < entries_.size(); ++i) {
            if (entries_[i].is_here) {
                visit(static_cast<Slot>(i), entries_[i].at);
            }
        }
    }

private:
    struct Entry {
        Position at;
        bool is_here = false;
    };

    const Rect bounds_;
    std::vector<Entry> entries_;
    std::size_t size_ = 0;
};

}  // namespace marchland::engine
