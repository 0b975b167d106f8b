#include "engine/index/towers.h"

#include "engine/assert.h"
#include "engine/index/index_storage.h"

#include <algorithm>
#include <optional>

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

TowerSubscriptions::TowerSubscriptions(std::uint32_t columns, std::uint32_t rows,
                                       std::size_t subscriptions_max)
    : columns_(columns),
      subscriptions_max_(subscriptions_max),
      first_at_(std::size_t{columns} * rows, kNone) {
    MARCHLAND_ASSERT(subscriptions_max < kNone);
}

bool TowerSubscriptions::add(Slot watcher, const CellRange& towers) {
    MARCHLAND_ASSERT(!contains(watcher));
    if (size_of(towers) > subscriptions_max_ - size_) {
        return false;
    }
    const std::size_t number = to_number(watcher);
    if (number >= watchers_.size()) {
        watchers_.resize(number + 1);
    }
    watchers_[number] = {towers, kNone, true};
    for_each_cell(towers, [&](std::uint32_t column, std::uint32_t row) {
        subscribe(watcher, tower_at(column, row));
    });
    return true;
}

/// Towers that are in both blocks keep their record: of a watcher that walks, most of them.
bool TowerSubscriptions::change(Slot watcher, const CellRange& towers) {
    const CellRange before = towers_of(watcher);
    const std::size_t kept = shared_size_of(before, towers);
    const std::size_t size_without = size_ - (size_of(before) - kept);
    if (size_of(towers) - kept > subscriptions_max_ - size_without) {
        return false;
    }
    drop_all_outside(watchers_[to_number(watcher)], towers);
    watchers_[to_number(watcher)].towers = towers;
    for_each_cell(towers, [&](std::uint32_t column, std::uint32_t row) {
        if (!is_in_block(before, column, row)) {
            subscribe(watcher, tower_at(column, row));
        }
    });
    return true;
}

void TowerSubscriptions::remove(Slot watcher) {
    MARCHLAND_ASSERT(contains(watcher));
    Watcher& leaver = watchers_[to_number(watcher)];
    while (leaver.first != kNone) {
        const std::uint32_t record = leaver.first;
        leaver.first = records_[record].next_of_watcher;
        release(record);
    }
    leaver.is_here = false;
}

const CellRange& TowerSubscriptions::towers_of(Slot watcher) const {
    MARCHLAND_ASSERT(contains(watcher));
    return watchers_[to_number(watcher)].towers;
}

void TowerSubscriptions::subscribe(Slot watcher, std::uint32_t tower) {
    if (free_ == kNone) {
        free_ = static_cast<std::uint32_t>(records_.size());
        records_.emplace_back();
    }
    const std::uint32_t record = free_;
    free_ = records_[record].next_of_watcher;

    std::uint32_t& first_of_watcher = watchers_[to_number(watcher)].first;
    const std::uint32_t second_at_tower = first_at_[tower];
    records_[record] = {watcher, tower, second_at_tower, kNone, first_of_watcher};
    if (second_at_tower != kNone) {
        records_[second_at_tower].previous_at_tower = record;
    }
    first_at_[tower] = record;
    first_of_watcher = record;
    ++size_;
}

void TowerSubscriptions::drop_all_outside(Watcher& watcher, const CellRange& kept) {
    std::uint32_t rest = watcher.first;
    watcher.first = kNone;
    while (rest != kNone) {
        const std::uint32_t record = rest;
        rest = records_[record].next_of_watcher;
        const std::uint32_t tower = records_[record].tower;
        if (is_in_block(kept, tower % columns_, tower / columns_)) {
            records_[record].next_of_watcher = watcher.first;
            watcher.first = record;
        } else {
            release(record);
        }
    }
}

void TowerSubscriptions::unlink_from_tower(const Record& record) {
    if (record.next_at_tower != kNone) {
        records_[record.next_at_tower].previous_at_tower = record.previous_at_tower;
    }
    if (record.previous_at_tower != kNone) {
        records_[record.previous_at_tower].next_at_tower = record.next_at_tower;
    } else {
        first_at_[record.tower] = record.next_at_tower;
    }
}

void TowerSubscriptions::release(std::uint32_t record) {
    unlink_from_tower(records_[record]);
    records_[record].next_of_watcher = free_;
    free_ = record;
    --size_;
}

Towers::Towers(const IndexOptions& options, std::size_t subscriptions_max)
    : CellLists(options), watchers_(cells().columns(), cells().rows(), subscriptions_max) {}

bool Towers::watch(Slot watcher, Position at, std::int32_t range_mm, TowerCandidates& markers) {
    const CellRange towers = towers_around(at, range_mm);
    if (!watchers_.add(watcher, towers)) {
        return false;
    }
    append_cells(towers, markers.entered);
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
        append_cell(cells().cell_at(column, row), stays ? markers.stayed : markers.left);
    });
    for_each_cell(after, [&](std::uint32_t column, std::uint32_t row) {
        if (!is_in_block(before, column, row)) {
            append_cell(cells().cell_at(column, row), markers.entered);
        }
    });
    return true;
}

void Towers::unwatch(Slot watcher, TowerCandidates& markers) {
    append_cells(watchers_.towers_of(watcher), markers.left);
    watchers_.remove(watcher);
}

void Towers::watchers_near(Position at, std::vector<Slot>& out) const {
    const CellRange tower = cell_around(at);
    watchers_.for_each_at(tower.first_column, tower.first_row,
                          [&out](Slot watcher) { out.push_back(watcher); });
}

void Towers::watchers_of_step(Position from, Position to, TowerCandidates& watchers) const {
    const CellRange before = cell_around(from);
    const CellRange after = cell_around(to);
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
    MARCHLAND_ASSERT(positions_.bounds().contains(at));
    const std::optional<MapArea> on_map = cells().clip(square_around(at, range_mm));
    MARCHLAND_ASSERT(on_map.has_value());
    return cells().range_of(*on_map);
}

}  // namespace marchland::engine
