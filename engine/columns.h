#pragma once

#include "engine/ids.h"
#include "engine/rows.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace marchland::engine {

/// Where many entities are and were, a column for each thing that a scan asks. Places are in float,
/// relative to an origin near by; the columns end in entities that nobody can see.
///
///    load, add_departed as often as wanted, end
///
/// Exact: a coordinate below 2^24 mm is a float without loss, and so is a difference of two.
class Columns {
public:
    /// As many entities as the widest SIMD register has lanes.
    static constexpr std::size_t kLanesMax = 16;
    /// As a coordinate: neither near to nor far from anything.
    static constexpr float kNowhere = std::numeric_limits<float>::quiet_NaN();

    /// So many entities side by side: a column is a cache line, and a block is read from its start.
    struct alignas(64) Block {
        std::array<std::uint32_t, kLanesMax> slots;
        std::array<float, kLanesMax> x;
        std::array<float, kLanesMax> y;
        std::array<float, kLanesMax> x_before;
        std::array<float, kLanesMax> y_before;
        std::array<LayerMask, kLanesMax> layers;
        std::array<LayerMask, kLanesMax> layers_if_moved;  ///< layers, or none: it is where it was
    };

    /// Beside each block, if heights are loaded.
    struct alignas(64) Heights {
        std::array<std::int32_t, kLanesMax> z;
        std::array<std::int32_t, kLanesMax> z_before;
    };

    /// Starts anew, near this origin, with the rows of these slots, in this order. `rows` is by slot;
    /// at most `departed_max` follow.
    void load(std::int64_t origin_x, std::int64_t origin_y, std::span<const Rows::Row> rows,
              std::span<const Slot> slots, std::size_t departed_max);
    /// Of those loaded. Whoever is too far up or down for Lens::fits is nowhere in x and y.
    void load_heights(std::span<const Rows::Height> heights, std::span<const Slot> slots);
    /// One that is far away by now, and may have been anywhere.
    void add_departed();
    /// One that is far away by now, and was there.
    void add_departed(std::int32_t x_before, std::int32_t y_before);
    void end();

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::span<const Block> blocks() const {
        return {blocks_.data(), (size_ + kLanesMax - 1) / kLanesMax};
    }

    [[nodiscard]] std::span<const Heights> heights() const { return heights_; }

    /// The difference to the origin: at most 2^31.
    [[nodiscard]] float across(std::int32_t x) const { return difference(x, origin_x_); }
    [[nodiscard]] float upward(std::int32_t y) const { return difference(y, origin_y_); }

private:
    /// Through unsigned numbers, which may wrap on the way to a difference that fits.
    static float difference(std::int32_t at, std::uint32_t origin) {
        return static_cast<float>(
            static_cast<std::int32_t>(static_cast<std::uint32_t>(at) - origin));
    }

    void mark_unsettled(std::span<const Rows::Row> rows, Block& block);
    /// One that is far away now.
    void put(std::size_t entry, float x_before, float y_before, LayerMask layers);

    std::uint32_t origin_x_ = 0;
    std::uint32_t origin_y_ = 0;
    std::size_t size_ = 0;
    std::vector<Block> blocks_;
    std::vector<Heights> heights_;  ///< as many as blocks_ once they are loaded
};

}  // namespace marchland::engine
