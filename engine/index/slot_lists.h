#pragma once

#include "engine/ids.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace marchland::engine {

/// Many unordered lists over the slots, each slot in at most one of them: the cells of a grid, the
/// nodes of a quadtree. The links stand in an array by slot, so a change of list allocates nothing
/// and a list that was long once leaves nothing behind.
///
///    lists_  [ 7 ] [ - ] [ 2 ]          links_[7] <-> links_[3] <-> links_[4]
///
/// Shapes   Lists are numbered from 0. 12 bytes a slot, 8 a list.
/// Cost     push and remove O(1); for_each O(entries of that list).
/// Errors   Pushing a slot that is in a list, or removing one that is in none, asserts.
class SlotLists {
public:
    explicit SlotLists(std::size_t list_count) : lists_(list_count) {}

    /// `list_count` is not below what it was. The new lists are empty.
    void grow_to(std::size_t list_count);

    /// At the front.
    void push(std::uint32_t list, Slot slot);
    void remove(Slot slot);

    /// `slot` is in a list.
    [[nodiscard]] std::uint32_t list_of(Slot slot) const;
    [[nodiscard]] std::size_t size_of(std::uint32_t list) const { return lists_[list].size; }

    /// Calls `visit(Slot)`, which may remove that slot from its list.
    template <typename Visit>
    void for_each(std::uint32_t list, Visit&& visit) const {
        for (std::uint32_t at = lists_[list].first; at != kNone;) {
            const std::uint32_t next = links_[at].next;
            visit(static_cast<Slot>(at));
            at = next;
        }
    }

private:
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

    struct List {
        std::uint32_t first = kNone;
        std::uint32_t size = 0;
    };
    struct Link {
        std::uint32_t next = kNone;
        std::uint32_t previous = kNone;
        std::uint32_t list = kNone;  ///< kNone: in no list
    };

    std::vector<List> lists_;
    std::vector<Link> links_;  ///< by slot
};

}  // namespace marchland::engine
