#pragma once

#include "engine/frame/crowd_limits.h"
#include "tools/bots/world.h"

#include <cstdint>

namespace marchland::bots {

/// What must be known of a zone before players can be sent into it: its Welcome tells.
struct ZoneFacts {
    World world;
    std::uint32_t tick_rate_hz = 20;
    engine::CrowdLimits crowd;
    std::int32_t quantum_mm = 1;
    bool can_resume = false;  ///< a lost connection
};

}  // namespace marchland::bots
