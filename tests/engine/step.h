#pragma once

#include "engine/geometry.h"
#include "tests/engine/ground.h"

#include <rapidcheck.h>

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <vector>

namespace marchland::engine::testing {

/// One thing that happens in a random world. What is not possible at that moment (a move of an
/// entity that is not alive) does nothing, so every list of steps is a history and shrinks freely.
struct Step {
    enum class Kind {
        join,     ///< is born, at `at`; the bits: with a view or not, as a watcher or not
        leave,    ///< dies; recorded as a departure, unless bit 0
        move,     ///< to `at`
        nudge,    ///< by a few millimetres: the bits
        go_back,  ///< to where it began the tick
        view,     ///< radii small_mm and large_mm; bits 0 and 1: none
        layers,   ///< the bits
        watch,    ///< begins to watch, or stops
        part,     ///< goes out of reach of where frames are built, or comes back from there
        rehouse,  ///< is erased and inserted again, as it was
        forget,   ///< departures older than a few ticks
        tick,     ///< frames; the bits: complete or not, ticks skipped, who is left out
    };
    Kind kind{};
    std::size_t who = 0;
    Position at;
    std::int32_t small_mm = 0;
    std::int32_t large_mm = 0;
    std::uint32_t bits = 0;
};

std::ostream& operator<<(std::ostream& out, const Step& step);

/// Histories on this ground. `entity_count`: among how many ids.
rc::Gen<std::vector<Step>> steps_on(const Ground& ground, std::size_t entity_count);

/// Every one of `entity_count` ids joins, few of them as watchers; then a history as above.
rc::Gen<std::vector<Step>> crowd_on(const Ground& ground, std::size_t entity_count);

}  // namespace marchland::engine::testing
