#include "engine/sweep_frames.h"

#include "engine/assert.h"
#include "engine/lens.h"
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
    is_all_loaded_ = what == Load::all;
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
    if (rows.heights().empty()) {
        for (const Vicinities::Departed& departed : vicinity_->departed) {
            columns_.add_departed(departed.x_before, departed.y_before);
        }
    } else {
        columns_.load_heights(rows.heights(), slots_);
        for (std::size_t i = 0; i < vicinity_->departed.size(); ++i) {
            columns_.add_departed();
        }
    }
    columns_.end();
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
                settle_departed(look, vicinity_->departed[unsure.entry - slots_.size()].id);
            }
        } else if (look.rows.at(slots_[unsure.entry]).is_unsettled != 0) {
            settle_member(look, slots_[unsure.entry], unsure.moved_before);
        } else {
            settle_plain(look, slots_[unsure.entry], unsure.moved_before);
        }
    }
}

void SweepFrames::settle_plain(const Look& look, Slot member, std::uint32_t moved_before) {
    const bool is_entering_range = begins(look, member);
    if (!was_known(look, member, moved_before)) {
        if (is_entering_range) {
            enter(look, member);
        }
        return;
    }
    if (!goes_on(look, member)) {
        const Entity& entity = look.scene.entities.at(member);
        let_go(look, {entity.id, entity.birth}, &entity);
        return;
    }
    if (look.rows.has_moved(member)) {
        settled_moves_.push_back({member, moved_before});
    }
    if (!is_entering_range) {
        band_.push_back(member);
    }
}

/// Was in the enter range: yes. Was outside the leave range: no. Between the two, somebody has to have
/// kept it in mind.
bool SweepFrames::was_known(const Look& look, Slot member, std::uint32_t moved_before) const {
    if (began_before(look, member)) {
        return true;
    }
    if (!went_on_before(look, member)) {
        return false;
    }
    return look.watcher.has_band ? was_in_band_[to_number(member)] != 0
                                 : look.watcher.known.find(look.scene.entities.at(member).id,
                                                           moved_before) != nullptr;
}

bool SweepFrames::begins(const Look& look, Slot member) const {
    const Looker& looker = look.looker;
    const Position at = look.rows.place_of(member);
    return eyes_ ? eyes_->now.begins_at(at)
                 : is_within({looker.x, looker.y, 0}, at, looker.sight.radius_mm, Dimensions::two);
}

bool SweepFrames::goes_on(const Look& look, Slot member) const {
    const Looker& looker = look.looker;
    const Position at = look.rows.place_of(member);
    return eyes_ ? eyes_->now.goes_on_at(at)
                 : is_within({looker.x, looker.y, 0}, at, looker.sight.reach_mm, Dimensions::two);
}

bool SweepFrames::began_before(const Look& look, Slot member) const {
    const Looker& looker = look.looker;
    const Position was_at = look.rows.place_before(member);
    return eyes_ ? eyes_->before.begins_at(was_at)
                 : is_within({looker.x_before, looker.y_before, 0}, was_at, looker.sight.radius_mm,
                             Dimensions::two);
}

bool SweepFrames::went_on_before(const Look& look, Slot member) const {
    const Looker& looker = look.looker;
    const Position was_at = look.rows.place_before(member);
    return eyes_ ? eyes_->before.goes_on_at(was_at)
                 : is_within({looker.x_before, looker.y_before, 0}, was_at, looker.sight.reach_mm,
                             Dimensions::two);
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
            if (!outlook.begins_at(entity.position)) {
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

/// If it may.
void SweepFrames::enter(const Look& look, Slot member) {
    const Entity& entity = look.scene.entities.at(member);
    const Outlook outlook = look.outlook();
    if (shares_layer(outlook.watcher(), entity) && outlook.begins_at(entity.position)) {
        enters_.push_back(member);
        entered_.push_back({{entity.id, entity.birth}, member});
        news_.enters(look.scene, member);
    }
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
        settle_plain(look, slot, 0);
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
    settle_plain(look, mover, 0);
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
