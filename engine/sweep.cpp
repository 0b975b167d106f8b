#include "engine/sweep.h"

#include <algorithm>

namespace marchland::engine {
namespace {

/// Of whoever does not watch.
constexpr Sight kBlind{.reach_mm = 0};

}  // namespace

void Sweep::begin_tick(const EntityStore& entities, Tick last) {
    if (is_on_) {
        vicinities_.begin_tick();
        if (has_strayed_ && !is_changed_since_build_) {
            note_stray(rows_.changed().front());
        } else if (!is_settled_) {
            settle_cells(entities, last);
        }
    }
    has_strayed_ = false;
    is_far_behind_ = is_far_behind_ || (!rows_.changed().empty() &&
                                        (far_placed_tick_ != last || is_changed_since_build_));
    trusted_tick_ =
        built_tick_ == last && !is_changed_since_build_ && !is_built_twice_ ? last : kNever;
    is_built_twice_ = false;
    rows_.begin_tick();
    former_beacons_.clear();
    turned_.clear();
    is_settled_ = true;
    last_tick_ = last;
}

void Sweep::note_stray(Slot slot) {
    if (!strays_.contains(slot)) {
        strays_.add(slot);
    }
}

void Sweep::catch_up_cells(const EntityStore& entities) {
    if (strays_.size() != 0) {
        vicinities_.catch_up(strays_.slots(), entities, rows_, last_tick_);
        strays_.clear();
    }
}

void Sweep::settle_cells(const EntityStore& entities, Tick now) {
    catch_up_cells(entities);
    vicinities_.settle(entities, rows_, now);
}

void Sweep::note_change() {
    is_settled_ = false;
    is_changed_since_build_ = true;
}

void Sweep::insert(Slot slot, const Entity& entity) {
    note_change();
    rows_.insert(slot, entity);
    if (sights_.size() <= to_number(slot)) {
        sights_.resize(to_number(slot) + 1, kBlind);
    }
}

void Sweep::erase(Slot slot, const EntityStore& entities) {
    const Entity& entity = entities.at(slot);
    note_change();
    note_range(slot, entity.notify.leave_radius_mm);
    if (is_beacon(entity.notify)) {
        former_beacons_.note(slot, entity);
    }
    if (is_on_) {
        catch_up_cells(entities);
        vicinities_.erase(slot, entity.id, rows_);
    }
    rows_.settle_later(slot);
}

void Sweep::move(Slot slot, Position to) {
    note_change();
    rows_.move(slot, to);
}

void Sweep::set_layers(Slot slot, LayerMask layers) {
    note_change();
    rows_.set_layers(slot, layers);
}

void Sweep::watch(Slot slot, const Entity& entity, Watcher& watcher) {
    watcher.told_before = all_told_tick_;
    set_sight(slot, entity);
}

void Sweep::unwatch(Slot slot) {
    if (far_sighted_.contains(slot)) {
        far_sighted_.remove(slot);
    }
    if (to_ask_.contains(slot)) {
        to_ask_.remove(slot);
    }
    sights_[to_number(slot)] = kBlind;
    packed_.set_sight(slot, kBlind);
}

void Sweep::set_sight(Slot slot, const Entity& entity) {
    unwatch(slot);
    sights_[to_number(slot)] = sight_of(entity, dimensions_);
    if (is_far_sighted(sights_[to_number(slot)])) {
        add_far_sighted(slot, entity);
    }
    packed_.set_sight(slot, near_sight_of(slot));
    ask(slot);
}

/// As far as cells tell it.
const Sight& Sweep::near_sight_of(Slot slot) const {
    return far_sighted_.contains(slot) ? kBlind : sights_[to_number(slot)];
}

void Sweep::add_far_sighted(Slot slot, const Entity& entity) {
    const Rows::Row& row = rows_.at(slot);
    const std::int32_t reach_mm = sights_[to_number(slot)].reach_mm;
    far_sighted_.add(slot, {row.x, row.y, 0}, leave_reach_mm(entity.view),
                     reach_mm <= Vicinities::kEdgeMaxMm);
}

void Sweep::turn(Slot slot, Angle facing_before) {
    note_change();
    if (!turned_.contains(slot)) {
        turned_.add(slot);
        facings_before_.resize(std::max(facings_before_.size(), sights_.size()));
        facings_before_[to_number(slot)] = facing_before;
    }
    ask(slot);
}

void Sweep::ask(Slot slot) {
    if (!to_ask_.contains(slot)) {
        to_ask_.add(slot);
    }
}

void Sweep::set_notify(Slot slot, const Entity& entity, const NotifyRange& notify) {
    if (notify == entity.notify) {
        return;
    }
    note_change();
    note_range(slot, std::max(entity.notify.leave_radius_mm, notify.leave_radius_mm));
    if (is_beacon(entity.notify)) {
        former_beacons_.note(slot, entity);
    }
    rows_.set_beacon(slot, is_beacon(notify));
}

void Sweep::note_range(Slot slot, std::int32_t leave_radius_mm) {
    const Rows::Row& row = rows_.at(slot);
    note_area({{row.x_before, row.y_before, 0}, leave_radius_mm});
    if (row.x != row.x_before || row.y != row.y_before) {
        note_area({{row.x, row.y, 0}, leave_radius_mm});
    }
}

/// Where all are asked anyway, nobody will look at it.
void Sweep::note_area(const Area& area) {
    if (has_untold_ || all_told_tick_ < last_tick_) {
        return;
    }
    if (changed_areas_.size() < kAreasMax) {
        changed_areas_.push_back(area);
    } else {
        has_untold_ = true;
    }
}

void Sweep::settle_later(Slot slot) {
    note_change();
    rows_.settle_later(slot);
}

void Sweep::note_news(Slot slot) {
    note_change();
    rows_.settle_later(slot, Rows::kHasNews);
}

}  // namespace marchland::engine
