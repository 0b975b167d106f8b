#include "tools/bench/hash_grid.h"

#include <algorithm>

namespace marchland::bench {
namespace {

/// Rounds down, so that the cell at 0 is no wider than the others.
std::int32_t cell_along(std::int32_t at_mm, std::int32_t edge_mm) {
    const std::int32_t cell = at_mm / edge_mm;
    return at_mm % edge_mm < 0 ? cell - 1 : cell;
}

std::uint64_t key_of(std::int32_t column, std::int32_t row) {
    return (std::uint64_t{static_cast<std::uint32_t>(column)} << 32U) |
           static_cast<std::uint32_t>(row);
}

}  // namespace

HashGrid::HashGrid(std::int32_t radius_mm, std::span<const engine::Position> at)
    : radius_mm_(radius_mm), places_(at.size()) {
    for (std::uint32_t entity = 0; entity < at.size(); ++entity) {
        add(entity, at[entity]);
    }
}

std::uint64_t HashGrid::key_at(std::int32_t x, std::int32_t y) const {
    return key_of(cell_along(x, radius_mm_), cell_along(y, radius_mm_));
}

void HashGrid::add(std::uint32_t entity, engine::Position at) {
    const std::uint64_t key = key_at(at.x, at.y);
    Cell& cell = cells_[key];
    places_[entity] = {&cell, key, cell.size()};
    cell.push_back({at.x, at.y, entity});
}

void HashGrid::remove(const Place& place) {
    Cell& cell = *place.cell;
    places_[cell.back().entity].index = place.index;
    cell[place.index] = cell.back();
    cell.pop_back();
}

void HashGrid::move(std::uint32_t entity, engine::Position to) {
    const Place place = places_[entity];
    if (key_at(to.x, to.y) == place.key) {
        Entry& entry = (*place.cell)[place.index];
        entry.x = to.x;
        entry.y = to.y;
        return;
    }
    remove(place);
    add(entity, to);
}

void HashGrid::query(std::uint32_t entity, std::vector<std::uint32_t>& found) const {
    found.clear();
    const engine::Position at = position_of(entity);
    const std::int32_t column = cell_along(at.x, radius_mm_);
    const std::int32_t row = cell_along(at.y, radius_mm_);
    const std::int64_t radius_squared = std::int64_t{radius_mm_} * radius_mm_;
    for (std::int32_t r = row - 1; r <= row + 1; ++r) {
        for (std::int32_t c = column - 1; c <= column + 1; ++c) {
            const auto cell = cells_.find(key_of(c, r));
            if (cell == cells_.end()) continue;
            for (const Entry& entry : cell->second) {
                const std::int64_t dx = std::int64_t{entry.x} - at.x;
                const std::int64_t dy = std::int64_t{entry.y} - at.y;
                if (dx * dx + dy * dy <= radius_squared && entry.entity != entity) {
                    found.push_back(entry.entity);
                }
            }
        }
    }
    std::sort(found.begin(), found.end());
}

}  // namespace marchland::bench
