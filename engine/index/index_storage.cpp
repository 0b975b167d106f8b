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

PositionedIndex::PositionedIndex(const Rect& bounds) : bounds_(bounds.common_part(kInt32Plane)) {
    MARCHLAND_ASSERT(!bounds_.is_empty());
}

void PositionedIndex::insert(Slot slot, Position at) {
    MARCHLAND_ASSERT(!contains(slot));
    MARCHLAND_ASSERT(bounds_.contains(at));
    const std::size_t number = to_number(slot);
    if (number >= entries_.size()) {
        entries_.resize(number + 1);
    }
    entries_[number] = {at, true};
    ++size_;
    put(slot, at);
}

void PositionedIndex::erase(Slot slot, Position at) {
    Entry& entry = entry_at(slot, at);
    entry.is_here = false;
    --size_;
    take(slot, entry.at);
}

void PositionedIndex::move(Slot slot, Position from, Position to) {
    MARCHLAND_ASSERT(bounds_.contains(to));
    const Position before = std::exchange(entry_at(slot, from).at, to);
    shift(slot, before, to);
}

void PositionedIndex::walk(const std::function<void(Slot, Position)>& visit) const {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        if (entries_[i].is_here) {
            visit(static_cast<Slot>(i), entries_[i].at);
        }
    }
}

PositionedIndex::Entry& PositionedIndex::entry_at(Slot slot, Position at) {
    MARCHLAND_ASSERT(contains(slot));
    Entry& entry = entries_[to_number(slot)];
    MARCHLAND_ASSERT(entry.at.x == at.x && entry.at.y == at.y);
    return entry;
}

}  // namespace marchland::engine
