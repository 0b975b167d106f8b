#pragma once

#include "engine/entity.h"
#include "engine/ids.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace marchland::engine {

struct KeptEvent {
    Tick tick = kNever;
    std::uint32_t number = 0;  ///< counts what its source sent in that tick, from 0
    Blob payload;

    [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_of(payload); }
    /// In the memory's model: the payload and something for the rest.
    [[nodiscard]] std::size_t cost() const { return bytes().size() + 64; }
};

/// What one life of an entity told lately to those who see it. Kept for watchers that take no frame
/// in every tick; older events give way to newer ones, but none to one of its own tick. Immutable: a
/// shard and its neighbours' ghosts point at one.
///
/// Invariants
///  1. `events` is in ascending (tick, number).
///  2. All events of the newest tick are here, whatever they cost: so whoever takes a frame in every
///     tick misses nothing. With the older ones, if any, they cost at most kBytesMax.
///  3. All events after `lost_tick` are here, and none that was sent before it.
struct EventLog {
    static constexpr std::size_t kBytesMax = 16'384;

    std::vector<KeptEvent> events;
    Tick lost_tick = kNever;  ///< of the newest event that gave way

    [[nodiscard]] Tick newest_tick() const { return events.empty() ? kNever : events.back().tick; }
};

using EventLogPtr = std::shared_ptr<const EventLog>;

/// The log with more events, in order and later than all in it. `log` may be null: none yet.
EventLogPtr with(const EventLogPtr& log, std::span<const KeptEvent> events);

}  // namespace marchland::engine
