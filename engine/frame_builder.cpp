#include "engine/frame_builder.h"

#include "engine/sighting.h"
#include "engine/visibility.h"

#include <algorithm>

namespace marchland::engine {
Frame FrameBuilder::build(const Scene& scene, Slot slot, Watcher& watcher, bool complete,
                          std::optional<std::span<const Slot>> candidates) {
    leaves_.clear();
    enters_.clear();
    moves_.clear();
    entered_.clear();
    stays_.resize(scene.entities.slot_count());

    settle_known(scene, scene.entities.at(slot), watcher);
    find_entered(scene, slot, candidates);
    for (const Sighting& stayed : watcher.known.all()) {
        stays_[to_number(stayed.slot)] = 0;
    }
    watcher.known.add(entered_);

    const bool follows_last_tick = watcher.synced_tick + 1 == scene.now;
    watcher.framed_tick = scene.now;
    if (complete) {
        watcher.synced_tick = scene.now;
    }
    return {scene.now, slot, leaves_, enters_, moves_, follows_last_tick};
}

/// Afterwards the watcher's sightings are those that stay, and `stays_` marks their slots.
void FrameBuilder::settle_known(const Scene& scene, const Entity& self, Watcher& watcher) {
    std::vector<Sighting>& known = watcher.known.all();
    for (const Sighting& sighting : known) {
        scene.entities.prefetch(sighting.slot);
    }
    auto kept = known.begin();
    for (Sighting& sighting : known) {
        const Entity* const seen = locate(scene.entities, sighting);
        if (seen == nullptr || !is_still_seen(scene, self, sighting.known, *seen)) {
            leaves_.push_back(
                {sighting.known.id, reason_to_leave(scene, self, sighting.known, seen)});
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

void FrameBuilder::find_entered(const Scene& scene, Slot slot,
                                std::optional<std::span<const Slot>> candidates) {
    const Entity& self = scene.entities.at(slot);
    if (self.view.shape == Shape::none) {
        return;
    }
    if (!candidates) {
        found_.clear();
        scene.index.up_to_date(scene.entities)
            .query(square_around(self.position, self.view.radius_mm), found_);
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
        if (shares_layer(self, entity) && is_in_enter_range(self, entity, scene.dimensions)) {
            entered_.push_back({{entity.id, entity.birth}, found});
        }
    }
    if (!candidates) {
        std::sort(entered_.begin(), entered_.end(),
                  [](const Sighting& a, const Sighting& b) { return a.known.id < b.known.id; });
    }
    for (const Sighting& entered : entered_) {
        enters_.push_back(entered.slot);
    }
}

}  // namespace marchland::engine
