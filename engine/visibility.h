#pragma once

#include "engine/entity.h"
#include "engine/geometry.h"

namespace marchland::engine {

// What visibility is made of (docs/visibility.md), besides the watcher's ViewBounds. Who asks about an
// entity and itself gets an answer like any other: that nobody sees itself is for the caller to know.

/// Is `entity` in a layer that `watcher` sees?
constexpr bool shares_layer(const Entity& watcher, const Entity& entity) {
    return (watcher.layers_seen & entity.layers) != kNoLayers;
}

/// Is `entity` near enough to go on showing itself to `watcher`, whatever its view?
constexpr bool goes_on_notifying(const Entity& watcher, const Entity& entity,
                                 Dimensions dimensions) {
    return is_within(watcher.position, entity.position, entity.notify.leave_radius_mm, dimensions);
}

}  // namespace marchland::engine
