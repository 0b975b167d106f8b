#pragma once

#include "net/messages.h"

namespace marchland::tests {

/// To this entity, what is the same in every Welcome to a flat world of a kilometre across.
inline net::Welcome small_world_welcome(engine::EntityId entity) {
    net::Welcome welcome;
    welcome.entity = entity;
    welcome.world_min = {-500'000, -500'000, INT32_MIN};
    welcome.world_max = {500'000, 500'000, INT32_MAX};
    welcome.leave_radius_mm_max = 100'000;
    return welcome;
}

}  // namespace marchland::tests
