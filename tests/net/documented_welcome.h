#pragma once

#include "net/messages.h"
#include "tests/net/hex.h"

namespace marchland::tests {

/// The Welcome whose bytes docs/wire_format.md and the golden vectors show, without what they add to it.
inline net::Welcome documented_welcome() {
    net::Welcome welcome{1,
                         2,
                         engine::EntityId{17},
                         120,
                         20,
                         engine::Dimensions::two,
                         {-500'000, -500'000, INT32_MIN},
                         {500'000, 500'000, INT32_MAX},
                         {1'000, -2'000, 3},
                         engine::View::circle(50'000, 55'000),
                         100'000,
                         {}};
    welcome.server_time_us = 6'000'000;
    welcome.resume_token = bytes_of("000102030405060708090a0b0c0d0e0f");
    welcome.resume_grace_ms = 10'000;
    return welcome;
}

}  // namespace marchland::tests
