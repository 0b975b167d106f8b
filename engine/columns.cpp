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

constexpr std::size_t kWordsOfRow = sizeof(Rows::Row) / sizeof(std::int32_t);
static_assert(kWordsOfRow == 8);

using Ints = hn::CappedTag<std::int32_t, Columns::kLanesMax>;

#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE
/// Half a row of every fourth slot, one after another: of slots[0], slots[4] ... as many as fill a register.
template <typename Tag>
HWY_INLINE hn::Vec<Tag> half_rows(Tag tag, const std::int32_t* half, const std::uint32_t* slots) {
    if constexpr (hn::MaxLanes(tag) == 4) {
        return hn::Load(tag, half + std::size_t{slots[0]} * kWordsOfRow);
    } else {
        const hn::Half<Tag> lower;
        return hn::Combine(tag, half_rows(lower, half, slots + hn::MaxLanes(lower)),
                           half_rows(lower, half, slots));
    }
}

/// Four words of the rows of so many slots as a register has lanes, a register for each word. Half rows are
/// read whole and turned: to gather word by word costs a tick of everybody a twelfth more.
struct FourWords {
    hn::Vec<Ints> first, second, third, fourth;

    HWY_INLINE FourWords(const std::int32_t* half, const std::uint32_t* slots) {
        const Ints ints;
        const hn::RepartitionToWide<Ints> pairs;
        const auto a = half_rows(ints, half, slots);
        const auto b = half_rows(ints, half, slots + 1);
        const auto c = half_rows(ints, half, slots + 2);
        const auto d = half_rows(ints, half, slots + 3);
        const auto ab_lower = hn::BitCast(pairs, hn::InterleaveLower(ints, a, b));
        const auto ab_upper = hn::BitCast(pairs, hn::InterleaveUpper(ints, a, b));
        const auto cd_lower = hn::BitCast(pairs, hn::InterleaveLower(ints, c, d));
        const auto cd_upper = hn::BitCast(pairs, hn::InterleaveUpper(ints, c, d));
        first = hn::BitCast(ints, hn::InterleaveLower(pairs, ab_lower, cd_lower));
        second = hn::BitCast(ints, hn::InterleaveUpper(pairs, ab_lower, cd_lower));
        third = hn::BitCast(ints, hn::InterleaveLower(pairs, ab_upper, cd_upper));
        fourth = hn::BitCast(ints, hn::InterleaveUpper(pairs, ab_upper, cd_upper));
    }
};
#else
/// The same, where a register has one lane, or as many as the machine says.
struct FourWords {
    hn::Vec<Ints> first, second, third, fourth;

    HWY_INLINE FourWords(const std::int32_t* half, const std::uint32_t* slots) {
        constexpr std::int64_t kIndexMax = std::numeric_limits<std::int32_t>::max();
        static_assert(std::int64_t{kSlotsMax} * std::int64_t{kWordsOfRow} - 1 <= kIndexMax);
        const Ints ints;
        const hn::RebindToUnsigned<Ints> masks;
        const auto from = hn::Mul(hn::BitCast(ints, hn::LoadU(masks, slots)),
                                  hn::Set(ints, static_cast<std::int32_t>(kWordsOfRow)));
        first = hn::GatherIndex(ints, half, from);
        second = hn::GatherIndex(ints, half + 1, from);
        third = hn::GatherIndex(ints, half + 2, from);
        fourth = hn::GatherIndex(ints, half + 3, from);
    }
};
#endif

/// Rows to a block of columns, as many at a time as a register has lanes; the block has its slots
/// already. True when some row is unsettled.
bool gather_rows(const Rows::Row* rows, Columns::Block& block, std::uint32_t origin_x,
                 std::uint32_t origin_y) {
    const Ints ints;
    const hn::RebindToFloat<Ints> floats;
    const hn::RebindToUnsigned<Ints> masks;
    const auto* const words = reinterpret_cast<const std::int32_t*>(rows);
    const auto left = hn::Set(ints, static_cast<std::int32_t>(origin_x));
    const auto below = hn::Set(ints, static_cast<std::int32_t>(origin_y));
    auto unsettled = hn::Zero(ints);
    for (std::size_t i = 0; i < Columns::kLanesMax; i += hn::Lanes(ints)) {
        const std::uint32_t* const slots = block.slots.data() + i;
        const FourWords places(words, slots);
        const FourWords others(words + kWordsOfRow / 2, slots);
        // Differences may wrap on the way; what they come to fits.
        const auto put = [&](const auto& place, const auto& origin, float* to) {
            hn::Store(hn::ConvertTo(floats, hn::Sub(place, origin)), floats, to + i);
        };
        put(places.first, left, block.x.data());
        put(places.second, below, block.y.data());
        put(places.third, left, block.x_before.data());
        put(places.fourth, below, block.y_before.data());
        hn::Store(hn::BitCast(masks, others.first), masks, block.layers.data() + i);
        hn::Store(hn::BitCast(masks, others.second), masks, block.layers_if_moved.data() + i);
        unsettled = hn::Or(unsettled, others.third);
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
