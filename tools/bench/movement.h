#pragma once

#include "engine/geometry.h"
#include "tools/bench/workload.h"
#include "tools/random/random.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace marchland::bench {

/// Entity `entity` goes to `to`.
struct Move {
    std::uint32_t entity = 0;
    engine::Position to;
};

/// Where the entities of a workload are, tick after tick. Integers from a seed: every build of every
/// machine makes the same movement, and two Movements of one seed go the same way.
///
/// A walker keeps one of the 20 directions in which a step is kStepMm exactly, turns to another once
/// in 32 ticks on average, and bounces off the edges of its area.
/// Where the map has height it climbs or sinks besides, by up to 100 mm a step.
class Movement {
public:
    Movement(const Workload& workload, std::uint64_t seed);

    [[nodiscard]] std::span<const engine::Position> positions() const { return positions_; }

    /// Everyone moves, or as many as the workload says. The positions after the tick, by entity.
    std::span<const engine::Position> advance_tick();

    /// `count` entities move one after the other, as many of the hot half as of the other. The span
    /// is valid until the next call.
    std::span<const Move> advance_some(std::size_t count);

private:
    struct Direction {
        std::int32_t x = 0;
        std::int32_t y = 0;
        std::int32_t z = 0;
    };

    [[nodiscard]] const engine::Rect& area_of(std::uint32_t entity) const;
    engine::Position anywhere(const engine::Rect& area);
    void turn(std::uint32_t entity);
    void advance(std::uint32_t entity);

    const Motion motion_;
    const std::int32_t steps_per_tick_;
    const std::uint32_t movers_;    ///< of a tick; 0: everyone
    const std::int32_t height_mm_;  ///< 0: flat
    const engine::Rect map_;
    const engine::Rect hot_area_;  ///< of the entities with an even number
    tools::Random random_;
    std::vector<engine::Position> positions_;
    std::vector<Direction> directions_;
    std::uint32_t next_mover_ = 0;
    std::vector<Move> moves_;
};

}  // namespace marchland::bench
