#include "engine/wedge.h"

#include "engine/assert.h"

namespace marchland::engine {

Wedge::Wedge(Angle facing, Angle half_opening)
    : facing_(direction_of(facing)),
      right_(direction_of(static_cast<Angle>(facing - half_opening))),
      left_(direction_of(static_cast<Angle>(facing + half_opening))),
      is_wide_(half_opening > kQuarterTurn) {
    MARCHLAND_ASSERT(half_opening <= kHalfTurn);
}

}  // namespace marchland::engine
