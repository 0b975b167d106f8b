#pragma once

#include "engine/entity.h"
#include "engine/geometry.h"

namespace marchland::engine {

// The three questions from which visibility is made (docs/visibility.md). Who asks about an entity
// and itself gets an answer like any other: that nobody sees itself is for the caller to know.

/// Is `entity` in a layer that `watcher` sees?
constexpr bool shares_layer(const Entity& watcher, const Entity& entity) {
    return (watcher.layers_seen & entity.layers) != kNoLayers;
}

/// Is `entity` where `watcher` begins to see it?
constexpr bool is_in_enter_range(const Entity& watcher, const Entity& entity,
                                 Dimensions dimensions) {
    return watcher.view.shape == Shape::circle &&
           is_within(watcher.position, entity.position, watcher.view.radius_mm, dimensions);
}

/// Is `entity` where `watcher` goes on seeing it?
constexpr bool is_in_leave_range(const Entity& watcher, const Entity& entity,
                                 Dimensions dimensions) {
    return watcher.view.shape == Shape::circle &&
           is_within(watcher.position, entity.position, watcher.view.leave_radius_mm, dimensions);
}

}  // namespace marchland::engine
