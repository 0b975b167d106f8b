#pragma once

#include "tests/properties/history.h"
#include "tests/properties/stage.h"
#include "tests/properties/stream.h"

namespace marchland::tests {

/// What every client is to be sent, worked out from the contract alone: no shards, no index, no
/// ghosts; every watcher is compared with every entity in every tick. It shares no code with the
/// engine but the plain types of its answers.
///
/// Cost  O(ticks * entities²).
Recording play_by_the_contract(const Stage& stage, const History& history);

}  // namespace marchland::tests
