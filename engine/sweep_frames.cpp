#include "engine/sweep_frames.h"

#include "engine/assert.h"
#include "engine/lens.h"
#include "engine/sighting.h"
#include "engine/visibility.h"

#include <algorithm>

namespace marchland::engine {

void SweepFrames::open(const Vicinities& vicinities, Vicinities::Number number) {
    vicinity_ = &vicinities.at(number);
    origin_x_ = std::int64_t{vicinity_->cell.column} * vicinities.edge_mm();
    origin_y_ = std::int64_t{vicinity_->cell.row} * vicinities.edge_mm();
    beacons_.clear();
    former_beacons_.clear();
    have_beacons_changed_ = false;
}

/// One whose range is less wide than the cell is seen by nobody in the cell but as a member. One that moved
/// a little is among them where it was seen from, too; if it changed more, it is a former one.
void SweepFrames::find_beacons(const Scene& scene, const Rows& rows, const Vicinities& vicinities,
                               const FormerBeacons& former) {
    if (scene.beacons.is_empty() && former.is_empty()) {
        return;
    }
    const Rect cell = vicinities.area_of(vicinity_->cell);
    scene.beacons.visit_around(cell, [&](Slot slot) {
        const Entity& entity = scene.entities.at(slot);
        const auto reaches_from = [&](Position at) {
            return square_around(at, entity.notify.leave_radius_mm).touches(cell);
        };
        if (!vicinities.is_member(slot, *vicinity_) &&
            (reaches_from(entity.position) || reaches_from(rows.place_before(slot)))) {
            beacons_.push_back({entity.id, slot});
            have_beacons_changed_ = have_beacons_changed_ || rows.at(slot).is_changed != 0;
        }
    });
    std::sort(beacons_.begin(), beacons_.end());
    beacons_.erase(std::unique(beacons_.begin(), beacons_.end()), beacons_.end());
    former.visit_around(cell, [&](EntityId id) { former_beacons_.push_back(id); });
    std::sort(former_beacons_.begin(), former_beacons_.end());
    former_beacons_.erase(std::unique(former_beacons_.begin(), former_beacons_.end()),
                          former_beacons_.end());
    have_beacons_changed_ = have_beacons_changed_ || !former_beacons_.empty();
}

void SweepFrames::load(const Scene& scene, const Rows& rows, Load what) {
    // Of a vicinity in which nothing happened no member can have changed.
    const bool may_be_wanted = what == Load::all || vicinity_->active_tick == scene.now;
    slots_ = may_be_wanted ? std::span<const Slot>(vicinity_->members) : std::span<const Slot>();
    if (!beacons_.empty()) {
        put_beacons_among(slots_, scene);
    }
    is_all_loaded_ = what == Load::all;
    if (what == Load::changed) {
        changed_.clear();
        for (const Slot slot : slots_) {
            if (rows.at(slot).is_changed) {
                changed_.push_back(slot);
            }
        }
        slots_ = changed_;
    }
    const std::size_t departed_count = vicinity_->departed.size() + former_beacons_.size();
    columns_.load(origin_x_, origin_y_, rows.by_slot(), slots_, departed_count);
    const bool is_flat = rows.heights().empty();
    if (!is_flat) {
        columns_.load_heights(rows.heights(), slots_);
    }
    for (const Vicinities::Departed& departed : vicinity_->departed) {
        if (is_flat && departed.is_plain) {
            columns_.add_departed(departed.x_before, departed.y_before);
        } else {
            columns_.add_departed();
        }
    }
    for (std::size_t i = 0; i < former_beacons_.size(); ++i) {
        columns_.add_departed();
    }
    columns_.end();
}

/// So that what is settled of them has its place among what the scan finds.
void SweepFrames::put_beacons_among(std::span<const Slot> members, const Scene& scene) {
    with_beacons_.clear();
    auto member = members.begin();
    const auto end = members.end();
    for (const Beacon& beacon : beacons_) {
        const auto next = std::lower_bound(member, end, beacon.id, [&](Slot slot, EntityId id) {
            return scene.entities.at(slot).id < id;
        });
        with_beacons_.insert(with_beacons_.end(), member, next);
        with_beacons_.push_back(beacon.slot);
        member = next;
    }
    with_beacons_.insert(with_beacons_.end(), member, end);
    slots_ = with_beacons_;
}

Frame SweepFrames::build(const Scene& scene, const Rows& rows, const Vicinities& vicinities,
                         const Looker& looker, Watcher& watcher) {
    leaves_.clear();
    enters_.clear();
    settled_moves_.clear();
    entered_.clear();
    const bool checks_known = looker.has_crossed || vicinity_->built_tick == scene.now;
    const Look look{scene, rows, vicinities, looker, watcher, checks_known};
    scan_around(look);
    const bool has_news = scene.news.newest_tick() == scene.now;
    if (has_news) [[unlikely]] {
        news_.begin();
    }
    if (scanned_.unsure_count != 0 || checks_known) {
        take_up_band(look);
        settle(look);
        if (checks_known) {
            check_known(look);
        }
        put_down_band(watcher);
        std::sort(leaves_.begin(), leaves_.end(),
                  [](const Leave& a, const Leave& b) { return a.id < b.id; });
        if (!leaves_.empty() || !entered_.empty()) {
            watcher.known.add(entered_);
        }
    }
    if (!has_news) [[likely]] {
        return {scene.now, looker.slot, leaves_, enters_, moves(), looker.follows};
    }
    Frame frame{scene.now, looker.slot, leaves_, enters_, moves(), looker.follows};
    news_.put_into(frame);
    return frame;
}

/// Who is not in the columns has not changed and stays where it is.
void SweepFrames::take_up_band(const Look& look) {
    band_.clear();
    if (!look.watcher.has_band) {
        return;
    }
    was_in_band_.resize(look.scene.entities.slot_count());
    for (const Slot slot : look.watcher.band) {
        was_in_band_[to_number(slot)] = 1;
        if (!is_all_loaded_ && look.rows.at(slot).is_changed == 0) {
            band_.push_back(slot);
        }
    }
}

void SweepFrames::put_down_band(Watcher& watcher) {
    if (watcher.has_band) {
        for (const Slot slot : watcher.band) {
            was_in_band_[to_number(slot)] = 0;
        }
    } else if (!is_all_loaded_) {
        return;  // of who did not change, nobody has said where it is
    }
    watcher.has_band = true;
    if (watcher.band.capacity() < band_.size()) {
        watcher.band.reserve(band_.size() + band_.size() / 2 + 8);
    }
    watcher.band.assign(band_.begin(), band_.end());
}

/// Whoever looks through a circle in the plane does without: its sight says it all.
void SweepFrames::open_eyes(const Look& look) {
    eyes_.reset();
    const Looker& looker = look.looker;
    if (looker.sight.is_circle) {
        return;
    }
    const Entity& watcher = look.scene.entities.at(looker.slot);
    const Dimensions dimensions = look.scene.dimensions;
    const Position from = look.rows.place_before(looker.slot);
    const Outlook now(watcher, dimensions);
    eyes_.emplace(Eyes{now, looker.has_turned
                                ? Outlook(watcher, from, looker.facing_before, dimensions)
                                : now.seen_from(from)});
}

void SweepFrames::scan_around(const Look& look) {
    const Looker& looker = look.looker;
    open_eyes(look);
    if (eyes_) {
        return scan_through_lens(look);
    }
    const Gaze gaze{looker.slot,
                    columns_.across(looker.x),
                    columns_.upward(looker.y),
                    columns_.across(looker.x_before),
                    columns_.upward(looker.y_before),
                    looker.sight};
    scan(columns_, gaze, scanned_);
}

void SweepFrames::scan_through_lens(const Look& look) {
    const Looker& looker = look.looker;
    const std::int32_t z = look.rows.place_of(looker.slot).z;
    const std::int32_t z_before = look.rows.place_before(looker.slot).z;
    const bool fits = Lens::fits(z) && Lens::fits(z_before);
    const LensGaze gaze{.self = looker.slot,
                        .x = fits ? columns_.across(looker.x) : Columns::kNowhere,
                        .y = fits ? columns_.upward(looker.y) : Columns::kNowhere,
                        .x_before = columns_.across(looker.x_before),
                        .y_before = columns_.upward(looker.y_before),
                        .z = fits ? z : 0,
                        .z_before = fits ? z_before : 0,
                        .layers_seen = looker.sight.layers_seen};
    scan(columns_, gaze, lens_of(eyes_->now, eyes_->before, look.scene.dimensions), scanned_);
}

void SweepFrames::settle(const Look& look) {
    for (std::size_t i = 0; i < scanned_.unsure_count; ++i) {
        const Scanned::Unsure& unsure = scanned_.unsure[i];
        if (unsure.entry >= slots_.size()) {
            if (!look.checks_known) {
                settle_departed(look, departed_at(unsure.entry - slots_.size()));
            }
            continue;
        }
        const Slot slot = slots_[unsure.entry];
        const std::uint32_t is_unsettled = look.rows.at(slot).is_unsettled;
        if (is_unsettled == 0) {
            settle_plain(look, {slot, {}}, unsure.moved_before);
        } else if (is_unsettled == Rows::kIsBeacon) {
            settle_beacon(look, slot, unsure.moved_before);
        } else {
            settle_member(look, slot, unsure.moved_before);
        }
    }
}

EntityId SweepFrames::departed_at(std::size_t place) const {
    const std::size_t members = vicinity_->departed.size();
    return place < members ? vicinity_->departed[place].id : former_beacons_[place - members];
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

void SweepFrames::settle_plain(const Look& look, const Plain& plain, std::uint32_t moved_before) {
    const bool is_entering_range = begins(look, plain);
    if (!was_known(look, plain, moved_before)) {
        if (is_entering_range) {
            enter(look, plain.slot);
        }
        return;
    }
    if (!is_entering_range && !goes_on(look, plain)) {
        const Entity& entity = look.scene.entities.at(plain.slot);
        let_go(look, {entity.id, entity.birth}, &entity);
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
    if (began_before(look, plain)) {
        return true;
    }
    if (!went_on_before(look, plain)) {
        return false;
    }
    return look.watcher.has_band ? was_in_band_[to_number(plain.slot)] != 0
                                 : look.watcher.known.find(look.scene.entities.at(plain.slot).id,
                                                           moved_before) != nullptr;
}

bool SweepFrames::begins(const Look& look, const Plain& plain) const {
    const Looker& looker = look.looker;
    const Position at = look.rows.place_of(plain.slot);
    const bool is_in_view =
        eyes_ ? eyes_->now.begins_at(at)
              : is_within({looker.x, looker.y, 0}, at, looker.sight.radius_mm, Dimensions::two);
    return is_in_view ||
           (is_beacon(plain.notify) && is_within(look.rows.place_of(looker.slot), at,
                                                 plain.notify.radius_mm, look.scene.dimensions));
}

bool SweepFrames::goes_on(const Look& look, const Plain& plain) const {
    const Looker& looker = look.looker;
    const Position at = look.rows.place_of(plain.slot);
    const bool is_in_view =
        eyes_ ? eyes_->now.goes_on_at(at)
              : is_within({looker.x, looker.y, 0}, at, looker.sight.reach_mm, Dimensions::two);
    return is_in_view || (is_beacon(plain.notify) &&
                          is_within(look.rows.place_of(looker.slot), at,
                                    plain.notify.leave_radius_mm, look.scene.dimensions));
}

bool SweepFrames::began_before(const Look& look, const Plain& plain) const {
    const Looker& looker = look.looker;
    const Position was_at = look.rows.place_before(plain.slot);
    const bool was_in_view = eyes_ ? eyes_->before.begins_at(was_at)
                                   : is_within({looker.x_before, looker.y_before, 0}, was_at,
                                               looker.sight.radius_mm, Dimensions::two);
    return was_in_view ||
           (is_beacon(plain.notify) && is_within(look.rows.place_before(looker.slot), was_at,
                                                 plain.notify.radius_mm, look.scene.dimensions));
}

bool SweepFrames::went_on_before(const Look& look, const Plain& plain) const {
    const Looker& looker = look.looker;
    const Position was_at = look.rows.place_before(plain.slot);
    const bool was_in_view = eyes_ ? eyes_->before.goes_on_at(was_at)
                                   : is_within({looker.x_before, looker.y_before, 0}, was_at,
                                               looker.sight.reach_mm, Dimensions::two);
    return was_in_view || (is_beacon(plain.notify) &&
                           is_within(look.rows.place_before(looker.slot), was_at,
                                     plain.notify.leave_radius_mm, look.scene.dimensions));
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
    if (entity == nullptr || !is_around(look, *sighting)) {
        let_go(look, sighting->known, entity);
    }
}

/// Is it a member, or a beacon seen from the cell? Then it is settled as such.
bool SweepFrames::is_around(const Look& look, const Sighting& sighting) const {
    return look.vicinities.is_member(sighting.slot, *vicinity_) ||
           std::binary_search(beacons_.begin(), beacons_.end(),
                              Beacon{sighting.known.id, sighting.slot});
}

/// For a watcher that knew another vicinity, or this one before anybody kept it. Before anything is
/// added to what it knows.
void SweepFrames::check_known(const Look& look) {
    for (Sighting& sighting : look.watcher.known.all()) {
        const Entity* const entity = locate(look.scene.entities, sighting);
        if (entity == nullptr || !is_around(look, sighting)) {
            let_go(look, sighting.known, entity);
        }
    }
}

/// If it may.
void SweepFrames::enter(const Look& look, Slot member) {
    const Entity& entity = look.scene.entities.at(member);
    if (begins_to_see(look, entity)) {
        enters_.push_back(member);
        entered_.push_back({{entity.id, entity.birth}, member});
        news_.enters(look.scene, member);
    }
}

bool SweepFrames::begins_to_see(const Look& look, const Entity& entity) {
    const Outlook outlook = look.outlook();
    return shares_layer(outlook.watcher(), entity) &&
           (outlook.begins_at(entity.position) ||
            (is_beacon(entity.notify) &&
             begins_to_notify(outlook.watcher(), entity, look.scene.dimensions)));
}

void SweepFrames::let_go(const Look& look, const Known& known, const Entity* entity) {
    leaves_.push_back({known.id, reason_to_leave(look.scene, look.outlook(), known, entity)});
    if (leaves_.back().reason == LeaveReason::gone) {
        news_.is_gone(look.scene, known);
    }
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

/// Whoever is between the two ranges is among the unsure, so they tell the whole band.
Frame SweepFrames::build_of_mover(const Scene& scene, const Rows& rows,
                                  const Vicinities& vicinities, const Looker& looker,
                                  Watcher& watcher, std::span<const Slot> unsure) {
    begin_one();
    is_all_loaded_ = true;
    const Look look{scene, rows, vicinities, looker, watcher, false};
    open_eyes(look);
    take_up_band(look);
    for (const Slot slot : unsure) {
        settle_plain(look, {slot, {}}, 0);
    }
    put_in_order();
    return end_one(scene, looker, watcher);
}

/// What was settled in no order.
void SweepFrames::put_in_order() {
    std::sort(leaves_.begin(), leaves_.end(),
              [](const Leave& a, const Leave& b) { return a.id < b.id; });
    std::sort(entered_.begin(), entered_.end(),
              [](const Sighting& a, const Sighting& b) { return a.known.id < b.known.id; });
    std::transform(entered_.begin(), entered_.end(), enters_.begin(),
                   [](const Sighting& sighting) { return sighting.slot; });
}

Frame SweepFrames::build_of_one(const Scene& scene, const Rows& rows, const Vicinities& vicinities,
                                const Looker& looker, Watcher& watcher, Slot mover) {
    begin_one();
    const Look look{scene, rows, vicinities, looker, watcher, false};
    open_eyes(look);
    take_up_band(look);
    settle_plain(look, {mover, {}}, 0);
    return end_one(scene, looker, watcher);
}

Frame SweepFrames::build_of_any(const Scene& scene, const Rows& rows, const Vicinities& vicinities,
                                const Looker& looker, Watcher& watcher, Slot mover) {
    begin_one();
    const Look look{scene, rows, vicinities, looker, watcher, false};
    take_up_band(look);
    settle_member(look, mover, 0);
    return end_one(scene, looker, watcher);
}

/// As if only the mover were in the columns.
void SweepFrames::begin_one() {
    leaves_.clear();
    enters_.clear();
    settled_moves_.clear();
    entered_.clear();
    scanned_.moved_count = 0;
    is_all_loaded_ = false;
    news_.begin();
}

Frame SweepFrames::end_one(const Scene& scene, const Looker& looker, Watcher& watcher) {
    put_down_band(watcher);
    watcher.known.add(entered_);
    Frame frame{scene.now, looker.slot, leaves_, enters_, moves(), looker.follows};
    if (scene.news.newest_tick() == scene.now) [[unlikely]] {
        news_.put_into(frame);
    }
    return frame;
}

}  // namespace marchland::engine
