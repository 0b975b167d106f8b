#include "engine/index/towers.h"

#include "engine/assert.h"

#include <algorithm>
#include <optional>

namespace marchland::engine {
namespace {

std::size_t size_of(const CellRange& block) {
    return (std::size_t{block.last_column} - block.first_column + 1) *
           (std::size_t{block.last_row} - block.first_row + 1);
}

}  // namespace

Towers::Towers(const IndexOptions& options, std::size_t subscriptions_max)
    : Grid(options), subscriptions_max_(subscriptions_max), listeners_(cells().size()) {}

bool Towers::watch(Slot watcher, Position at, std::int32_t range_mm, TowerCandidates& markers) {
    MARCHLAND_ASSERT(!is_watching(watcher));
    const CellRange towers = towers_around(at, range_mm);
    if (size_of(towers) > subscriptions_max_ - subscription_count_) {
        return false;
    }
    if (to_number(watcher) >= towers_of_.size()) {
        towers_of_.resize(std::size_t{to_number(watcher)} + 1);
    }
    towers_of_[to_number(watcher)] = towers;
    for_each_cell(towers, [&](std::uint32_t column, std::uint32_t row) {
        subscribe(watcher, cells().cell_at(column, row));
    });
    append_cells(towers, markers.entered);
    return true;
}

/// Towers that are in both blocks keep their record: of a watcher that walks, most of them.
bool Towers::change_range(Slot watcher, Position at, std::int32_t range_mm,
                          TowerCandidates& markers) {
    const CellRange before = towers_of(watcher);
    const CellRange after = towers_around(at, range_mm);
    const std::size_t others = subscription_count_ - size_of(before);
    if (size_of(after) > subscriptions_max_ - others) {
        return false;
    }
    towers_of_[to_number(watcher)] = after;
    for_each_cell(before, [&](std::uint32_t column, std::uint32_t row) {
        const std::uint32_t tower = cells().cell_at(column, row);
        const bool stays = is_in_block(after, column, row);
        append_cell(tower, stays ? markers.stayed : markers.left);
        if (!stays) {
            unsubscribe(watcher, tower);
        }
    });
    for_each_cell(after, [&](std::uint32_t column, std::uint32_t row) {
        if (!is_in_block(before, column, row)) {
            const std::uint32_t tower = cells().cell_at(column, row);
            append_cell(tower, markers.entered);
            subscribe(watcher, tower);
        }
    });
    return true;
}

void Towers::unwatch(Slot watcher, TowerCandidates& markers) {
    const CellRange towers = towers_of(watcher);
    append_cells(towers, markers.left);
    for_each_cell(towers, [&](std::uint32_t column, std::uint32_t row) {
        unsubscribe(watcher, cells().cell_at(column, row));
    });
    towers_of_[to_number(watcher)].reset();
}

void Towers::watchers_near(Position at, std::vector<Slot>& out) const {
    const std::vector<Slot>& near = listeners_at(cell_around(at));
    out.insert(out.end(), near.begin(), near.end());
}

void Towers::watchers_of_step(Position from, Position to, TowerCandidates& watchers) const {
    const CellRange before = cell_around(from);
    const CellRange after = cell_around(to);
    for (const Slot watcher : listeners_at(before)) {
        const bool stays = is_in_block(towers_of(watcher), after.first_column, after.first_row);
        (stays ? watchers.stayed : watchers.left).push_back(watcher);
    }
    for (const Slot watcher : listeners_at(after)) {
        if (!is_in_block(towers_of(watcher), before.first_column, before.first_row)) {
            watchers.entered.push_back(watcher);
        }
    }
}

CellRange Towers::towers_around(Position at, std::int32_t range_mm) const {
    MARCHLAND_ASSERT(range_mm >= 0);
    MARCHLAND_ASSERT(positions_.bounds().contains(at));
    const std::optional<MapArea> on_map = cells().clip(square_around(at, range_mm));
    MARCHLAND_ASSERT(on_map.has_value());
    return cells().range_of(*on_map);
}

const CellRange& Towers::towers_of(Slot watcher) const {
    MARCHLAND_ASSERT(is_watching(watcher));
    return *towers_of_[to_number(watcher)];
}

const std::vector<Slot>& Towers::listeners_at(const CellRange& tower) const {
    return listeners_[cells().cell_at(tower.first_column, tower.first_row)];
}

void Towers::subscribe(Slot watcher, std::uint32_t tower) {
    listeners_[tower].push_back(watcher);
    ++subscription_count_;
}

void Towers::unsubscribe(Slot watcher, std::uint32_t tower) {
    std::vector<Slot>& listeners = listeners_[tower];
    const auto place = std::find(listeners.begin(), listeners.end(), watcher);
    MARCHLAND_ASSERT(place != listeners.end());
    *place = listeners.back();
    listeners.pop_back();
    --subscription_count_;
}

}  // namespace marchland::engine
