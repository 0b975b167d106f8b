#pragma once

#include "engine/entity.h"
#include "engine/frame.h"
#include "engine/outlook.h"
#include "engine/scene.h"
#include "engine/sightings.h"

namespace marchland::engine {

// What becomes of something that a watcher knows. Whoever builds frames asks here, so that there is
// one answer, however quickly the rest of the frame is found.

/// Who bears this id now? Null: nobody here. The slot it had last is nearly always right; the hash
/// table is asked only when the entity went, or came back elsewhere, and then the slot is put right.
const Entity* locate(const EntityStore& entities, Sighting& sighting);

/// Is `entity` the one that was sighted, and does the watcher go on seeing it?
bool is_still_seen(const Scene& scene, const Outlook& outlook, const Known& known,
                   const Entity& entity);

/// Why is a sighted entity no longer seen? `entity` is who bears the id now; null: nobody here.
LeaveReason reason_to_leave(const Scene& scene, const Outlook& outlook, const Known& known,
                            const Entity* entity);
/// The same of one that is known to be out of range, or not here: for that nobody need be asked.
LeaveReason reason_out_of_range(const Scene& scene, const Known& known);

}  // namespace marchland::engine
