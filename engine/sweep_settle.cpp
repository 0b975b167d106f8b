// Whom a scan is not sure of, settled in integers: who comes, who goes, who is kept in mind.

#include "engine/sighting.h"
#include "engine/sweep_frames.h"
#include "engine/visibility.h"

#include <algorithm>

namespace marchland::engine {

/// Who is not in the columns has not changed and stays where it is.
void SweepFrames::take_up_band(const Look& look) {
    band_.clear();
    if (!look.watcher.has_band) {
        return;
    }
    was_in_band_.resize(look.scene.entities.slot_count());
    for (const Slot slot : look.watcher.band) {
        was_in_band_[to_number(slot)] = 1;
        if (!look.settles_band && look.rows.at(slot).is_changed == 0) {
            band_.push_back(slot);
        }
    }
}

void SweepFrames::put_down_band(const Look& look) {
    Watcher& watcher = look.watcher;
    if (watcher.has_band) {
        for (const Slot slot : watcher.band) {
            was_in_band_[to_number(slot)] = 0;
        }
    } else if (!look.settles_band) {
        return;  // of who did not change, nobody has said where it is
    }
    watcher.has_band = true;
    if (watcher.band.capacity() < band_.size()) {
        watcher.band.reserve(band_.size() + band_.size() / 2 + 8);
    }
    watcher.band.assign(band_.begin(), band_.end());
}

void SweepFrames::settle(const Look& look, const SweptCell& cell, bool checks_known) {
    const std::span<const Slot> slots = cell.slots();
    for (std::size_t i = 0; i < scanned_.unsure_count; ++i) {
        const Scanned::Unsure& unsure = scanned_.unsure[i];
        if (unsure.entry >= slots.size()) {
            if (!checks_known) {
                settle_departed(look, cell, cell.departed_at(unsure.entry - slots.size()));
            }
            continue;
        }
        const Slot slot = slots[unsure.entry];
        const std::uint32_t is_unsettled = look.rows.at(slot).is_unsettled;
        if (is_unsettled == 0) {
            settle_plain(look, {slot, {}}, unsure.moved_before);
        } else if (is_unsettled == Rows::kIsBeacon) {
            settle_beacon(look, slot, unsure.moved_before);
        } else {
            settle_member(look, slot, unsure.moved_before);
        }
    }
    if (checks_known) {
        check_known(look, cell);
    }
}

/// In the same layers as before, like its watcher: who does not share one did not know it either. Most are
/// near both times, or far from all ranges; where the view may matter, it is asked.
void SweepFrames::settle_beacon(const Look& look, Slot beacon, std::uint32_t moved_before) {
    const Looker& looker = look.looker;
    if ((looker.sight.layers_seen & look.rows.at(beacon).layers) == kNoLayers) {
        return;
    }
    const NotifyRange& notify = look.scene.entities.at(beacon).notify;
    const Dimensions dimensions = look.scene.dimensions;
    const Position at = look.rows.place_of(beacon);
    const Position was_at = look.rows.place_before(beacon);
    const Position from = look.rows.place_of(looker.slot);
    const Position was_from = look.rows.place_before(looker.slot);
    const bool is_near = is_within(from, at, notify.radius_mm, dimensions);
    if (is_near && is_within(was_from, was_at, notify.radius_mm, dimensions)) {
        if (at != was_at) {
            settled_moves_.push_back({beacon, moved_before});
        }
        return;
    }
    const std::int32_t reach_mm = std::max(looker.sight.reach_mm, notify.leave_radius_mm);
    const bool is_seen = is_near || !looker.sight.is_circle ||
                         is_within(from, at, reach_mm, dimensions) ||
                         is_within(was_from, was_at, reach_mm, dimensions);
    if (is_seen) {
        settle_plain(look, {beacon, notify}, moved_before);
    }
}

/// Of all whose range may hold the mover, or held it. Of the others its view alone decides.
void SweepFrames::settle_beacons_of_mover(const Look& look) {
    beacons_.clear();
    for (const Position at :
         {look.rows.place_before(look.looker.slot), look.rows.place_of(look.looker.slot)}) {
        look.scene.beacons.visit_near(at, [&](Slot beacon) {
            if (beacon != look.looker.slot) {
                beacons_.push_back(beacon);
            }
        });
    }
    std::sort(beacons_.begin(), beacons_.end());
    beacons_.erase(std::unique(beacons_.begin(), beacons_.end()), beacons_.end());
    for (const Slot beacon : beacons_) {
        settle_beacon(look, beacon, 0);
    }
}

void SweepFrames::settle_plain(const Look& look, const Plain& plain, std::uint32_t moved_before) {
    const bool is_entering_range = is_in(Range::enter, When::now, look, plain);
    if (!was_known(look, plain, moved_before)) {
        if (is_entering_range) {
            enter(look, plain.slot);
        }
        return;
    }
    if (!is_entering_range && !is_in(Range::leave, When::now, look, plain)) {
        const Entity& entity = look.scene.entities.at(plain.slot);
        const Known known{entity.id, entity.birth};
        let_go(look, known, reason_out_of_range(look.scene, known));
        return;
    }
    if (look.rows.has_moved(plain.slot)) {
        settled_moves_.push_back({plain.slot, moved_before});
    }
    if (!is_entering_range) {
        band_.push_back(plain.slot);
    }
}

/// Was in the enter range: yes. Was outside the leave range: no. Between the two, somebody has to have
/// kept it in mind.
bool SweepFrames::was_known(const Look& look, const Plain& plain,
                            std::uint32_t moved_before) const {
    if (is_in(Range::enter, When::before, look, plain)) {
        return true;
    }
    if (!is_in(Range::leave, When::before, look, plain)) {
        return false;
    }
    return look.watcher.has_band ? was_in_band_[to_number(plain.slot)] != 0
                                 : look.watcher.known.find(look.scene.entities.at(plain.slot).id,
                                                           moved_before) != nullptr;
}

/// By the watcher's view, or by the beacon's range.
bool SweepFrames::is_in(Range range, When when, const Look& look, const Plain& plain) const {
    const Looker& looker = look.looker;
    const bool is_now = when == When::now;
    const bool is_to_enter = range == Range::enter;
    const Position at =
        is_now ? look.rows.place_of(plain.slot) : look.rows.place_before(plain.slot);
    bool is_in_view = false;
    if (eyes_) {
        const Outlook& outlook = is_now ? eyes_->now : eyes_->before;
        is_in_view = is_to_enter ? outlook.begins_at(at) : outlook.goes_on_at(at);
    } else {
        const Position from = is_now ? Position{looker.x, looker.y, 0}
                                     : Position{looker.x_before, looker.y_before, 0};
        is_in_view =
            is_within(from, at, is_to_enter ? looker.sight.radius_mm : looker.sight.reach_mm,
                      Dimensions::two);
    }
    if (is_in_view || !is_beacon(plain.notify)) {
        return is_in_view;
    }
    const Position from =
        is_now ? look.rows.place_of(looker.slot) : look.rows.place_before(looker.slot);
    return is_within(from, at, is_to_enter ? plain.notify.radius_mm : plain.notify.leave_radius_mm,
                     look.scene.dimensions);
}

/// Anything may have happened to it.
void SweepFrames::settle_member(const Look& look, Slot member, std::uint32_t moved_before) {
    const Entity& entity = look.scene.entities.at(member);
    Sighting* const sighting = look.watcher.known.find(entity.id, moved_before);
    if (sighting != nullptr) {
        const Outlook outlook = look.outlook();
        if (is_still_seen(look.scene, outlook, sighting->known, entity)) {
            sighting->slot = member;
            if (entity.moved_tick == look.scene.now) {
                settled_moves_.push_back({member, moved_before});
            }
            if (!begins_to_see(look, entity)) {
                band_.push_back(member);
            }
            news_.stays(look.scene, member);
            return;
        }
        const bool lives_on = sighting->known.birth == entity.birth;
        let_go_of(look, sighting->known, &entity);
        if (lives_on) {
            return;
        }
    }
    if (begins_to_see(look, entity)) {
        enter(look, member);
    }
}

/// It was a member when the tick began, or a beacon. If the cell holds its id again, it is settled as such.
void SweepFrames::settle_departed(const Look& look, const SweptCell& cell, EntityId id) {
    Sighting* const sighting = look.watcher.known.find(id, look.watcher.known.size() / 2);
    if (sighting == nullptr) {
        return;
    }
    const Entity* const entity = locate(look.scene.entities, *sighting);
    if (entity == nullptr || !cell.holds(*sighting)) {
        let_go_of(look, sighting->known, entity);
    }
}

/// For a watcher that knew another vicinity, or this one before anybody kept it. Before anything is
/// added to what it knows.
void SweepFrames::check_known(const Look& look, const SweptCell& cell) {
    for (Sighting& sighting : look.watcher.known.all()) {
        const Entity* const entity = locate(look.scene.entities, sighting);
        if (entity == nullptr || !cell.holds(sighting)) {
            let_go_of(look, sighting.known, entity);
        }
    }
}

void SweepFrames::enter(const Look& look, Slot member) {
    if (enters_.empty()) {
        look.watcher.known.prefetch();
    }
    const Entity& entity = look.scene.entities.at(member);
    enters_.push_back(member);
    entered_.push_back({{entity.id, entity.birth}, member});
    news_.enters(look.scene, member);
}

bool SweepFrames::begins_to_see(const Look& look, const Entity& entity) {
    const Outlook outlook = look.outlook();
    return shares_layer(outlook.watcher(), entity) &&
           (outlook.begins_at(entity.position) ||
            (is_beacon(entity.notify) &&
             begins_to_notify(outlook.watcher(), entity, look.scene.dimensions)));
}

/// `entity`: who bears the id now; null: nobody here. Its range is looked at, which reads the watcher's record; those
/// of whom two places say all need none.
void SweepFrames::let_go_of(const Look& look, const Known& known, const Entity* entity) {
    let_go(look, known, reason_to_leave(look.scene, look.outlook(), known, entity));
}

void SweepFrames::let_go(const Look& look, const Known& known, LeaveReason reason) {
    look.watcher.known.prefetch();
    leaves_.push_back({known.id, reason});
    if (reason == LeaveReason::gone) {
        news_.is_gone(look.scene, known);
    }
    look.watcher.known.forget(leaves_.back().id);
}

}  // namespace marchland::engine
