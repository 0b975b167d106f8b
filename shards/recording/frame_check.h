#pragma once

#include "engine/entity_store.h"
#include "engine/frame/frame.h"

#include <cstdint>

namespace marchland::shards {

/// One number for all that a frame sends its watcher. 0 for a frame without content. The sum over a
/// tick's frames does not depend on their order, so that each shard can sum up its own: it
/// distinguishes two runs of a tick, but is no defence against an attacker.
///
/// Cost    About a nanosecond for each number sent.
/// Source  Each step is the multiply and xor-shift of SplitMix64's finalizer.
std::uint64_t frame_check(const engine::Frame& frame, const engine::EntityStore& entities);

}  // namespace marchland::shards
