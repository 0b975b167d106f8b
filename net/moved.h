#pragma once

#include "engine/geometry.h"
#include "engine/ids.h"

#include <cstdint>

namespace marchland::net {

/// One entity of a frame's packed moves (packed_moves.h). Relative: x, y and z are the difference to
/// where the reader has it by now, which goes on with the velocity that it was sent last; such a difference
/// needs up to 33 bits. Otherwise they are the position itself. All of them count in quanta of the zone.
struct Moved {
    engine::EntityId entity{};
    bool is_relative = false;
    std::int64_t x = 0;
    std::int64_t y = 0;
    std::int64_t z = 0;
    engine::Step velocity = {};  ///< from here on, of each tick

    friend bool operator==(const Moved&, const Moved&) = default;
};

}  // namespace marchland::net
