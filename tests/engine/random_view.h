#pragma once

#include "engine/view.h"
#include "tests/engine/ground.h"

#include <rapidcheck.h>

#include <cstdint>

namespace marchland::engine::testing {

/// Multiples of an eighth of a turn and their neighbours, and any other.
rc::Gen<Angle> any_angle();

/// A sound view of any shape that the ground's dimensions allow.
rc::Gen<View> view_on(const Ground& ground);

/// A sound one; often none at all.
rc::Gen<NotifyRange> notify_on(const Ground& ground);

}  // namespace marchland::engine::testing
