#include "engine/index/index_storage.h"

#include "engine/assert.h"

#include <utility>

namespace marchland::engine {

void SlotLists::grow_to(std::size_t list_count) {
    MARCHLAND_ASSERT(list_count >= first_.size() && list_count <= kNone);
    first_.resize(list_count, kNone);
}

void SlotLists::push(std::uint32_t list, Slot slot) {
    const std::uint32_t number = to_number(slot);
    MARCHLAND_ASSERT(list < first_.size() && number != kNone);
    if (number >= links_.size()) {
        links_.resize(std::size_t{number} + 1);
    }
    MARCHLAND_ASSERT(links_[number].list == kNone);
    const std::uint32_t second = std::exchange(first_[list], number);
    links_[number] = {second, kNone, list};
    if (second != kNone) {
        links_[second].previous = number;
    }
}

void SlotLists::remove(Slot slot) {
    const std::uint32_t number = to_number(slot);
    const std::uint32_t list = list_of(slot);
    const Link link = links_[number];
    if (link.next != kNone) {
        links_[link.next].previous = link.previous;
    }
    if (link.previous != kNone) {
        links_[link.previous].next = link.next;
    } else {
        first_[list] = link.next;
    }
    links_[number].list = kNone;
}

std::uint32_t SlotLists::list_of(Slot slot) const {
    MARCHLAND_ASSERT(to_number(slot) < links_.size());
    MARCHLAND_ASSERT(links_[to_number(slot)].list != kNone);
    return links_[to_number(slot)].list;
}

namespace {

bool is_same_place(Position a, Position b) {
    return a.x == b.x && a.y == b.y;
}

}  // namespace

SlotPositions::SlotPositions(const Rect& bounds) : bounds_(bounds.common_part(kInt32Plane)) {
    MARCHLAND_ASSERT(!bounds_.is_empty());
}

void SlotPositions::insert(Slot slot, Position at) {
    MARCHLAND_ASSERT(!contains(slot));
    MARCHLAND_ASSERT(bounds_.contains(at));
    const std::size_t number = to_number(slot);
    if (number >= entries_.size()) {
        entries_.resize(number + 1);
    }
    entries_[number] = {at, true};
    ++size_;
}

void SlotPositions::erase(Slot slot, Position at) {
    MARCHLAND_ASSERT(contains(slot));
    Entry& entry = entries_[to_number(slot)];
    MARCHLAND_ASSERT(is_same_place(entry.at, at));
    entry.is_here = false;
    --size_;
}

void SlotPositions::move(Slot slot, Position from, Position to) {
    MARCHLAND_ASSERT(contains(slot));
    MARCHLAND_ASSERT(bounds_.contains(to));
    Entry& entry = entries_[to_number(slot)];
    MARCHLAND_ASSERT(is_same_place(entry.at, from));
    entry.at = to;
}

}  // namespace marchland::engine
