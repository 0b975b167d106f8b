#include "engine/index/towers.h"

#include "engine/assert.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace marchland::engine {
namespace {

std::size_t size_of(const CellRange& block) {
    return (std::size_t{block.last_column} - block.first_column + 1) *
           (std::size_t{block.last_row} - block.first_row + 1);
}

/// How many towers are in both blocks.
std::size_t shared_size_of(const CellRange& a, const CellRange& b) {
    const CellRange shared{
        std::max(a.first_column, b.first_column), std::max(a.first_row, b.first_row),
        std::min(a.last_column, b.last_column), std::min(a.last_row, b.last_row)};
    const bool is_empty =
        shared.first_column > shared.last_column || shared.first_row > shared.last_row;
    return is_empty ? 0 : size_of(shared);
}

}  // namespace

Towers::Towers(const IndexOptions& options, std::size_t subscriptions_max)
    : Grid(options), subscriptions_max_(subscriptions_max), listeners_(cells().size()) {
    MARCHLAND_ASSERT(subscriptions_max < kNone);
}

bool Towers::watch(Slot watcher, Position at, std::int32_t range_mm, TowerCandidates& markers) {
    MARCHLAND_ASSERT(!is_watching(watcher));
    const CellRange towers = towers_around(at, range_mm);
    if (size_of(towers) > subscriptions_max_ - subscription_count()) {
        return false;
    }
    if (to_number(watcher) >= watchers_.size()) {
        watchers_.resize(std::size_t{to_number(watcher)} + 1);
    }
    watchers_[to_number(watcher)] = {towers, kNone, true};
    for_each_cell(towers, [&](std::uint32_t column, std::uint32_t row) {
        subscribe(watcher, cells().cell_at(column, row));
    });
    append_cells(towers, markers.entered);
    return true;
}

/// Towers that are in both blocks keep their pair: of a watcher that walks, most of them.
bool Towers::change_range(Slot watcher, Position at, std::int32_t range_mm,
                          TowerCandidates& markers) {
    const CellRange before = towers_of(watcher);
    const CellRange after = towers_around(at, range_mm);
    const std::size_t kept = shared_size_of(before, after);
    const std::size_t size_without = subscription_count() - (size_of(before) - kept);
    if (size_of(after) - kept > subscriptions_max_ - size_without) {
        return false;
    }
    drop_all_but(watchers_[to_number(watcher)], [&](std::uint32_t tower) {
        return is_in_block(after, tower % cells().columns(), tower / cells().columns());
    });
    watchers_[to_number(watcher)].towers = after;
    for_each_cell(before, [&](std::uint32_t column, std::uint32_t row) {
        const bool stays = is_in_block(after, column, row);
        append_cell(cells().cell_at(column, row), stays ? markers.stayed : markers.left);
    });
    for_each_cell(after, [&](std::uint32_t column, std::uint32_t row) {
        if (!is_in_block(before, column, row)) {
            subscribe(watcher, cells().cell_at(column, row));
            append_cell(cells().cell_at(column, row), markers.entered);
        }
    });
    return true;
}

void Towers::unwatch(Slot watcher, TowerCandidates& markers) {
    append_cells(towers_of(watcher), markers.left);
    drop_all_but(watchers_[to_number(watcher)], [](std::uint32_t) { return false; });
    watchers_[to_number(watcher)].is_here = false;
}

void Towers::watchers_near(Position at, std::vector<Slot>& out) const {
    MARCHLAND_ASSERT(bounds().contains(at));
    for_each_at(cells().cell_of(at), [&out](Slot watcher) { out.push_back(watcher); });
}

void Towers::watchers_of_step(Position from, Position to, TowerCandidates& watchers) const {
    const CellRange before = cell_around(from);
    const CellRange after = cell_around(to);
    for_each_at(cells().cell_of(from), [&](Slot watcher) {
        const bool stays = is_in_block(towers_of(watcher), after.first_column, after.first_row);
        (stays ? watchers.stayed : watchers.left).push_back(watcher);
    });
    for_each_at(cells().cell_of(to), [&](Slot watcher) {
        if (!is_in_block(towers_of(watcher), before.first_column, before.first_row)) {
            watchers.entered.push_back(watcher);
        }
    });
}

CellRange Towers::towers_around(Position at, std::int32_t range_mm) const {
    MARCHLAND_ASSERT(range_mm >= 0);
    MARCHLAND_ASSERT(bounds().contains(at));
    const std::optional<MapArea> on_map = cells().clip(square_around(at, range_mm));
    MARCHLAND_ASSERT(on_map.has_value());
    return cells().range_of(*on_map);
}

const CellRange& Towers::towers_of(Slot watcher) const {
    MARCHLAND_ASSERT(is_watching(watcher));
    return watchers_[to_number(watcher)].towers;
}

void Towers::subscribe(Slot watcher, std::uint32_t tower) {
    if (free_.empty()) {
        free_.push_back(static_cast<std::uint32_t>(pairs_.size()));
        pairs_.emplace_back();
    }
    const std::uint32_t pair = free_.back();
    free_.pop_back();
    pairs_[pair] = {watcher, std::exchange(watchers_[to_number(watcher)].first, pair)};
    listeners_.push(tower, Slot{pair});
}

template <typename IsKept>
void Towers::drop_all_but(Watcher& watcher, IsKept&& is_kept) {
    for (std::uint32_t rest = std::exchange(watcher.first, kNone); rest != kNone;) {
        const std::uint32_t pair = rest;
        rest = pairs_[pair].next_of_watcher;
        if (is_kept(listeners_.list_of(Slot{pair}))) {
            pairs_[pair].next_of_watcher = std::exchange(watcher.first, pair);
        } else {
            listeners_.remove(Slot{pair});
            free_.push_back(pair);
        }
    }
}

}  // namespace marchland::engine
