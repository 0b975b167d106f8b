#include "engine/sweep_frames.h"

#include "engine/assert.h"
#include "engine/sighting.h"
#include "engine/visibility.h"

#include <algorithm>

namespace marchland::engine {

void SweepFrames::load(const Rows& rows, const Vicinities& vicinities, Vicinities::Number number,
                       Load what) {
    vicinity_ = &vicinities.at(number);
    origin_x_ = std::int64_t{vicinity_->cell.column} * vicinities.edge_mm();
    origin_y_ = std::int64_t{vicinity_->cell.row} * vicinities.edge_mm();
    slots_ = vicinity_->members;
    if (what == Load::changed) {
        changed_.clear();
        for (const Slot slot : vicinity_->members) {
            if (rows.at(slot).is_changed) {
                changed_.push_back(slot);
            }
        }
        slots_ = changed_;
    }
    columns_.load(origin_x_, origin_y_, rows.by_slot(), slots_, vicinity_->departed.size());
    for (const Vicinities::Departed& departed : vicinity_->departed) {
        columns_.add_departed(departed.x_before, departed.y_before);
    }
    columns_.end();
}

Frame SweepFrames::build(const Scene& scene, const Rows& rows, const Vicinities& vicinities,
                         const Looker& looker, Watcher& watcher) {
    leaves_.clear();
    enters_.clear();
    settled_moves_.clear();
    entered_.clear();
    scan_around(looker);
    const bool checks_known = looker.has_crossed || vicinity_->built_tick == scene.now;
    if (scanned_.unsure_count != 0 || checks_known) {
        const Look look{scene,
                        rows,
                        vicinities,
                        looker,
                        Outlook(scene.entities.at(looker.slot), scene.dimensions),
                        watcher,
                        checks_known};
        settle(look);
        if (checks_known) {
            check_known(look);
        }
        std::sort(leaves_.begin(), leaves_.end(),
                  [](const Leave& a, const Leave& b) { return a.id < b.id; });
        if (!leaves_.empty() || !entered_.empty()) {
            watcher.known.add(entered_);
        }
    }
    return {scene.now, looker.slot, leaves_, enters_, moves(), looker.follows};
}

void SweepFrames::scan_around(const Looker& looker) {
    const Gaze gaze{looker.slot,
                    columns_.across(looker.x),
                    columns_.upward(looker.y),
                    columns_.across(looker.x_before),
                    columns_.upward(looker.y_before),
                    looker.sight};
    scan(columns_, gaze, scanned_);
}

void SweepFrames::settle(const Look& look) {
    for (std::size_t i = 0; i < scanned_.unsure_count; ++i) {
        if (scanned_.unsure[i].entry < slots_.size()) {
            look.scene.entities.prefetch(slots_[scanned_.unsure[i].entry]);
        }
    }
    for (std::size_t i = 0; i < scanned_.unsure_count; ++i) {
        const Scanned::Unsure& unsure = scanned_.unsure[i];
        if (unsure.entry >= slots_.size()) {
            if (!look.checks_known) {
                settle_departed(look, vicinity_->departed[unsure.entry - slots_.size()].id);
            }
        } else if (look.rows.at(slots_[unsure.entry]).is_unsettled != 0) {
            settle_member(look, slots_[unsure.entry], unsure.moved_before);
        } else {
            settle_plain(look, slots_[unsure.entry], unsure.moved_before);
        }
    }
}

/// Was known if it was in the enter range, was not if it was outside the leave range; only between
/// the two what the watcher knows must be looked at.
void SweepFrames::settle_plain(const Look& look, Slot member, std::uint32_t moved_before) {
    const Rows::Row& row = look.rows.at(member);
    const Looker& looker = look.looker;
    const Entity& entity = look.scene.entities.at(member);
    const Position was_at{row.x_before, row.y_before, 0};
    const Position looked_from{looker.x_before, looker.y_before, 0};
    const auto was_within = [&](std::int32_t radius_mm) {
        return is_within(looked_from, was_at, radius_mm, Dimensions::two);
    };
    const View& view = look.outlook.watcher().view;
    const bool was_known =
        was_within(view.radius_mm) || (was_within(view.leave_radius_mm) &&
                                       look.watcher.known.find(entity.id, moved_before) != nullptr);
    if (!was_known) {
        enter(look, member);
    } else if (look.outlook.goes_on_at(entity.position)) {
        stay(look, member, moved_before);
    } else {
        let_go(look, {entity.id, entity.birth}, &entity);
    }
}

/// Anything may have happened to it.
void SweepFrames::settle_member(const Look& look, Slot member, std::uint32_t moved_before) {
    const Entity& entity = look.scene.entities.at(member);
    Sighting* const sighting = look.watcher.known.find(entity.id, moved_before);
    if (sighting != nullptr) {
        if (is_still_seen(look.scene, look.outlook, sighting->known, entity)) {
            sighting->slot = member;
            stay(look, member, moved_before);
            return;
        }
        const bool lives_on = sighting->known.birth == entity.birth;
        let_go(look, sighting->known, &entity);
        if (lives_on) {
            return;
        }
    }
    enter(look, member);
}

/// It was a member when the tick began. If its id is one again, it is settled as such.
void SweepFrames::settle_departed(const Look& look, EntityId id) {
    Sighting* const sighting = look.watcher.known.find(id, look.watcher.known.size() / 2);
    if (sighting == nullptr) {
        return;
    }
    const Entity* const entity = locate(look.scene.entities, *sighting);
    if (entity == nullptr || !look.vicinities.is_member(sighting->slot, *vicinity_)) {
        let_go(look, sighting->known, entity);
    }
}

/// For a watcher that knew another vicinity, or this one before anybody kept it. Before anything is
/// added to what it knows.
void SweepFrames::check_known(const Look& look) {
    for (Sighting& sighting : look.watcher.known.all()) {
        const Entity* const entity = locate(look.scene.entities, sighting);
        if (entity == nullptr || !look.vicinities.is_member(sighting.slot, *vicinity_)) {
            let_go(look, sighting.known, entity);
        }
    }
}

/// As in FrameBuilder; the watcher was told all of the tick before.
void SweepFrames::stay(const Look& look, Slot member, std::uint32_t moved_before) {
    if (look.scene.entities.at(member).moved_tick == look.scene.now) {
        settled_moves_.push_back({member, moved_before});
    }
}

/// If it may.
void SweepFrames::enter(const Look& look, Slot member) {
    const Entity& entity = look.scene.entities.at(member);
    if (shares_layer(look.outlook.watcher(), entity) && look.outlook.begins_at(entity.position)) {
        enters_.push_back(member);
        entered_.push_back({{entity.id, entity.birth}, member});
    }
}

void SweepFrames::let_go(const Look& look, const Known& known, const Entity* entity) {
    leaves_.push_back({known.id, reason_to_leave(look.scene, look.outlook, known, entity)});
    look.watcher.known.forget(leaves_.back().id);
}

/// Those that the scan found and those that were settled, in the order of the columns.
std::span<const Slot> SweepFrames::moves() {
    const std::span<const Slot> moved(scanned_.moved.data(), scanned_.moved_count);
    if (settled_moves_.empty()) {
        return moved;
    }
    moves_.clear();
    std::size_t from = 0;
    for (const SettledMove& settled : settled_moves_) {
        const auto next = moved.subspan(from, settled.moved_before - from);
        moves_.insert(moves_.end(), next.begin(), next.end());
        moves_.push_back(settled.slot);
        from = settled.moved_before;
    }
    const auto rest = moved.subspan(from);
    moves_.insert(moves_.end(), rest.begin(), rest.end());
    return moves_;
}

std::span<const Slot> SweepFrames::near(const Looker& looker) {
    // As if it came from very far away: whoever is near now is unsure, and nobody has been before.
    constexpr float kFarAway = 1e12F;
    scan(columns_,
         {looker.slot, columns_.across(looker.x), columns_.upward(looker.y), kFarAway, kFarAway,
          looker.sight},
         scanned_);
    near_.clear();
    for (std::size_t i = 0; i < scanned_.unsure_count; ++i) {
        if (scanned_.unsure[i].entry < slots_.size()) {
            near_.push_back(slots_[scanned_.unsure[i].entry]);
        }
    }
    return near_;
}

SweepFrames::Seers SweepFrames::who_sees(const Rows& rows, std::span<const Sight> sights,
                                         Slot mover) {
    sights_.load(sights, slots_);
    const Rows::Row& row = rows.at(mover);
    scan_back(columns_, sights_,
              {mover, columns_.across(row.x), columns_.upward(row.y), columns_.across(row.x_before),
               columns_.upward(row.y_before), row.layers},
              seers_);
    near_.clear();
    for (std::size_t i = 0; i < seers_.unsure_count; ++i) {
        near_.push_back(slots_[seers_.unsure[i].entry]);
    }
    return {{seers_.moved.data(), seers_.moved_count}, near_};
}

Frame SweepFrames::build_of_one(const Scene& scene, const Rows& rows, const Vicinities& vicinities,
                                const Looker& looker, Watcher& watcher, Slot mover) {
    leaves_.clear();
    enters_.clear();
    settled_moves_.clear();
    entered_.clear();
    scanned_.moved_count = 0;
    settle_plain({scene, rows, vicinities, looker,
                  Outlook(scene.entities.at(looker.slot), scene.dimensions), watcher, false},
                 mover, 0);
    watcher.known.add(entered_);
    return {scene.now, looker.slot, leaves_, enters_, moves(), looker.follows};
}

}  // namespace marchland::engine
