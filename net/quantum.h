#pragma once

#include "engine/geometry.h"

#include <cstdint>

namespace marchland::net {

/// The nearest multiple of the quantum from `min` to `max`, the greater of two; there is one.
std::int32_t nearest_multiple(std::int32_t value, std::int32_t quantum_mm, std::int64_t min,
                              std::int64_t max);

/// Where somebody who asks to be at `wanted`, inside the world, is put: all positions that come in
/// are made multiples of the zone's quantum, so that packed moves can count in quanta and be exact.
engine::Position on_grid(engine::Position wanted, std::int32_t quantum_mm,
                         const engine::Rect& world);

/// Likewise, a velocity: so it goes from one multiple to the next.
engine::Step on_grid(engine::Step wanted, std::int32_t quantum_mm);

/// The position itself where it is inside.
engine::Position nearest_inside(engine::Position wanted, const engine::Rect& world);

}  // namespace marchland::net
