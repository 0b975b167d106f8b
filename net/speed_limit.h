#pragma once

#include "engine/geometry.h"
#include "engine/ids.h"

#include <cstdint>

namespace marchland::net {

/// How far a player's entity may go: a budget that grows with each tick and is spent by moves. A
/// second's worth may be saved up, so that moves that come late, in a bunch, still count. The game
/// may give it another speed than the zone's.
///
/// Threads  One at a time; the owning shard's.
/// Order    Exact, in integers, and by ticks: the same moves in the same ticks are always judged
///          alike.
class SpeedLimit {
public:
    /// `mm_per_s` 0: no limit. In the plane, or in space.
    SpeedLimit(std::uint32_t mm_per_s, std::uint32_t tick_rate_hz, engine::Dimensions dimensions,
               engine::Position at);

    static constexpr std::uint16_t kUnchecked = 65'535;
    /// Of the zone's speed, from here on; 0: it stands, also where the zone has no limit. What is
    /// saved up is at most a second's way of it.
    void set_percent(std::uint16_t percent);
    /// So many ticks are over since the last time, those that a late shard skipped among them.
    void pass(engine::Tick ticks);
    /// True when the entity may go there; then it is there.
    [[nodiscard]] bool allows(engine::Position to);
    /// Wherever a service puts it: that costs nothing.
    void place(engine::Position at) { at_ = at; }
    /// Where it is.
    [[nodiscard]] engine::Position at() const { return at_; }

private:
    std::uint64_t zone_mm_per_s_;
    std::uint64_t mm_per_s_;
    bool is_checked_;
    std::uint64_t tick_rate_hz_;
    engine::Dimensions dimensions_;
    engine::Position at_;
    std::uint64_t budget_;  ///< in parts of a millimetre, tick_rate_hz_ of them each
};

}  // namespace marchland::net
