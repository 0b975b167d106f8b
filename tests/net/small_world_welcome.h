#pragma once

#include "net/messages.h"

#include <cstdint>

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

/// Of a server that a test plays: a flat world of 2 by 2 km at 20 Hz, where the client is `entity`,
/// at the origin.
inline net::Welcome welcome_as(std::uint64_t entity) {
    net::Welcome welcome;
    welcome.entity = static_cast<engine::EntityId>(entity);
    welcome.tick = 1;
    welcome.tick_rate_hz = 20;
    welcome.world_min = {-1'000'000, -1'000'000, -1'000'000};
    welcome.world_max = {1'000'000, 1'000'000, 1'000'000};
    welcome.view = engine::View::circle(50'000, 55'000);
    welcome.leave_radius_mm_max = 100'000;
    return welcome;
}

}  // namespace marchland::tests
