#include "engine/index/geohash.h"

#include "engine/assert.h"

#include <optional>
#include <utility>

namespace marchland::engine {

Geohash::Geohash(const Rect& bounds) : positions_(bounds), frame_(positions_.bounds()) {}

void Geohash::insert(Slot slot, Position at) {
    positions_.insert(slot, at);
    entries_.insert(entry_of(slot, at));
}

void Geohash::erase(Slot slot, Position at) {
    positions_.erase(slot, at);
    entries_.erase(entry_of(slot, at));
}

/// The node is taken out and put in again, with its memory.
void Geohash::move(Slot slot, Position from, Position to) {
    positions_.move(slot, from, to);
    auto node = entries_.extract(entry_of(slot, from));
    MARCHLAND_ASSERT(!node.empty());
    node.value() = entry_of(slot, to);
    entries_.insert(std::move(node));
}

void Geohash::query(const Rect& area, std::vector<Slot>& out) const {
    const GeohashCover cover = frame_.cover(area);
    for (const GeohashCover::Range& range : cover.ranges()) {
        for_each_in(range.first_bits, range.last_bits, [&](Slot slot) {
            if (area.contains(positions_.at(slot))) {
                out.push_back(slot);
            }
        });
    }
}

void Geohash::query_cell(const GeohashCell& cell, std::vector<Slot>& out) const {
    for_each_in(cell.bits, cell.last_bits(), [&out](Slot slot) { out.push_back(slot); });
}

bool Geohash::query_prefix(std::string_view prefix, std::vector<Slot>& out) const {
    const std::optional<GeohashCell> cell = geohash_from_text(prefix);
    if (cell) {
        query_cell(*cell, out);
    }
    return cell.has_value();
}

std::string Geohash::text_of(Slot slot, std::size_t characters) const {
    MARCHLAND_ASSERT(characters >= 1 && characters <= kGeohashTextMax);
    return to_text(frame_.cell_of(positions_.at(slot))).substr(0, characters);
}

template <typename Visit>
void Geohash::for_each_in(std::uint64_t first_bits, std::uint64_t last_bits, Visit&& visit) const {
    for (auto at = entries_.lower_bound({first_bits, Slot{0}});
         at != entries_.end() && at->bits <= last_bits; ++at) {
        visit(at->slot);
    }
}

}  // namespace marchland::engine
