#include "engine/index/slot_lists.h"

#include "engine/assert.h"

namespace marchland::engine {

void SlotLists::grow_to(std::size_t list_count) {
    MARCHLAND_ASSERT(list_count >= lists_.size() && list_count <= kNone);
    lists_.resize(list_count);
}

void SlotLists::push(std::uint32_t list, Slot slot) {
    const std::uint32_t number = to_number(slot);
    MARCHLAND_ASSERT(list < lists_.size() && number != kNone);
    if (number >= links_.size()) {
        links_.resize(std::size_t{number} + 1);
    }
    MARCHLAND_ASSERT(links_[number].list == kNone);
    const std::uint32_t second = lists_[list].first;
    links_[number] = {second, kNone, list};
    if (second != kNone) {
        links_[second].previous = number;
    }
    lists_[list].first = number;
    ++lists_[list].size;
}

void SlotLists::remove(Slot slot) {
    const std::uint32_t number = to_number(slot);
    List& list = lists_[list_of(slot)];
    const Link link = links_[number];
    if (link.next != kNone) {
        links_[link.next].previous = link.previous;
    }
    if (link.previous != kNone) {
        links_[link.previous].next = link.next;
    } else {
        list.first = link.next;
    }
    links_[number].list = kNone;
    --list.size;
}

std::uint32_t SlotLists::list_of(Slot slot) const {
    MARCHLAND_ASSERT(to_number(slot) < links_.size());
    MARCHLAND_ASSERT(links_[to_number(slot)].list != kNone);
    return links_[to_number(slot)].list;
}

}  // namespace marchland::engine
