#pragma once

#include "engine/aoi.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace marchland::engine::testing {

/// Makes the things of a script (AoiScript) out of bytes, wrong ones among them. Bytes that are
/// missing at the end are 0.
class ScriptBytes {
public:
    explicit ScriptBytes(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

    [[nodiscard]] bool is_empty() const { return bytes_.empty(); }
    std::uint8_t byte();

    /// An index of any name on one of four grounds: a room, a room with height, the whole plane,
    /// one point. Everything after is on that ground.
    AoiOptions options();
    EntityId id();
    /// On a small ground now and then outside.
    Position position();
    /// Now and then below 0.
    std::int32_t radius();
    /// Of any shape, mostly sound.
    View view();
    Angle angle();
    /// Mostly none.
    NotifyRange notify();
    LayerMask mask();
    /// Mostly short, one of few; now and then too long.
    Blob state();
    AoiEntity entity();

private:
    /// `enter_mm` and a little more; now and then less.
    std::int32_t leave_of(std::int32_t enter_mm);
    std::int32_t coordinate(std::int64_t min, std::int64_t max);

    std::span<const std::uint8_t> bytes_;
    Rect bounds_;
};

}  // namespace marchland::engine::testing
