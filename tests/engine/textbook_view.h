#pragma once

#include "engine/entity.h"
#include "engine/geometry.h"

namespace marchland::engine::testing {

/// Is `at` inside the view's enter range (its leave range), of a watcher at `from` that faces
/// there? docs/visibility.md in the widest integers there are, with directions from the mathematics
/// library and sectors cut into slices: nothing is shared with the engine, nothing is quick.
bool is_in_view_by_the_textbook(const View& view, bool leave, Position from, Angle facing,
                                Position at, Dimensions dimensions);

/// The direction of an angle: both numbers rounded from a cosine and a sine.
Direction direction_by_the_textbook(Angle angle);

}  // namespace marchland::engine::testing
