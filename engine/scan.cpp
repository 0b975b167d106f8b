#include "engine/scan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/scan.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set
#include <hwy/highway.h>

#include <bit>

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
constexpr LaneTable kLanesOf;
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

/// What both scans do with a register of entries, once they know who is in and who is out.
template <typename Floats>
class Finds {
public:
    explicit Finds(Scanned& out) : out_(out) {}

    /// `first`: the entry in the first lane. `is_seeable`: in a layer that matters, and not the one
    /// that looks itself. `is_mover`: of those, the ones that moved.
    template <typename Vec, typename Numbers, typename Mask>
    HWY_INLINE void add(std::size_t first, Numbers numbers, Vec now, Vec before, Vec enter_max,
                        Vec leave_min, Mask is_seeable, Mask is_mover) {
        // A NaN among the places makes every comparison false: such an entry is unsure.
        const auto is_in = hn::And(hn::Le(now, enter_max), hn::Le(before, enter_max));
        const auto is_out = hn::And(hn::Gt(now, leave_min), hn::Gt(before, leave_min));
        const auto is_unsure = hn::AndNot(hn::Or(is_in, is_out), is_seeable);
        const auto is_move = hn::And(is_in, is_mover);
        if (HWY_UNLIKELY(!hn::AllFalse(floats_, is_unsure))) {
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

template <typename Vec>
HWY_INLINE Vec squared_distance(Vec x, Vec y, Vec to_x, Vec to_y) {
    const auto dx = hn::Sub(x, to_x);
    const auto dy = hn::Sub(y, to_y);
    return hn::MulAdd(dx, dx, hn::Mul(dy, dy));
}

void scan_columns(const Columns& columns, const Gaze& gaze, Scanned& out) {
    const hn::CappedTag<float, Columns::kLanesMax> floats;
    const hn::RebindToUnsigned<decltype(floats)> words;
    const auto x = hn::Set(floats, gaze.x);
    const auto y = hn::Set(floats, gaze.y);
    const auto x_before = hn::Set(floats, gaze.x_before);
    const auto y_before = hn::Set(floats, gaze.y_before);
    const auto enter_max = hn::Set(floats, gaze.sight.enter_max);
    const auto leave_min = hn::Set(floats, gaze.sight.leave_min);
    const auto seen = hn::Set(words, gaze.sight.layers_seen);
    const auto none = hn::Zero(words);
    const auto self = hn::Set(words, to_number(gaze.self));
    Finds<decltype(floats)> finds(out);
    std::size_t first = 0;
    for (const Columns::Block& block : columns.blocks()) {
        for (std::size_t i = 0; i < Columns::kLanesMax; i += hn::Lanes(floats)) {
            const auto now = squared_distance(hn::Load(floats, block.x.data() + i),
                                              hn::Load(floats, block.y.data() + i), x, y);
            const auto before =
                squared_distance(hn::Load(floats, block.x_before.data() + i),
                                 hn::Load(floats, block.y_before.data() + i), x_before, y_before);
            const auto numbers = hn::Load(words, block.slots.data() + i);
            const auto of_others = hn::AndNot(hn::VecFromMask(words, hn::Eq(numbers, self)), seen);
            const auto shares = [&](const LayerMask* of) {
                return hn::RebindMask(floats,
                                      hn::Ne(hn::And(hn::Load(words, of + i), of_others), none));
            };
            finds.add(first + i, numbers, now, before, enter_max, leave_min,
                      shares(block.layers.data()), shares(block.layers_if_moved.data()));
        }
        first += Columns::kLanesMax;
    }
    finds.finish();
}

void scan_back_columns(const Columns& columns, const SightColumns& sights, const Mover& mover,
                       Scanned& out) {
    const hn::CappedTag<float, Columns::kLanesMax> floats;
    const hn::RebindToUnsigned<decltype(floats)> words;
    const auto x = hn::Set(floats, mover.x);
    const auto y = hn::Set(floats, mover.y);
    const auto x_before = hn::Set(floats, mover.x_before);
    const auto y_before = hn::Set(floats, mover.y_before);
    const auto layers = hn::Set(words, mover.layers);
    const auto none = hn::Zero(words);
    const auto self = hn::Set(words, to_number(mover.self));
    Finds<decltype(floats)> finds(out);
    std::size_t first = 0;
    for (const SightColumns::Block& sight : sights.blocks()) {
        const Columns::Block& block = columns.blocks()[first / Columns::kLanesMax];
        for (std::size_t i = 0; i < Columns::kLanesMax; i += hn::Lanes(floats)) {
            const auto at_x = hn::Load(floats, block.x.data() + i);
            const auto at_y = hn::Load(floats, block.y.data() + i);
            const auto numbers = hn::Load(words, block.slots.data() + i);
            const auto seen = hn::Load(words, sight.layers_seen.data() + i);
            const auto sees = hn::RebindMask(
                floats, hn::And(hn::Ne(hn::And(seen, layers), none), hn::Ne(numbers, self)));
            finds.add(first + i, numbers, squared_distance(at_x, at_y, x, y),
                      squared_distance(at_x, at_y, x_before, y_before),
                      hn::Load(floats, sight.enter_max.data() + i),
                      hn::Load(floats, sight.leave_min.data() + i), sees, sees);
        }
        first += Columns::kLanesMax;
    }
    finds.finish();
}

const char* target_name() {
    return hwy::TargetName(HWY_TARGET);
}

}  // namespace HWY_NAMESPACE
}  // namespace marchland::engine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace marchland::engine {
HWY_EXPORT(scan_columns);
HWY_EXPORT(scan_back_columns);
HWY_EXPORT(target_name);

namespace {

void make_room(Scanned& out, std::size_t entries) {
    // A compressing store may write a whole register past the last entry.
    const std::size_t room = entries + 2 * Columns::kLanesMax;
    if (out.moved.size() < room) {
        out.moved.resize(2 * room);
        out.unsure.resize(2 * room);
    }
}

}  // namespace

void scan(const Columns& columns, const Gaze& gaze, Scanned& out) {
    make_room(out, columns.size());
    HWY_DYNAMIC_DISPATCH(scan_columns)(columns, gaze, out);
}

void scan_back(const Columns& columns, const SightColumns& sights, const Mover& mover,
               Scanned& out) {
    make_room(out, columns.size());
    HWY_DYNAMIC_DISPATCH(scan_back_columns)(columns, sights, mover, out);
}

std::string_view scan_target() {
    return HWY_DYNAMIC_DISPATCH(target_name)();
}

bool use_scan_target(std::string_view name) {
    hwy::SetSupportedTargetsForTest(0);
    bool is_known = name.empty();
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
        if (name == hwy::TargetName(target)) {
            hwy::SetSupportedTargetsForTest(target);
            is_known = true;
        }
    }
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    return is_known;
}

}  // namespace marchland::engine
#endif
