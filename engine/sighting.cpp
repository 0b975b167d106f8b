#include "engine/sighting.h"

#include "engine/visibility.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace marchland::engine {

const Entity* locate(const EntityStore& entities, Watcher::Sighting& sighting) {
    if (!entities.holds(sighting.slot, sighting.known.id)) {
        const std::optional<Slot> slot = entities.find(sighting.known.id);
        if (!slot) {
            return nullptr;
        }
        sighting.slot = *slot;
    }
    return &entities.at(sighting.slot);
}

Watcher::Sighting* find_sighting(Watcher& watcher, EntityId id) {
    const auto found = std::lower_bound(watcher.sightings.begin(), watcher.sightings.end(), id,
                                        [](const Watcher::Sighting& sighting, EntityId sought) {
                                            return sighting.known.id < sought;
                                        });
    return found != watcher.sightings.end() && found->known.id == id ? &*found : nullptr;
}

/// Merges from the back, in place: std::inplace_merge would allocate a buffer.
void add_sightings(Watcher& watcher, std::span<const Watcher::Sighting> entered) {
    std::vector<Watcher::Sighting>& sightings = watcher.sightings;
    auto stayed = static_cast<std::ptrdiff_t>(sightings.size());
    auto left = static_cast<std::ptrdiff_t>(entered.size());
    sightings.resize(sightings.size() + entered.size());
    const auto into = sightings.begin();
    while (left > 0) {
        if (stayed > 0 && into[stayed - 1].known.id > entered.begin()[left - 1].known.id) {
            into[stayed + left - 1] = into[stayed - 1];
            --stayed;
        } else {
            into[stayed + left - 1] = entered.begin()[left - 1];
            --left;
        }
    }
}

bool is_still_seen(const Scene& scene, const Entity& watcher, const Known& known,
                   const Entity& entity) {
    return entity.birth == known.birth && shares_layer(watcher, entity) &&
           is_in_leave_range(watcher, entity, scene.dimensions);
}

LeaveReason reason_to_leave(const Scene& scene, const Entity& watcher, const Known& known,
                            const Entity* entity) {
    const bool lives_again = entity != nullptr && entity->birth != known.birth;
    if (lives_again || scene.departures.contains({known.id, known.birth})) {
        return LeaveReason::gone;
    }
    const bool is_in_range =
        entity != nullptr && is_in_leave_range(watcher, *entity, scene.dimensions);
    return is_in_range ? LeaveReason::hidden : LeaveReason::out_of_range;
}

}  // namespace marchland::engine
