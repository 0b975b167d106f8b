#include "engine/sweep_frames.h"

#include "engine/assert.h"
#include "engine/sighting.h"
#include "engine/visibility.h"

#include <algorithm>

namespace marchland::engine {

void SweepFrames::load(const Scene& scene, const Rows& rows, const Vicinities& vicinities,
                       Vicinities::Number number, Load what) {
    vicinity_ = &vicinities.at(number);
    origin_x_ = std::int64_t{vicinity_->cell.column} * vicinities.edge_mm();
    origin_y_ = std::int64_t{vicinity_->cell.row} * vicinities.edge_mm();
    entry_of_.resize(scene.entities.slot_count());
    columns_.clear();
    columns_.reserve(vicinity_->members.size() + vicinity_->departed.size());
    slots_.clear();
    add_members(rows, what);
    add_departed();
    columns_.pad();
}

void SweepFrames::add_members(const Rows& rows, Load what) {
    for (const Slot slot : vicinity_->members) {
        const Rows::Row& row = rows.at(slot);
        if (what == Load::changed && !row.is_changed) {
            continue;
        }
        entry_of_[to_number(slot)] = static_cast<std::uint32_t>(slots_.size());
        slots_.push_back(slot);
        if (row.is_unsettled) {
            columns_.add_unsure();
        } else {
            columns_.add({across(row.x), upward(row.y), across(row.x_before), upward(row.y_before),
                          row.layers, row.has_moved() ? row.layers : kNoLayers});
        }
    }
}

/// Far away by now: one that a watcher may have known is unsure, the others are out of range.
void SweepFrames::add_departed() {
    constexpr float kFarAway = 1e12F;
    constexpr LayerMask kAll = ~kNoLayers;
    for (const Vicinities::Departed& departed : vicinity_->departed) {
        columns_.add({kFarAway, kFarAway, across(departed.x_before), upward(departed.y_before),
                      kAll, kNoLayers});
    }
}

Frame SweepFrames::build(const Scene& scene, const Rows& rows, const Vicinities& vicinities,
                         Slot slot, Watcher& watcher) {
    leaves_.clear();
    enters_.clear();
    settled_moves_.clear();
    entered_.clear();
    const Look look{
        scene,   vicinities,
        slot,    scene.entities.at(slot),
        watcher, vicinity_->built_tick == scene.now || vicinities.has_crossed(slot, scene.now)};
    scan_around(rows, look);
    settle(look);
    if (look.checks_known) {
        check_known(look);
    }
    list_moves();
    if (!leaves_.empty() || !entered_.empty()) {
        rewrite_known(watcher);
    }
    watcher.framed_tick = scene.now;
    watcher.synced_tick = scene.now;
    return {scene.now, slot, leaves_, enters_, moves_, true};
}

Frame SweepFrames::unchanged(const Scene& scene, Slot slot, Watcher& watcher) {
    watcher.framed_tick = scene.now;
    watcher.synced_tick = scene.now;
    return {scene.now, slot, {}, {}, {}, true};
}

void SweepFrames::scan_around(const Rows& rows, const Look& look) {
    const Rows::Row& row = rows.at(look.slot);
    const View& view = look.self.view;
    const Gaze gaze{across(row.x),
                    upward(row.y),
                    across(row.x_before),
                    upward(row.y_before),
                    enter_bound(view.radius_mm),
                    leave_bound(view.leave_radius_mm),
                    look.self.layers_seen};
    const std::size_t own = entry_of_[to_number(look.slot)];
    const bool is_loaded = own < slots_.size() && slots_[own] == look.slot;
    if (!is_loaded) {
        scan(columns_, gaze, scanned_);
        return;
    }
    // Nobody sees itself.
    const LayerMask layers = columns_.layers(own);
    const LayerMask layers_if_moved = columns_.layers_if_moved(own);
    columns_.set_layers(own, kNoLayers, kNoLayers);
    scan(columns_, gaze, scanned_);
    columns_.set_layers(own, layers, layers_if_moved);
}

void SweepFrames::settle(const Look& look) {
    for (std::size_t i = 0; i < scanned_.unsure_count; ++i) {
        const Scanned::Unsure& unsure = scanned_.unsure[i];
        if (unsure.entry < slots_.size()) {
            settle_member(look, slots_[unsure.entry], unsure.moved_before);
        } else if (!look.checks_known) {
            settle_departed(look, vicinity_->departed[unsure.entry - slots_.size()].id);
        }
    }
}

void SweepFrames::settle_member(const Look& look, Slot member, std::uint32_t moved_before) {
    const Entity& entity = look.scene.entities.at(member);
    Watcher::Sighting* const sighting = find_sighting(look.watcher, entity.id);
    if (sighting != nullptr) {
        if (is_still_seen(look.scene, look.self, sighting->known, entity)) {
            sighting->slot = member;
            // As in FrameBuilder: the watcher was told all of the tick before.
            if (entity.moved_tick == look.scene.now) {
                settled_moves_.push_back({member, moved_before});
            }
            return;
        }
        let_go(look, *sighting, &entity);
        if (sighting->known.birth == entity.birth) {
            return;
        }
    }
    if (shares_layer(look.self, entity) &&
        is_in_enter_range(look.self, entity, look.scene.dimensions)) {
        enters_.push_back(member);
        entered_.push_back({{entity.id, entity.birth}, member});
    }
}

/// It was a member when the tick began. If its id is one again, it is settled as such.
void SweepFrames::settle_departed(const Look& look, EntityId id) {
    Watcher::Sighting* const sighting = find_sighting(look.watcher, id);
    if (sighting == nullptr || sighting->is_leaving) {
        return;
    }
    const Entity* const entity = locate(look.scene.entities, *sighting);
    if (entity == nullptr || !look.vicinities.is_member(sighting->slot, *vicinity_)) {
        let_go(look, *sighting, entity);
    }
}

/// For a watcher that knew another vicinity, or this one before anybody kept it.
void SweepFrames::check_known(const Look& look) {
    for (Watcher::Sighting& sighting : look.watcher.sightings) {
        if (sighting.is_leaving) {
            continue;
        }
        const Entity* const entity = locate(look.scene.entities, sighting);
        if (entity == nullptr || !look.vicinities.is_member(sighting.slot, *vicinity_)) {
            let_go(look, sighting, entity);
        }
    }
}

void SweepFrames::let_go(const Look& look, Watcher::Sighting& sighting, const Entity* entity) {
    sighting.is_leaving = true;
    leaves_.push_back(
        {sighting.known.id, reason_to_leave(look.scene, look.self, sighting.known, entity)});
}

/// Those that the scan found and those that were settled, in the order of the columns.
void SweepFrames::list_moves() {
    moves_.clear();
    auto settled = settled_moves_.cbegin();
    for (std::uint32_t i = 0; i < scanned_.moved_count; ++i) {
        for (; settled != settled_moves_.cend() && settled->moved_before == i; ++settled) {
            moves_.push_back(settled->slot);
        }
        moves_.push_back(slots_[scanned_.moved[i]]);
    }
    for (; settled != settled_moves_.cend(); ++settled) {
        moves_.push_back(settled->slot);
    }
}

void SweepFrames::rewrite_known(Watcher& watcher) {
    std::sort(leaves_.begin(), leaves_.end(),
              [](const Leave& a, const Leave& b) { return a.id < b.id; });
    std::erase_if(watcher.sightings,
                  [](const Watcher::Sighting& sighting) { return sighting.is_leaving; });
    add_sightings(watcher, entered_);
}

}  // namespace marchland::engine
