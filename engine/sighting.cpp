#include "engine/sighting.h"

#include "engine/visibility.h"

#include <optional>

namespace marchland::engine {
namespace {

/// Of the watcher's view, or of the entity's own notification. That is in the second cache line of
/// its record, which is read only of who left the view.
bool is_in_leave_range(const Scene& scene, const Outlook& outlook, const Entity& entity) {
    return outlook.goes_on_at(entity.position) ||
           (!scene.beacons.is_empty() && !outlook.is_blind() &&
            goes_on_notifying(outlook.watcher(), entity, scene.dimensions));
}

}  // namespace

const Entity* locate(const EntityStore& entities, Sighting& sighting) {
    if (!entities.holds(sighting.slot, sighting.known.id)) {
        const std::optional<Slot> slot = entities.find(sighting.known.id);
        if (!slot) {
            return nullptr;
        }
        sighting.slot = *slot;
    }
    return &entities.at(sighting.slot);
}

bool is_still_seen(const Scene& scene, const Outlook& outlook, const Known& known,
                   const Entity& entity) {
    return entity.birth == known.birth && shares_layer(outlook.watcher(), entity) &&
           is_in_leave_range(scene, outlook, entity);
}

LeaveReason reason_to_leave(const Scene& scene, const Outlook& outlook, const Known& known,
                            const Entity* entity) {
    const bool lives_again = entity != nullptr && entity->birth != known.birth;
    if (lives_again) {
        return LeaveReason::gone;
    }
    const LeaveReason unless_in_range = reason_out_of_range(scene, known);
    const bool is_hidden = unless_in_range != LeaveReason::gone && entity != nullptr &&
                           is_in_leave_range(scene, outlook, *entity);
    return is_hidden ? LeaveReason::hidden : unless_in_range;
}

LeaveReason reason_out_of_range(const Scene& scene, const Known& known) {
    return scene.departures.contains({known.id, known.birth}) ? LeaveReason::gone
                                                              : LeaveReason::out_of_range;
}

}  // namespace marchland::engine
