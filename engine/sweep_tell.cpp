// The quick way for a tick in which little happened: whom to ask. Of one move alone see
// sweep_single_move.cpp.

#include "engine/sweep.h"

namespace marchland::engine {
namespace {

/// To ask whom a change concerns costs about as much as frames for so many watchers to whom nothing
/// happened.
constexpr std::size_t kConcernedShare = 64;
/// So many entities within the ranges of beacons that changed, for each watcher: it would have cost
/// less to ask the watchers.
constexpr std::size_t kFoundMax = 16;
/// More than one in this many look further than the cells are wide, and need not: cells that are cut
/// anew suit them better.
constexpr std::size_t kOutgrownShare = 4;

}  // namespace

/// As they stand now: visit_near tells of them from here on.
void Sweep::place_far_sighted(Tick now) {
    for (const Slot slot : is_far_behind_ ? far_sighted_.slots() : rows_.changed()) {
        if (far_sighted_.contains(slot)) {
            far_sighted_.follow(slot, rows_.at(slot).flat_place());
        }
    }
    is_far_behind_ = false;
    far_placed_tick_ = now;
}

std::optional<std::span<const Slot>> Sweep::concerned(const Scene& scene,
                                                      std::span<const Watcher> watchers,
                                                      std::span<const Slot> watching) {
    const std::size_t changes = rows_.changed().size() + to_ask_.size() + changed_areas_.size();
    if (changes * kConcernedShare >= watching.size() || !are_all_told() ||
        are_cells_outgrown(scene.now, watching.size())) {
        return std::nullopt;
    }
    place_far_sighted(scene.now);
    found_count_ = 0;
    concerned_.clear();
    is_concerned_.resize(scene.entities.slot_count());
    for (const Slot slot : to_ask_.slots()) {
        concern(slot, watchers);
    }
    for (const Slot slot : rows_.changed()) {
        concern_changed(scene, slot, watchers, watching);
    }
    for (const Area& area : changed_areas_) {
        concern_around(scene, area, watchers, watching);
    }
    const bool is_worth_it = found_count_ <= watching.size() * kFoundMax;
    if (is_on_ && is_worth_it) {
        concern_cells(scene, watchers);
        is_settled_ = true;
    }
    for (const Slot slot : concerned_) {
        is_concerned_[to_number(slot)] = false;
    }
    return is_worth_it ? std::optional<std::span<const Slot>>(concerned_) : std::nullopt;
}

bool Sweep::are_cells_outgrown(Tick now, std::size_t watching) const {
    return far_sighted_.that_fit_cells() * kOutgrownShare > watching &&
           now >= fitted_tick_ + kFitTicks;
}

/// If it watches, and once.
void Sweep::concern(Slot slot, std::span<const Watcher> watchers) {
    const bool is_watching =
        to_number(slot) < watchers.size() && watchers[to_number(slot)].is_watching;
    if (is_watching && !is_concerned_[to_number(slot)]) {
        is_concerned_[to_number(slot)] = true;
        concerned_.push_back(slot);
    }
}

/// Among few watchers those within a range are found by a look at each; among many the index knows where
/// to look, though most of what it finds may not watch.
void Sweep::concern_around(const Scene& scene, const Area& area, std::span<const Watcher> watchers,
                           std::span<const Slot> watching) {
    far_sighted_.visit_near(area.at, [&](Slot slot) { concern(slot, watchers); });
    if (area.reach_mm <= 0 || found_count_ > watching.size() * kFoundMax) {
        return;
    }
    const Rect square = square_around(area.at, area.reach_mm);
    if (watching.size() * kConcernedShare <= scene.entities.size()) {
        for (const Slot slot : watching) {
            if (square.contains(rows_.at(slot).flat_place())) {
                concern(slot, watchers);
            }
        }
        found_count_ += watching.size();
        return;
    }
    found_.clear();
    scene.index.up_to_date(scene.entities).query(square, found_);
    found_count_ += found_.size();
    for (const Slot slot : found_) {
        concern(slot, watchers);
    }
}

/// Where it was before, if it was erased, is among the areas.
void Sweep::concern_changed(const Scene& scene, Slot slot, std::span<const Watcher> watchers,
                            std::span<const Slot> watching) {
    if (!scene.entities.is_live(slot)) {
        return;
    }
    concern(slot, watchers);
    const std::int32_t range_mm = scene.entities.at(slot).notify.leave_radius_mm;
    concern_around(scene, {rows_.at(slot).flat_place_before(), range_mm}, watchers, watching);
    concern_around(scene, {rows_.at(slot).flat_place(), range_mm}, watchers, watching);
}

/// Where little happened, that is little to take in.
void Sweep::follow_packed(const EntityStore& entities) {
    if (!is_packed_) {
        return;
    }
    for (const Slot slot : rows_.changed()) {
        if (entities.is_live(slot)) {
            packed_.put(slot, rows_.place_of(slot), rows_.at(slot).layers, near_sight_of(slot));
        } else {
            packed_.take_away(slot);
        }
    }
}

/// Those that look no further than to the cells around theirs.
void Sweep::concern_cells(const Scene& scene, std::span<const Watcher> watchers) {
    catch_up_cells(scene.entities);
    changed_cells_.clear();
    vicinities_.list_changed_cells(scene.entities, rows_, changed_cells_);
    vicinities_.settle(scene.entities, rows_, scene.now);
    for (const Cell cell : changed_cells_) {
        for (const Slot slot : vicinities_.at(vicinities_.around(cell, scene)).members) {
            if (!far_sighted_.contains(slot)) {
                concern(slot, watchers);
            }
        }
    }
}

}  // namespace marchland::engine
