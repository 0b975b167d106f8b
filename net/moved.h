#pragma once

#include "engine/ids.h"

#include <cstdint>

namespace marchland::net {

/// One entity of a frame's packed moves (packed_moves.h). Relative: x, y and z are the difference to
/// the position that the reader was told last; such a difference needs up to 33 bits. Otherwise they
/// are the position itself. All of them count in quanta of the zone.
struct Moved {
    engine::EntityId entity{};
    bool is_relative = false;
    std::int64_t x = 0;
    std::int64_t y = 0;
    std::int64_t z = 0;

    friend bool operator==(const Moved&, const Moved&) = default;
};

}  // namespace marchland::net
