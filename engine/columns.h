#pragma once

#include "engine/ids.h"
#include "engine/rows.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace marchland::engine {

/// Where many entities are and were, a column for each thing that a scan asks. Places are in float,
/// relative to an origin near by; the columns end in entities that nobody can see.
///
///    begin, add and add_departed as often as wanted, end
///
/// Exact: a coordinate below 2^24 mm is a float without loss, and so is a difference of two.
class Columns {
public:
    /// As many entities as the widest SIMD register has lanes.
    static constexpr std::size_t kLanesMax = 16;

    /// For at most `size_max` entries, near this origin.
    void begin(std::int64_t origin_x, std::int64_t origin_y, std::size_t size_max);
    /// The rows of these slots, in this order. `rows` is by slot.
    void add(std::span<const Rows::Row> rows, std::span<const Slot> slots);
    /// One that is far away by now, and was there.
    void add_departed(std::int32_t x_before, std::int32_t y_before);
    void end();

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] const std::uint32_t* slots() const { return slots_.data(); }
    [[nodiscard]] const float* x() const { return x_.data(); }
    [[nodiscard]] const float* y() const { return y_.data(); }
    [[nodiscard]] const float* x_before() const { return x_before_.data(); }
    [[nodiscard]] const float* y_before() const { return y_before_.data(); }
    [[nodiscard]] const LayerMask* layers() const { return layers_.data(); }
    [[nodiscard]] const LayerMask* layers_if_moved() const { return layers_if_moved_.data(); }

    /// The difference to the origin: at most 2^31.
    [[nodiscard]] float across(std::int32_t x) const { return difference(x, origin_x_); }
    [[nodiscard]] float upward(std::int32_t y) const { return difference(y, origin_y_); }

private:
    /// Through unsigned numbers, which may wrap on the way to a difference that fits.
    static float difference(std::int32_t at, std::uint32_t origin) {
        return static_cast<float>(
            static_cast<std::int32_t>(static_cast<std::uint32_t>(at) - origin));
    }

    std::uint32_t origin_x_ = 0;
    std::uint32_t origin_y_ = 0;
    std::size_t size_ = 0;
    std::vector<std::uint32_t> slots_;
    std::vector<float> x_;
    std::vector<float> y_;
    std::vector<float> x_before_;
    std::vector<float> y_before_;
    std::vector<LayerMask> layers_;
    std::vector<LayerMask> layers_if_moved_;
};

}  // namespace marchland::engine
