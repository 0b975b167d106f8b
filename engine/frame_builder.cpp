#include "engine/frame_builder.h"

#include "engine/sighting.h"
#include "engine/visibility.h"

#include <algorithm>

namespace marchland::engine {

Frame FrameBuilder::build(const Scene& scene, Slot slot, Watcher& watcher, bool complete,
                          std::optional<std::span<const Slot>> candidates, Cap* cap) {
    gone_.clear();
    leaves_.clear();
    enters_.clear();
    moves_.clear();
    entered_.clear();
    stays_.resize(scene.entities.slot_count());

    const Outlook outlook(scene.entities.at(slot), scene.dimensions);
    settle_known(scene, outlook, watcher);
    find_entered(scene, slot, outlook, candidates);
    if (cap != nullptr) {
        cap->admit(scene, slot, watcher.known.all(), entered_);
    }
    note_entered(candidates && scene.beacons.is_empty() && cap == nullptr);
    for (const Sighting& stayed : watcher.known.all()) {
        stays_[to_number(stayed.slot)] = 0;
    }
    watcher.known.add(entered_);

    const bool follows_last_tick = watcher.synced_tick + 1 == scene.now;
    watcher.framed_tick = scene.now;
    watcher.has_band = false;
    if (complete) {
        watcher.synced_tick = scene.now;
    }
    return {scene.now, slot, leaves_, enters_, moves_, follows_last_tick};
}

/// Afterwards the watcher's sightings are those that stay, and `stays_` marks their slots.
void FrameBuilder::settle_known(const Scene& scene, const Outlook& outlook, Watcher& watcher) {
    std::vector<Sighting>& known = watcher.known.all();
    for (const Sighting& sighting : known) {
        scene.entities.prefetch(sighting.slot);
    }
    auto kept = known.begin();
    for (Sighting& sighting : known) {
        const Entity* const seen = locate(scene.entities, sighting);
        if (seen == nullptr || !is_still_seen(scene, outlook, sighting.known, *seen)) {
            leaves_.push_back(
                {sighting.known.id, reason_to_leave(scene, outlook, sighting.known, seen)});
            if (leaves_.back().reason == LeaveReason::gone) {
                gone_.push_back(sighting.known);
            }
            continue;
        }
        if (seen->moved_tick > watcher.synced_tick) {
            moves_.push_back(sighting.slot);
        }
        stays_[to_number(sighting.slot)] = 1;
        *kept++ = sighting;
    }
    known.erase(kept, known.end());
}

void FrameBuilder::find_entered(const Scene& scene, Slot slot, const Outlook& outlook,
                                std::optional<std::span<const Slot>> candidates) {
    if (outlook.is_blind()) {
        return;
    }
    if (!candidates) {
        found_.clear();
        scene.index.up_to_date(scene.entities).query(outlook.enter_bounds(), found_);
    }
    const std::span<const Slot> around = candidates.value_or(found_);
    for (const Slot found : around) {
        scene.entities.prefetch(found);
    }
    for (const Slot found : around) {
        if (found == slot || stays_[to_number(found)] != 0) {
            continue;
        }
        const Entity& entity = scene.entities.at(found);
        if (shares_layer(outlook.watcher(), entity) && outlook.begins_at(entity.position)) {
            enter(entity, found);
        }
    }
    if (!scene.beacons.is_empty()) {
        find_beacons(scene, slot);
    }
}

void FrameBuilder::note_entered(bool is_in_order) {
    if (!is_in_order) {
        std::sort(entered_.begin(), entered_.end(),
                  [](const Sighting& a, const Sighting& b) { return a.known.id < b.known.id; });
    }
    for (const Sighting& entered : entered_) {
        enters_.push_back(entered.slot);
    }
}

/// One that is in view too has entered already; its mark says so until the beacons are through.
void FrameBuilder::find_beacons(const Scene& scene, Slot slot) {
    const Entity& self = scene.entities.at(slot);
    for (const Sighting& entered : entered_) {
        stays_[to_number(entered.slot)] = 1;
    }
    const std::size_t in_view = entered_.size();
    scene.beacons.visit_near(self.position, [&](Slot found) {
        if (found == slot || stays_[to_number(found)] != 0) {
            return;
        }
        const Entity& entity = scene.entities.at(found);
        if (shares_layer(self, entity) && begins_to_notify(self, entity, scene.dimensions)) {
            enter(entity, found);
        }
    });
    for (std::size_t i = 0; i < in_view; ++i) {
        stays_[to_number(entered_[i].slot)] = 0;
    }
}

void FrameBuilder::enter(const Entity& entity, Slot slot) {
    entered_.push_back({{entity.id, entity.birth}, slot});
}

}  // namespace marchland::engine
