#pragma once

#include "tests/net/hex.h"
#include "tests/net/small_world_welcome.h"

namespace marchland::tests {

/// The Welcome whose bytes docs/wire_format.md and the golden vectors show, without what they add
/// to it.
inline net::Welcome documented_welcome() {
    net::Welcome welcome = small_world_welcome(engine::EntityId{17});
    welcome.protocol_major = 3;
    welcome.protocol_minor = 0;
    welcome.tick = 120;
    welcome.tick_rate_hz = 20;
    welcome.spawn = {1'000, -2'000, 3};
    welcome.view = engine::View::circle(50'000, 55'000);
    welcome.server_time_us = 6'000'000;
    welcome.resume_token = bytes_of("000102030405060708090a0b0c0d0e0f");
    welcome.resume_grace_ms = 10'000;
    return welcome;
}

}  // namespace marchland::tests
