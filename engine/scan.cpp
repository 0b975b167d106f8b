#include "engine/scan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/scan.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set
#include <hwy/highway.h>

#include <bit>

#ifndef MARCHLAND_ENGINE_SCAN_ONCE
#define MARCHLAND_ENGINE_SCAN_ONCE
namespace marchland::engine {

/// The columns as the loop reads them.
struct ScanAccess {
    explicit ScanAccess(const Columns& columns)
        : x(columns.x_.data()),
          y(columns.y_.data()),
          x_before(columns.x_before_.data()),
          y_before(columns.y_before_.data()),
          layers(columns.layers_.data()),
          layers_if_moved(columns.layers_if_moved_.data()),
          size(columns.size_) {}

    const float* x;
    const float* y;
    const float* x_before;
    const float* y_before;
    const LayerMask* layers;
    const LayerMask* layers_if_moved;
    std::size_t size;
};

}  // namespace marchland::engine
#endif

HWY_BEFORE_NAMESPACE();
namespace marchland::engine {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Lists the lanes of an undecided block; rare, so one after another.
HWY_INLINE std::size_t list_unsure(std::uint64_t unsure, std::uint64_t moved, std::size_t first,
                                   std::size_t moved_count, Scanned::Unsure* out) {
    std::size_t count = 0;
    for (; unsure != 0; unsure &= unsure - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(unsure));
        const std::uint64_t below = (std::uint64_t{1} << lane) - 1;
        out[count++] = {static_cast<std::uint32_t>(first + lane),
                        static_cast<std::uint32_t>(
                            moved_count + static_cast<unsigned>(std::popcount(moved & below)))};
    }
    return count;
}

template <typename Tag, typename Mask>
HWY_INLINE std::uint64_t bits_of(Tag tag, Mask mask) {
    alignas(8) std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(tag, mask, bytes);
    std::uint64_t bits = 0;
    __builtin_memcpy(&bits, bytes, sizeof bits);
    return bits;
}

void scan_columns(const ScanAccess& columns, const Gaze& gaze, Scanned& out) {
    const hn::CappedTag<float, Columns::kLanesMax> floats;
    const hn::RebindToUnsigned<decltype(floats)> words;
    const auto x = hn::Set(floats, gaze.x);
    const auto y = hn::Set(floats, gaze.y);
    const auto x_before = hn::Set(floats, gaze.x_before);
    const auto y_before = hn::Set(floats, gaze.y_before);
    const auto enter_max = hn::Set(floats, gaze.enter_max);
    const auto leave_min = hn::Set(floats, gaze.leave_min);
    const auto seen = hn::Set(words, gaze.layers_seen);
    const auto none = hn::Zero(words);

    std::uint32_t* const moved_out = out.moved.data();
    Scanned::Unsure* const unsure_out = out.unsure.data();
    std::size_t moved_count = 0;
    std::size_t unsure_count = 0;
    for (std::size_t i = 0; i < columns.size; i += hn::Lanes(floats)) {
        const auto dx = hn::Sub(hn::LoadU(floats, columns.x + i), x);
        const auto dy = hn::Sub(hn::LoadU(floats, columns.y + i), y);
        const auto now = hn::MulAdd(dx, dx, hn::Mul(dy, dy));
        const auto dx_before = hn::Sub(hn::LoadU(floats, columns.x_before + i), x_before);
        const auto dy_before = hn::Sub(hn::LoadU(floats, columns.y_before + i), y_before);
        const auto before = hn::MulAdd(dx_before, dx_before, hn::Mul(dy_before, dy_before));

        const auto is_layered = hn::RebindMask(
            floats, hn::Ne(hn::And(hn::LoadU(words, columns.layers + i), seen), none));
        const auto is_mover = hn::RebindMask(
            floats, hn::Ne(hn::And(hn::LoadU(words, columns.layers_if_moved + i), seen), none));
        // A NaN among the places makes every comparison false: such an entry is unsure.
        const auto is_in = hn::And(hn::Le(now, enter_max), hn::Le(before, enter_max));
        const auto is_out = hn::And(hn::Gt(now, leave_min), hn::Gt(before, leave_min));
        const auto is_unsure = hn::AndNot(hn::Or(is_in, is_out), is_layered);
        const auto is_move = hn::And(is_in, is_mover);

        if (!hn::AllFalse(floats, is_unsure)) {
            unsure_count += list_unsure(bits_of(floats, is_unsure), bits_of(floats, is_move), i,
                                        moved_count, unsure_out + unsure_count);
        }
        const auto entries = hn::Iota(words, static_cast<std::uint32_t>(i));
        moved_count += hn::CompressStore(entries, hn::RebindMask(words, is_move), words,
                                         moved_out + moved_count);
    }
    out.moved_count = moved_count;
    out.unsure_count = unsure_count;
}

const char* target_name() {
    return hwy::TargetName(HWY_TARGET);
}

}  // namespace HWY_NAMESPACE
}  // namespace marchland::engine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <limits>

namespace marchland::engine {
namespace {

/// Larger than what rounding can do to a squared distance: six roundings of at most 2^-24 each.
constexpr double kGuard = 1.0 / (1 << 19);
/// So far off that its square is beyond every bound, and not so far that it overflows.
constexpr float kFarAway = 1e12F;

}  // namespace

HWY_EXPORT(scan_columns);
HWY_EXPORT(target_name);

void Columns::reserve(std::size_t size_max) {
    const std::size_t padded = size_max + kLanesMax;
    if (x_.size() >= padded) {
        return;
    }
    for (std::vector<float>* column : {&x_, &y_, &x_before_, &y_before_}) {
        column->resize(2 * padded);
    }
    layers_.resize(2 * padded);
    layers_if_moved_.resize(2 * padded);
}

void Columns::add_unsure() {
    constexpr float kNowhere = std::numeric_limits<float>::quiet_NaN();
    constexpr LayerMask kAll = std::numeric_limits<LayerMask>::max();
    add({kNowhere, kNowhere, kNowhere, kNowhere, kAll, kNoLayers});
}

void Columns::pad() {
    for (std::size_t i = 0; i < kLanesMax; ++i) {
        put(size_ + i, {kFarAway, kFarAway, kFarAway, kFarAway, kNoLayers, kNoLayers});
    }
}

float enter_bound(std::int32_t radius_mm) {
    const double radius = radius_mm;
    return static_cast<float>(radius * radius * (1 - kGuard));
}

float leave_bound(std::int32_t leave_radius_mm) {
    const double radius = leave_radius_mm;
    return static_cast<float>(radius * radius * (1 + kGuard));
}

void scan(const Columns& columns, const Gaze& gaze, Scanned& out) {
    // A compressing store may write a whole register past the last entry.
    const std::size_t room = columns.size() + Columns::kLanesMax;
    if (out.moved.size() < room) {
        out.moved.resize(2 * room);
        out.unsure.resize(2 * room);
    }
    HWY_DYNAMIC_DISPATCH(scan_columns)(ScanAccess(columns), gaze, out);
}

std::string_view scan_target() {
    return HWY_DYNAMIC_DISPATCH(target_name)();
}

}  // namespace marchland::engine
#endif
