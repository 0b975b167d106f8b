#pragma once

#include "engine/aoi.h"

#include <span>
#include <string>
#include <vector>

namespace marchland::engine::testing {

/// One line for each event, in their order: "1 enter 2", "1 move 2", "1 move 2 jumped",
/// "1 leave 2 out_of_range", "1 state 2 open"; "1 enter 2 open" of one that has a state, which is
/// taken for a text. Positions are not in them.
std::vector<std::string> sent(std::span<const AoiEvent> events);

}  // namespace marchland::engine::testing
