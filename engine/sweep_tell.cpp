// The quick way for a tick in which little happened: whom to ask. Of one move alone see
// sweep_single_move.cpp.

#include "engine/sweep.h"

namespace marchland::engine {
namespace {

/// Fewer than one in this many changed: it pays to ask whom that concerns.
constexpr std::size_t kConcernedShare = 64;
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
                                                      std::size_t watching) {
    const std::size_t changes = rows_.changed().size() + to_ask_.size() + changed_areas_.size();
    if (changes * kConcernedShare >= scene.entities.size() || !are_all_told() ||
        are_cells_outgrown(scene.now, watching)) {
        return std::nullopt;
    }
    place_far_sighted(scene.now);
    concerned_.clear();
    is_concerned_.resize(scene.entities.slot_count());
    for (const Slot slot : to_ask_.slots()) {
        concern(slot, watchers);
    }
    for (const Slot slot : rows_.changed()) {
        concern_changed(scene, slot, watchers);
    }
    for (const Area& area : changed_areas_) {
        concern_around(scene, area, watchers);
    }
    if (is_on_) {
        concern_cells(scene, watchers);
    }
    is_settled_ = true;
    follow_packed(scene.entities);
    for (const Slot slot : concerned_) {
        is_concerned_[to_number(slot)] = false;
    }
    return concerned_;
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

void Sweep::concern_around(const Scene& scene, const Area& area,
                           std::span<const Watcher> watchers) {
    far_sighted_.visit_near(area.at, [&](Slot slot) { concern(slot, watchers); });
    if (area.reach_mm > 0) {
        found_.clear();
        scene.index.up_to_date(scene.entities).query(square_around(area.at, area.reach_mm), found_);
        for (const Slot slot : found_) {
            concern(slot, watchers);
        }
    }
}

/// Where it was before, if it was erased, is among the areas.
void Sweep::concern_changed(const Scene& scene, Slot slot, std::span<const Watcher> watchers) {
    if (!scene.entities.is_live(slot)) {
        return;
    }
    concern(slot, watchers);
    const std::int32_t range_mm = scene.entities.at(slot).notify.leave_radius_mm;
    concern_around(scene, {rows_.at(slot).flat_place_before(), range_mm}, watchers);
    concern_around(scene, {rows_.at(slot).flat_place(), range_mm}, watchers);
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
