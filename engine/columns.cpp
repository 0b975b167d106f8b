#include "engine/columns.h"

#include <cstdint>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/columns.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace marchland::engine {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Rows to a block of columns, as many at a time as a register has lanes; the block has its slots
/// already. True when some row is unsettled.
bool gather_rows(const Rows::Row* rows, Columns::Block& block, std::uint32_t origin_x,
                 std::uint32_t origin_y) {
    constexpr int kWords = sizeof(Rows::Row) / sizeof(std::int32_t);
    static_assert(std::int64_t{kSlotsMax} * kWords - 1 <= std::numeric_limits<std::int32_t>::max());
    const hn::CappedTag<std::int32_t, Columns::kLanesMax> ints;
    const hn::RebindToFloat<decltype(ints)> floats;
    const hn::RebindToUnsigned<decltype(ints)> masks;
    const auto* const words = reinterpret_cast<const std::int32_t*>(rows);
    const auto left = hn::Set(ints, static_cast<std::int32_t>(origin_x));
    const auto below = hn::Set(ints, static_cast<std::int32_t>(origin_y));
    auto unsettled = hn::Zero(ints);
    for (std::size_t i = 0; i < Columns::kLanesMax; i += hn::Lanes(ints)) {
        const auto numbers = hn::BitCast(ints, hn::Load(masks, block.slots.data() + i));
        const auto first = hn::Mul(numbers, hn::Set(ints, kWords));
        const auto word = [&](int number) { return hn::GatherIndex(ints, words + number, first); };
        // Differences may wrap on the way; what they come to fits.
        const auto put = [&](int number, const auto& origin, float* to) {
            hn::Store(hn::ConvertTo(floats, hn::Sub(word(number), origin)), floats, to + i);
        };
        put(0, left, block.x.data());
        put(1, below, block.y.data());
        put(2, left, block.x_before.data());
        put(3, below, block.y_before.data());
        hn::Store(hn::BitCast(masks, word(4)), masks, block.layers.data() + i);
        hn::Store(hn::BitCast(masks, word(5)), masks, block.layers_if_moved.data() + i);
        unsettled = hn::Or(unsettled, word(6));
    }
    return !hn::AllTrue(ints, hn::Eq(unsettled, hn::Zero(ints)));
}

}  // namespace HWY_NAMESPACE
}  // namespace marchland::engine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "engine/assert.h"
#include "engine/lens.h"

#include <algorithm>
#include <limits>

namespace marchland::engine {
namespace {

/// So far off that its square is beyond every bound, and not so far that it overflows.
constexpr float kFarAway = 1e12F;
constexpr LayerMask kAllLayers = ~kNoLayers;
constexpr std::uint32_t kNoSlot = std::numeric_limits<std::uint32_t>::max();

}  // namespace

HWY_EXPORT(gather_rows);

void Columns::load(std::int64_t origin_x, std::int64_t origin_y, std::span<const Rows::Row> rows,
                   std::span<const Slot> slots, std::size_t departed_max) {
    origin_x_ = static_cast<std::uint32_t>(origin_x);
    origin_y_ = static_cast<std::uint32_t>(origin_y);
    size_ = slots.size();
    const std::size_t blocks_max = (size_ + departed_max) / kLanesMax + 1;
    if (blocks_.size() < blocks_max) {
        blocks_.resize(2 * blocks_max);
    }
    for (std::size_t first = 0; first < size_; first += kLanesMax) {
        Block& block = blocks_[first / kLanesMax];
        const std::size_t count = std::min(size_ - first, kLanesMax);
        for (std::size_t lane = 0; lane < count; ++lane) {
            block.slots[lane] = to_number(slots[first + lane]);
        }
        // A register is read at a time: past the last entry any row does, end() writes over it.
        std::fill(block.slots.begin() + static_cast<std::ptrdiff_t>(count), block.slots.end(),
                  block.slots[0]);
        if (HWY_DYNAMIC_DISPATCH(gather_rows)(rows.data(), block, origin_x_, origin_y_)) {
            mark_unsettled(rows, block);
        }
    }
}

void Columns::mark_unsettled(std::span<const Rows::Row> rows, Block& block) {
    for (std::size_t lane = 0; lane < kLanesMax; ++lane) {
        if (rows[block.slots[lane]].is_unsettled != 0) {
            // NaN: neither in nor out, so a scan finds it unsure.
            block.x[lane] = kNowhere;
            block.y[lane] = kNowhere;
            block.layers[lane] = kAllLayers;
            block.layers_if_moved[lane] = kNoLayers;
        }
    }
}

void Columns::put(std::size_t entry, float x_before, float y_before, LayerMask layers) {
    Block& block = blocks_[entry / kLanesMax];
    const std::size_t lane = entry % kLanesMax;
    block.slots[lane] = kNoSlot;
    block.x[lane] = kFarAway;
    block.y[lane] = kFarAway;
    block.x_before[lane] = x_before;
    block.y_before[lane] = y_before;
    block.layers[lane] = layers;
    block.layers_if_moved[lane] = kNoLayers;
}

void Columns::load_heights(std::span<const Rows::Height> heights, std::span<const Slot> slots) {
    heights_.resize(std::max(heights_.size(), blocks_.size()));
    for (std::size_t entry = 0; entry < slots.size(); ++entry) {
        const Rows::Height& height = heights[to_number(slots[entry])];
        Heights& block = heights_[entry / kLanesMax];
        block.z[entry % kLanesMax] = height.z;
        block.z_before[entry % kLanesMax] = height.z_before;
        if (!Lens::fits(height.z) || !Lens::fits(height.z_before)) {
            blocks_[entry / kLanesMax].x[entry % kLanesMax] = kNowhere;
            blocks_[entry / kLanesMax].y[entry % kLanesMax] = kNowhere;
        }
    }
}

void Columns::add_departed() {
    MARCHLAND_ASSERT(size_ < blocks_.size() * kLanesMax);
    put(size_++, kNowhere, kNowhere, kAllLayers);
}

void Columns::add_departed(std::int32_t x_before, std::int32_t y_before) {
    MARCHLAND_ASSERT(size_ < blocks_.size() * kLanesMax);
    put(size_++, across(x_before), upward(y_before), kAllLayers);
}

void Columns::end() {
    for (std::size_t entry = size_; entry % kLanesMax != 0; ++entry) {
        put(entry, kFarAway, kFarAway, kNoLayers);
    }
}

}  // namespace marchland::engine
#endif
