#include "engine/index/towers.h"

#include "engine/assert.h"

#include <optional>

namespace marchland::engine {

Towers::Towers(const GridOptions& options, std::size_t subscriptions_max)
    : markers_(options), watchers_(cells().columns(), cells().rows(), subscriptions_max) {}

bool Towers::watch(Slot watcher, Position at, std::int32_t range_mm, TowerCandidates& markers) {
    const CellRange towers = towers_around(at, range_mm);
    if (!watchers_.add(watcher, towers)) {
        return false;
    }
    markers_.append_cells(towers, markers.entered);
    return true;
}

bool Towers::change_range(Slot watcher, Position at, std::int32_t range_mm,
                          TowerCandidates& markers) {
    const CellRange before = watchers_.towers_of(watcher);
    const CellRange after = towers_around(at, range_mm);
    if (!watchers_.change(watcher, after)) {
        return false;
    }
    for_each_cell(before, [&](std::uint32_t column, std::uint32_t row) {
        const bool stays = is_in_block(after, column, row);
        markers_.append_cell(cells().cell_at(column, row), stays ? markers.stayed : markers.left);
    });
    for_each_cell(after, [&](std::uint32_t column, std::uint32_t row) {
        if (!is_in_block(before, column, row)) {
            markers_.append_cell(cells().cell_at(column, row), markers.entered);
        }
    });
    return true;
}

void Towers::unwatch(Slot watcher, TowerCandidates& markers) {
    markers_.append_cells(watchers_.towers_of(watcher), markers.left);
    watchers_.remove(watcher);
}

void Towers::watchers_near(Position at, std::vector<Slot>& out) const {
    const CellRange tower = markers_.cell_around(at);
    watchers_.for_each_at(tower.first_column, tower.first_row,
                          [&out](Slot watcher) { out.push_back(watcher); });
}

void Towers::watchers_of_step(Position from, Position to, TowerCandidates& watchers) const {
    const CellRange before = markers_.cell_around(from);
    const CellRange after = markers_.cell_around(to);
    watchers_.for_each_at(before.first_column, before.first_row, [&](Slot watcher) {
        const bool stays =
            is_in_block(watchers_.towers_of(watcher), after.first_column, after.first_row);
        (stays ? watchers.stayed : watchers.left).push_back(watcher);
    });
    watchers_.for_each_at(after.first_column, after.first_row, [&](Slot watcher) {
        if (!is_in_block(watchers_.towers_of(watcher), before.first_column, before.first_row)) {
            watchers.entered.push_back(watcher);
        }
    });
}

CellRange Towers::towers_around(Position at, std::int32_t range_mm) const {
    MARCHLAND_ASSERT(range_mm >= 0);
    MARCHLAND_ASSERT(markers_.positions().bounds().contains(at));
    const std::optional<MapArea> on_map = cells().clip(square_around(at, range_mm));
    MARCHLAND_ASSERT(on_map.has_value());
    return cells().range_of(*on_map);
}

}  // namespace marchland::engine
