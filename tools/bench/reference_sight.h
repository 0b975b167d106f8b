#pragma once

#include "engine/geometry.h"
#include "tools/bench/workload.h"

#include <array>
#include <cstdint>
#include <vector>

namespace marchland::bench {

/// From a watcher to a target, in millimetres.
struct Way {
    std::int64_t x = 0;
    std::int64_t y = 0;
    std::int64_t z = 0;  ///< 0 where the map is flat
};

/// Views, layers and beacons as docs/visibility.md has them, for the reference counts. Each is worked out
/// here once more, with nothing of the engine's, which is what they check.
class ReferenceSight {
public:
    explicit ReferenceSight(const Workload& workload);

    [[nodiscard]] Way way(engine::Position watcher, engine::Position target) const {
        return {std::int64_t{target.x} - watcher.x, std::int64_t{target.y} - watcher.y,
                is_flat_ ? 0 : std::int64_t{target.z} - watcher.z};
    }

    [[nodiscard]] bool shares_layer(std::uint32_t watcher, std::uint32_t target) const {
        return (senses_[watcher].layers_seen & senses_[target].layers) != 0;
    }
    /// Is the target in the watcher's enter range, or near enough for a beacon?
    [[nodiscard]] bool begins(std::uint32_t watcher, std::uint32_t target, Way way) const;
    /// The same of the leave range.
    [[nodiscard]] bool goes_on(std::uint32_t watcher, std::uint32_t target, Way way) const;

private:
    struct Ray {
        std::int64_t x = 0;
        std::int64_t y = 0;
    };
    /// Of a sector.
    struct Opening {
        Ray ahead;
        Ray left;
        Ray right;
        bool is_wide = false;  ///< more than half a turn in all
    };
    /// Of a view, in one of its two sizes.
    struct Range {
        std::int64_t radius_mm = 0;
        std::int64_t half_y_mm = 0;
        const Opening* opening = nullptr;
    };

    static Ray ray(std::uint32_t angle);
    static Opening opening(std::uint32_t facing, std::uint32_t half_opening);
    static bool is_in(const Opening& opening, Way way);
    static bool is_in(View view, const Range& range, Way way);

    const bool is_flat_;
    const std::vector<Senses> senses_;
    std::vector<std::array<Opening, 2>>
        openings_;  ///< enter, leave; empty where there is no sector
};

}  // namespace marchland::bench
