#pragma once

#include "engine/geometry.h"
#include "tools/random/random.h"

#include <cstdint>

namespace marchland::bench {

enum class Gait {
    walk,  ///< 0.25 m in each tick; another direction once in 32 on average
    jump,  ///< half a map along x and back: who stands together lands together
};

/// Somebody who moves about an area, the same way in every run and under every layout: where it is
/// after n steps depends on its seed alone.
class Walker {
public:
    /// Starts anywhere in the area. A jumper's area is a map from 0 to an even number.
    Walker(const engine::Rect& area, Gait gait, std::uint64_t seed);

    [[nodiscard]] engine::Position at() const { return at_; }
    engine::Position step();

private:
    void turn();
    void jump();

    engine::Rect area_;
    Gait gait_;
    tools::Random random_;
    engine::Position at_;
    std::int32_t step_x_ = 0;
    std::int32_t step_y_ = 0;
};

}  // namespace marchland::bench
