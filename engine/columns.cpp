#include "engine/columns.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/columns.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set
#include <hwy/highway.h>

#ifndef MARCHLAND_ENGINE_COLUMNS_ONCE
#define MARCHLAND_ENGINE_COLUMNS_ONCE
namespace marchland::engine {

/// Where the next entries of the columns go.
struct Target {
    float* x;
    float* y;
    float* x_before;
    float* y_before;
    LayerMask* layers;
    LayerMask* layers_if_moved;
};

}  // namespace marchland::engine
#endif

HWY_BEFORE_NAMESPACE();
namespace marchland::engine {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Rows to columns, as many at a time as a register has lanes. True when some row is unsettled.
bool gather_rows(const Rows::Row* rows, const std::uint32_t* slots, std::size_t size,
                 std::uint32_t origin_x, std::uint32_t origin_y, const Target& to) {
    constexpr int kWords = sizeof(Rows::Row) / sizeof(std::int32_t);
    const hn::CappedTag<std::int32_t, Columns::kLanesMax> ints;
    const hn::RebindToFloat<decltype(ints)> floats;
    const auto* const words = reinterpret_cast<const std::int32_t*>(rows);
    auto* const layers = reinterpret_cast<std::int32_t*>(to.layers);
    auto* const layers_if_moved = reinterpret_cast<std::int32_t*>(to.layers_if_moved);
    const auto left = hn::Set(ints, static_cast<std::int32_t>(origin_x));
    const auto below = hn::Set(ints, static_cast<std::int32_t>(origin_y));
    auto unsettled = hn::Zero(ints);
    for (std::size_t i = 0; i < size; i += hn::Lanes(ints)) {
        const auto numbers = hn::LoadU(ints, reinterpret_cast<const std::int32_t*>(slots + i));
        const auto first = hn::Mul(numbers, hn::Set(ints, kWords));
        const auto word = [&](int number) { return hn::GatherIndex(ints, words + number, first); };
        // Differences may wrap on the way; what they come to fits.
        hn::StoreU(hn::ConvertTo(floats, hn::Sub(word(0), left)), floats, to.x + i);
        hn::StoreU(hn::ConvertTo(floats, hn::Sub(word(1), below)), floats, to.y + i);
        hn::StoreU(hn::ConvertTo(floats, hn::Sub(word(2), left)), floats, to.x_before + i);
        hn::StoreU(hn::ConvertTo(floats, hn::Sub(word(3), below)), floats, to.y_before + i);
        hn::StoreU(word(4), ints, layers + i);
        hn::StoreU(word(5), ints, layers_if_moved + i);
        unsettled = hn::Or(unsettled, word(6));
    }
    return !hn::AllTrue(ints, hn::Eq(unsettled, hn::Zero(ints)));
}

}  // namespace HWY_NAMESPACE
}  // namespace marchland::engine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "engine/assert.h"

#include <algorithm>
#include <limits>

namespace marchland::engine {
namespace {

/// So far off that its square is beyond every bound, and not so far that it overflows.
constexpr float kFarAway = 1e12F;
constexpr float kNowhere = std::numeric_limits<float>::quiet_NaN();
constexpr LayerMask kAllLayers = ~kNoLayers;
constexpr std::uint32_t kNoSlot = std::numeric_limits<std::uint32_t>::max();

}  // namespace

HWY_EXPORT(gather_rows);

void Columns::begin(std::int64_t origin_x, std::int64_t origin_y, std::size_t size_max) {
    origin_x_ = static_cast<std::uint32_t>(origin_x);
    origin_y_ = static_cast<std::uint32_t>(origin_y);
    size_ = 0;
    if (x_.size() < size_max + kLanesMax) {
        const std::size_t size = 2 * (size_max + kLanesMax);
        for (std::vector<float>* column : {&x_, &y_, &x_before_, &y_before_}) {
            column->resize(size);
        }
        slots_.resize(size);
        layers_.resize(size);
        layers_if_moved_.resize(size);
    }
}

void Columns::add(std::span<const Rows::Row> rows, std::span<const Slot> slots) {
    MARCHLAND_ASSERT(size_ + slots.size() + kLanesMax <= x_.size());
    std::uint32_t* const numbers = slots_.data() + size_;
    for (std::size_t i = 0; i < slots.size(); ++i) {
        numbers[i] = to_number(slots[i]);
    }
    // A register is read at a time: past the last entry, the row of any slot does.
    std::fill_n(numbers + slots.size(), kLanesMax, 0U);
    const Target target{x_.data() + size_,        y_.data() + size_,
                        x_before_.data() + size_, y_before_.data() + size_,
                        layers_.data() + size_,   layers_if_moved_.data() + size_};
    const bool some_unsettled = HWY_DYNAMIC_DISPATCH(gather_rows)(
        rows.data(), numbers, slots.size(), origin_x_, origin_y_, target);
    if (some_unsettled) {
        for (std::size_t i = 0; i < slots.size(); ++i) {
            if (rows[numbers[i]].is_unsettled != 0) {
                // NaN: neither in nor out, so a scan finds it unsure.
                x_[size_ + i] = kNowhere;
                layers_[size_ + i] = kAllLayers;
                layers_if_moved_[size_ + i] = kNoLayers;
            }
        }
    }
    size_ += slots.size();
}

void Columns::add_departed(std::int32_t x_before, std::int32_t y_before) {
    MARCHLAND_ASSERT(size_ + 1 + kLanesMax <= x_.size());
    x_[size_] = kFarAway;
    y_[size_] = kFarAway;
    x_before_[size_] = across(x_before);
    y_before_[size_] = upward(y_before);
    slots_[size_] = kNoSlot;
    layers_[size_] = kAllLayers;
    layers_if_moved_[size_] = kNoLayers;
    ++size_;
}

void Columns::end() {
    for (std::size_t i = size_; i < size_ + kLanesMax; ++i) {
        x_[i] = kFarAway;
        y_[i] = kFarAway;
        x_before_[i] = kFarAway;
        y_before_[i] = kFarAway;
        slots_[i] = kNoSlot;
        layers_[i] = kNoLayers;
        layers_if_moved_[i] = kNoLayers;
    }
}

}  // namespace marchland::engine
#endif
