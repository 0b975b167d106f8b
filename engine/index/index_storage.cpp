#include "engine/index/index_storage.h"

#include "engine/assert.h"

#include <algorithm>
#include <limits>
#include <optional>

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

namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();

Rect on_int32_plane(const Rect& bounds) {
    return {std::max(bounds.min_x, kMin), std::max(bounds.min_y, kMin),
            std::min(bounds.max_x, kMax), std::min(bounds.max_y, kMax)};
}

bool is_same_place(Position a, Position b) {
    return a.x == b.x && a.y == b.y;
}

}  // namespace

SlotPositions::SlotPositions(const Rect& bounds) : bounds_(on_int32_plane(bounds)) {
    MARCHLAND_ASSERT(bounds_.min_x <= bounds_.max_x && bounds_.min_y <= bounds_.max_y);
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

CellLists::CellLists(const IndexOptions& options)
    : PositionedIndex(options.bounds),
      cells_(options.bounds, options.cell_mm, options.cells_max),
      lists_(cells_.size()) {}

void CellLists::insert(Slot slot, Position at) {
    positions_.insert(slot, at);
    lists_.push(cells_.cell_of(at), slot);
}

void CellLists::erase(Slot slot, Position at) {
    positions_.erase(slot, at);
    lists_.remove(slot);
}

void CellLists::move(Slot slot, Position from, Position to) {
    positions_.move(slot, from, to);
    const std::uint32_t cell = cells_.cell_of(to);
    if (lists_.list_of(slot) != cell) {
        lists_.remove(slot);
        lists_.push(cell, slot);
    }
}

void CellLists::query(const Rect& area, std::vector<Slot>& out) const {
    const std::optional<MapArea> on_map = cells_.clip(area);
    if (!on_map) {
        return;
    }
    const CellRange range = cells_.range_of(*on_map);
    for_each_cell(range, [&](std::uint32_t column, std::uint32_t row) {
        const std::uint32_t cell = cells_.cell_at(column, row);
        if (range.is_inside(column, row)) {
            append_cell(cell, out);
            return;
        }
        lists_.for_each(cell, [&](Slot slot) {
            const Position at = positions_.at(slot);
            if (on_map->contains(at.x, at.y)) {
                out.push_back(slot);
            }
        });
    });
}

void CellLists::append_cell(std::uint32_t cell, std::vector<Slot>& out) const {
    lists_.for_each(cell, [&out](Slot slot) { out.push_back(slot); });
}

void CellLists::append_cells(const CellRange& range, std::vector<Slot>& out) const {
    for_each_cell(range, [&](std::uint32_t column, std::uint32_t row) {
        append_cell(cells_.cell_at(column, row), out);
    });
}

CellRange CellLists::cell_around(Position at) const {
    MARCHLAND_ASSERT(positions_.bounds().contains(at));
    return cells_.range_of({at.x, at.y, at.x, at.y});
}

}  // namespace marchland::engine
