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

Watcher::Sighting* find_sighting(Watcher& watcher, EntityId id, std::size_t guess) {
    std::vector<Watcher::Sighting>& sightings = watcher.sightings;
    const auto is_before = [&](std::size_t place) { return sightings[place].known.id < id; };
    // Doubles the step away from the guess until the id is between low and high.
    std::size_t low = 0;
    std::size_t high = sightings.size();
    guess = std::min(guess, high);
    if (guess < high && is_before(guess)) {
        low = guess + 1;
        for (std::size_t step = 1; low < high; step *= 2) {
            const std::size_t probe = std::min(low + step, high) - 1;
            if (!is_before(probe)) {
                high = probe;
                break;
            }
            low = probe + 1;
        }
    } else {
        high = guess;
        for (std::size_t step = 1; low < high; step *= 2) {
            const std::size_t probe = high - std::min(step, high);
            if (is_before(probe)) {
                low = probe + 1;
                break;
            }
            high = probe;
        }
    }
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (is_before(middle)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < sightings.size() && sightings[low].known.id == id ? &sightings[low] : nullptr;
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
