#pragma once

#include "engine/geometry.h"
#include "engine/view.h"
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
        join,     ///< is born, at `at`, with all that is below; the bits: as a watcher or not
        leave,    ///< dies; recorded as a departure, unless bit 0
        move,     ///< to `at`
        nudge,    ///< by a few millimetres: the bits
        go_back,  ///< to where it began the tick
        view,     ///< to `view`
        turn,     ///< to `facing`
        notify,   ///< to `notify`
        layers,   ///< the bits
        state,    ///< a slot to one of a few values: the bits
        say,      ///< a message to who sees it: the bits
        whole,    ///< is to be sent a keyframe
        watch,    ///< begins to watch, or stops
        part,     ///< goes out of reach of where frames are built, or comes back from there
        rehouse,  ///< is erased and inserted again, as it was
        forget,   ///< departures older than a few ticks
        tick,     ///< frames; the bits: complete or not, ticks skipped, who is left out
    };
    Kind kind{};
    std::size_t who = 0;
    Position at;
    View view;
    Angle facing = 0;
    NotifyRange notify;
    std::uint32_t bits = 0;
};

std::ostream& operator<<(std::ostream& out, const Step& step);

/// Histories on this ground. `entity_count`: among how many ids.
rc::Gen<std::vector<Step>> steps_on(const Ground& ground, std::size_t entity_count);

/// Every one of `entity_count` ids joins, few of them as watchers; then a history as above.
rc::Gen<std::vector<Step>> crowd_on(const Ground& ground, std::size_t entity_count);

}  // namespace marchland::engine::testing
