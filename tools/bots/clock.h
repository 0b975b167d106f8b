#pragma once

#include <chrono>

namespace marchland::bots {

/// The one clock of the bots: it never goes back. Instants are passed in, so that tests need none.
using Clock = std::chrono::steady_clock;
using Instant = Clock::time_point;

}  // namespace marchland::bots
