// What the scans do with registers of lanes: a part of scan.cpp, scan_lens.cpp and scan_pieces.cpp, compiled
// with each of them once for each instruction set. Hence no "#pragma once", but Highway's guard.

#if defined(MARCHLAND_ENGINE_SCAN_REGISTERS_IPP) == defined(HWY_TARGET_TOGGLE)
#ifdef MARCHLAND_ENGINE_SCAN_REGISTERS_IPP
#undef MARCHLAND_ENGINE_SCAN_REGISTERS_IPP
#else
#define MARCHLAND_ENGINE_SCAN_REGISTERS_IPP
#endif

#include "engine/scan.h"

#include <hwy/highway.h>

#include <bit>
#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace marchland::engine {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename Tag, typename Mask>
HWY_INLINE std::uint64_t bits_of(Tag tag, Mask mask) {
    alignas(8) std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(tag, mask, bytes);
    std::uint64_t bits = 0;
    __builtin_memcpy(&bits, bytes, sizeof bits);
    return bits;
}

#if HWY_TARGET == HWY_AVX2
/// For each set of eight lanes: where they are, one after another, four bits each.
struct LaneTable {
    alignas(64) std::uint32_t of[256] = {};

    constexpr LaneTable() {
        for (std::uint32_t set = 0; set < 256; ++set) {
            std::uint32_t place = 0;
            for (std::uint32_t lane = 0; lane < 8; ++lane) {
                if ((set >> lane & 1U) != 0) {
                    of[set] |= lane << (4 * place++);
                }
            }
        }
    }
};
inline constexpr LaneTable kLanesOf;
#endif

/// Writes the lanes of the mask one after another, and anything behind them, up to a whole register.
/// Returns how many there are.
template <typename Tag, typename Numbers, typename Mask>
HWY_INLINE std::size_t store_compressed(Tag tag, Numbers numbers, Mask mask, std::uint32_t* to) {
#if HWY_TARGET == HWY_AVX2
    // Highway 1.0.3 has its table on the stack, which g++ 12 then copies for each register.
    const auto set = static_cast<unsigned>(
        _mm256_movemask_ps(_mm256_castsi256_ps(hn::VecFromMask(tag, mask).raw)));
    const __m256i lanes = _mm256_srlv_epi32(_mm256_set1_epi32(static_cast<int>(kLanesOf.of[set])),
                                            _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                        _mm256_permutevar8x32_epi32(numbers.raw, lanes));
    return static_cast<std::size_t>(std::popcount(set));
#else
    hn::StoreU(hn::Compress(numbers, mask), tag, to);
    return hn::CountTrue(tag, mask);
#endif
}

template <typename Vec>
HWY_INLINE Vec squared_distance(Vec x, Vec y, Vec to_x, Vec to_y) {
    const auto dx = hn::Sub(x, to_x);
    const auto dy = hn::Sub(y, to_y);
    return hn::MulAdd(dx, dx, hn::Mul(dy, dy));
}

/// Differences of numbers that are at most 2^30.
template <typename Floats>
HWY_INLINE hn::Vec<Floats> height_above(Floats floats, const std::int32_t* heights,
                                        std::int32_t from) {
    const hn::RebindToSigned<Floats> ints;
    return hn::ConvertTo(floats, hn::Sub(hn::Load(ints, heights), hn::Set(ints, from)));
}

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

/// What scans of columns do with a register of entries, once they know who is in and who is out.
template <typename Floats>
class Finds {
public:
    explicit Finds(Scanned& out) : out_(out) {}

    /// `first`: the entry in the first lane. `is_seeable()`: in a layer that matters, and not the one
    /// that looks itself; asked only where somebody is undecided. `is_mover`: of those, the ones that moved.
    template <typename Vec, typename Numbers, typename Mask, typename Seeable>
    HWY_INLINE void add(std::size_t first, Numbers numbers, Vec now, Vec before, Vec enter_max,
                        Vec leave_min, Mask is_mover, const Seeable& is_seeable) {
        // A NaN among the places makes every comparison false: such an entry is unsure.
        const auto is_in = hn::And(hn::Le(now, enter_max), hn::Le(before, enter_max));
        const auto is_out = hn::And(hn::Gt(now, leave_min), hn::Gt(before, leave_min));
        add(first, numbers, is_in, is_out, is_mover, is_seeable);
    }

    /// `is_in`: in the enter range both times, for certain. `is_out`: outside the leave range both times.
    template <typename Numbers, typename Mask, typename Seeable>
    HWY_INLINE void add(std::size_t first, Numbers numbers, Mask is_in, Mask is_out, Mask is_mover,
                        const Seeable& is_seeable) {
        const auto is_decided = hn::Or(is_in, is_out);
        const auto is_move = hn::And(is_in, is_mover);
        if (HWY_UNLIKELY(!hn::AllTrue(floats_, is_decided))) {
            const auto is_unsure = hn::AndNot(is_decided, is_seeable());
            unsure_count_ += list_unsure(bits_of(floats_, is_unsure), bits_of(floats_, is_move),
                                         first, moved_count_, out_.unsure.data() + unsure_count_);
        }
        const auto which = hn::RebindMask(words_, is_move);
        // Slots are written as the numbers they are.
        auto* const moved = reinterpret_cast<std::uint32_t*>(out_.moved.data());
        moved_count_ += store_compressed(words_, numbers, which, moved + moved_count_);
    }

    void finish() {
        out_.moved_count = moved_count_;
        out_.unsure_count = unsure_count_;
    }

private:
    const Floats floats_;
    const hn::RebindToUnsigned<Floats> words_;
    Scanned& out_;
    std::size_t moved_count_ = 0;
    std::size_t unsure_count_ = 0;
};

}  // namespace HWY_NAMESPACE
}  // namespace marchland::engine
HWY_AFTER_NAMESPACE();

#endif
