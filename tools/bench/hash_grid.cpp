#include "tools/bench/hash_grid.h"

namespace marchland::bench {

HashGrid::HashGrid(std::int32_t edge_mm, std::span<const engine::Position> at,
                   std::span<const Senses> senses)
    : edge_mm_(edge_mm), places_(at.size()) {
    for (std::uint32_t entity = 0; entity < at.size(); ++entity) {
        add({at[entity].x, at[entity].y, entity, senses[entity].layers});
    }
}

void HashGrid::add(const Entry& entry) {
    const std::uint64_t key = key_at(entry.x, entry.y);
    Cell& cell = cells_[key];
    places_[entry.entity] = {&cell, key, cell.size()};
    cell.push_back(entry);
}

void HashGrid::remove(const Place& place) {
    Cell& cell = *place.cell;
    places_[cell.back().entity].index = place.index;
    cell[place.index] = cell.back();
    cell.pop_back();
}

void HashGrid::move(std::uint32_t entity, engine::Position to) {
    const Place place = places_[entity];
    Entry& entry = (*place.cell)[place.index];
    if (key_at(to.x, to.y) == place.key) {
        entry.x = to.x;
        entry.y = to.y;
        return;
    }
    const Entry moved{to.x, to.y, entity, entry.layers};
    remove(place);
    add(moved);
}

}  // namespace marchland::bench
