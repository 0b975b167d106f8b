#include "engine/swept_cell.h"

#include <algorithm>

namespace marchland::engine {

void SweptCell::open(const Vicinities& vicinities, Vicinities::Number number) {
    vicinities_ = &vicinities;
    vicinity_ = &vicinities.at(number);
    origin_x_ = std::int64_t{vicinity_->cell.column} * vicinities.edge_mm();
    origin_y_ = std::int64_t{vicinity_->cell.row} * vicinities.edge_mm();
    beacons_.clear();
    former_beacons_.clear();
    have_beacons_changed_ = false;
}

/// One whose range is less wide than the cell is seen by nobody in the cell but as a member. One that moved
/// a little is among them where it was seen from, too; if it changed more, it is a former one.
void SweptCell::find_beacons(const Scene& scene, const Rows& rows, const FormerBeacons& former) {
    if (scene.beacons.is_empty() && former.is_empty()) {
        return;
    }
    const Rect cell = vicinities_->area_of(vicinity_->cell);
    scene.beacons.visit_around(cell, [&](Slot slot) {
        const Entity& entity = scene.entities.at(slot);
        const auto reaches_from = [&](Position at) {
            return square_around(at, entity.notify.leave_radius_mm).touches(cell);
        };
        if (!vicinities_->is_member(slot, *vicinity_) &&
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

void SweptCell::load(const Scene& scene, const Rows& rows, Load what) {
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
void SweptCell::put_beacons_among(std::span<const Slot> members, const Scene& scene) {
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

EntityId SweptCell::departed_at(std::size_t place) const {
    const std::size_t members = vicinity_->departed.size();
    return place < members ? vicinity_->departed[place].id : former_beacons_[place - members];
}

bool SweptCell::holds(const Sighting& sighting) const {
    return vicinities_->is_member(sighting.slot, *vicinity_) ||
           std::binary_search(beacons_.begin(), beacons_.end(),
                              Beacon{sighting.known.id, sighting.slot});
}

}  // namespace marchland::engine
