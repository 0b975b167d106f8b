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

/// What scans of columns do with a register of entries, once they know who is in and who is out.
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
        add(first, numbers, is_in, is_out, is_seeable, is_mover);
    }

    /// `is_in`: in the enter range both times, for certain. `is_out`: outside the leave range both times.
    template <typename Numbers, typename Mask>
    HWY_INLINE void add(std::size_t first, Numbers numbers, Mask is_in, Mask is_out,
                        Mask is_seeable, Mask is_mover) {
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

/// What a lens tells of differences to the watcher's place. All are false for a NaN.
template <typename Floats, Shape kShape, bool kHasHeight>
class LensTest {
public:
    using Vec = hn::Vec<Floats>;
    using Mask = hn::Mask<Floats>;

    LensTest(const Lens& lens, const Lens::Opening& opening) : lens_(lens), opening_(opening) {}

    HWY_INLINE Mask is_in(Vec dx, Vec dy, Vec dz) const {
        if constexpr (kShape == Shape::rectangle) {
            const auto is_beside =
                hn::And(hn::Le(hn::Abs(dx), set(lens_.x.in)), hn::Le(hn::Abs(dy), set(lens_.y.in)));
            return kHasHeight ? hn::And(is_beside, hn::Le(hn::Abs(dz), set(lens_.z.in)))
                              : is_beside;
        } else {
            const auto is_near = hn::Le(square(dx, dy, dz), set(lens_.square.in));
            if constexpr (kShape == Shape::cylinder) {
                return hn::And(is_near, hn::Le(hn::Abs(dz), set(lens_.z.in)));
            } else if constexpr (kShape == Shape::sector) {
                return hn::And(is_near, is_between(opening_.enter, dx, dy));
            } else {
                return is_near;
            }
        }
    }

    HWY_INLINE Mask is_out(Vec dx, Vec dy, Vec dz) const {
        if constexpr (kShape == Shape::rectangle) {
            const auto is_beyond = hn::Or(hn::Gt(hn::Abs(dx), set(lens_.x.out)),
                                          hn::Gt(hn::Abs(dy), set(lens_.y.out)));
            return kHasHeight ? hn::Or(is_beyond, hn::Gt(hn::Abs(dz), set(lens_.z.out)))
                              : is_beyond;
        } else {
            const auto is_far = hn::Gt(square(dx, dy, dz), set(lens_.square.out));
            if constexpr (kShape == Shape::cylinder) {
                return hn::Or(is_far, hn::Gt(hn::Abs(dz), set(lens_.z.out)));
            } else if constexpr (kShape == Shape::sector) {
                return hn::Or(is_far, is_past(opening_.leave, dx, dy));
            } else {
                return is_far;
            }
        }
    }

private:
    HWY_INLINE static Vec set(float value) { return hn::Set(Floats{}, value); }

    HWY_INLINE static Vec square(Vec dx, Vec dy, Vec dz) {
        const auto in_plane = hn::MulAdd(dx, dx, hn::Mul(dy, dy));
        constexpr bool kIsBall = kHasHeight && kShape != Shape::cylinder;
        return kIsBall ? hn::MulAdd(dz, dz, in_plane) : in_plane;
    }

    /// How far (dx, dy) is left of the vector.
    HWY_INLINE static Vec left_of(float x, float y, Vec dx, Vec dy) {
        return hn::Sub(hn::Mul(set(x), dy), hn::Mul(set(y), dx));
    }

    /// For certain between the edges.
    HWY_INLINE Mask is_between(const Lens::Edges& edges, Vec dx, Vec dy) const {
        const auto guard = set(lens_.guard);
        const auto is_left = hn::Ge(left_of(edges.right_x, edges.right_y, dx, dy), guard);
        const auto is_right = hn::Ge(left_of(-edges.left_x, -edges.left_y, dx, dy), guard);
        return edges.is_wide
                   ? hn::Or(is_left, is_right)
                   : hn::And(hn::And(is_left, is_right), hn::Ge(ahead(edges, dx, dy), guard));
    }

    /// For certain not.
    HWY_INLINE Mask is_past(const Lens::Edges& edges, Vec dx, Vec dy) const {
        const auto guard = set(-lens_.guard);
        const auto is_right = hn::Lt(left_of(edges.right_x, edges.right_y, dx, dy), guard);
        const auto is_left = hn::Lt(left_of(-edges.left_x, -edges.left_y, dx, dy), guard);
        return edges.is_wide
                   ? hn::And(is_left, is_right)
                   : hn::Or(hn::Or(is_left, is_right), hn::Lt(ahead(edges, dx, dy), guard));
    }

    HWY_INLINE static Vec ahead(const Lens::Edges& edges, Vec dx, Vec dy) {
        return hn::MulAdd(set(edges.facing_x), dx, hn::Mul(set(edges.facing_y), dy));
    }

    const Lens& lens_;
    const Lens::Opening& opening_;
};

/// Differences of numbers that are at most 2^30.
template <typename Floats>
HWY_INLINE hn::Vec<Floats> height_above(Floats floats, const std::int32_t* heights,
                                        std::int32_t from) {
    const hn::RebindToSigned<Floats> ints;
    return hn::ConvertTo(floats, hn::Sub(hn::Load(ints, heights), hn::Set(ints, from)));
}

template <Shape kShape, bool kHasHeight>
void scan_through(const Columns& columns, const LensGaze& gaze, const Lens& lens, Scanned& out) {
    using Floats = hn::CappedTag<float, Columns::kLanesMax>;
    const Floats floats;
    const hn::RebindToUnsigned<Floats> words;
    const LensTest<Floats, kShape, kHasHeight> test_now(lens, lens.now);
    const LensTest<Floats, kShape, kHasHeight> test_before(lens, lens.before);
    const auto none = hn::Zero(words);
    Finds<Floats> finds(out);
    std::size_t first = 0;
    for (const Columns::Block& block : columns.blocks()) {
        for (std::size_t i = 0; i < Columns::kLanesMax; i += hn::Lanes(floats)) {
            const auto difference = [&](const auto& column, float from) {
                return hn::Sub(hn::Load(floats, column.data() + i), hn::Set(floats, from));
            };
            const auto dx = difference(block.x, gaze.x);
            const auto dy = difference(block.y, gaze.y);
            const auto dx_before = difference(block.x_before, gaze.x_before);
            const auto dy_before = difference(block.y_before, gaze.y_before);
            auto dz = hn::Zero(floats);
            auto dz_before = hn::Zero(floats);
            if constexpr (kHasHeight) {
                const Columns::Heights& heights = columns.heights()[first / Columns::kLanesMax];
                // Who is nowhere in the plane is at no height either: its z means nothing.
                dz = hn::MulAdd(dx, hn::Zero(floats),
                                height_above(floats, heights.z.data() + i, gaze.z));
                dz_before =
                    hn::MulAdd(dx_before, hn::Zero(floats),
                               height_above(floats, heights.z_before.data() + i, gaze.z_before));
            }
            const auto numbers = hn::Load(words, block.slots.data() + i);
            const auto is_self = hn::Eq(numbers, hn::Set(words, to_number(gaze.self)));
            const auto of_others =
                hn::AndNot(hn::VecFromMask(words, is_self), hn::Set(words, gaze.layers_seen));
            const auto shares = [&](const LayerMask* of) {
                return hn::RebindMask(floats,
                                      hn::Ne(hn::And(hn::Load(words, of + i), of_others), none));
            };
            finds.add(first + i, numbers,
                      hn::And(test_now.is_in(dx, dy, dz),
                              test_before.is_in(dx_before, dy_before, dz_before)),
                      hn::And(test_now.is_out(dx, dy, dz),
                              test_before.is_out(dx_before, dy_before, dz_before)),
                      shares(block.layers.data()), shares(block.layers_if_moved.data()));
        }
        first += Columns::kLanesMax;
    }
    finds.finish();
}

void scan_through_lens(const Columns& columns, const LensGaze& gaze, const Lens& lens,
                       Scanned& out) {
    switch (lens.shape) {
        case Shape::none:
            break;
        case Shape::circle:
            return lens.has_height ? scan_through<Shape::circle, true>(columns, gaze, lens, out)
                                   : scan_through<Shape::circle, false>(columns, gaze, lens, out);
        case Shape::rectangle:
            return lens.has_height
                       ? scan_through<Shape::rectangle, true>(columns, gaze, lens, out)
                       : scan_through<Shape::rectangle, false>(columns, gaze, lens, out);
        case Shape::sector:
            return lens.has_height ? scan_through<Shape::sector, true>(columns, gaze, lens, out)
                                   : scan_through<Shape::sector, false>(columns, gaze, lens, out);
        case Shape::cylinder:
            return scan_through<Shape::cylinder, true>(columns, gaze, lens, out);
    }
    out.moved_count = 0;
    out.unsure_count = 0;
}

/// Writes the slots of these lanes; rare, so one after another.
HWY_INLINE std::size_t list_slots(std::uint64_t lanes, const std::uint32_t* slots, Slot* to) {
    std::size_t count = 0;
    for (; lanes != 0; lanes &= lanes - 1) {
        to[count++] = Slot{slots[std::countr_zero(lanes)]};
    }
    return count;
}

template <bool kHasHeight>
void scan_pieces_in(std::span<const PackedCells::Piece> pieces, const Mover& mover, Met& out) {
    const hn::CappedTag<float, PackedCells::kLanes> floats;
    const hn::RebindToUnsigned<decltype(floats)> words;
    const auto self = hn::Set(words, to_number(mover.self));
    const auto none = hn::Zero(words);
    const auto enter_max = hn::Set(floats, mover.sight.enter_max);
    const auto leave_min = hn::Set(floats, mover.sight.leave_min);
    // Slots are written as the numbers they are.
    auto* const seers = reinterpret_cast<std::uint32_t*>(out.seers.data());
    std::size_t seer_count = 0;
    std::size_t unsure_seer_count = 0;
    std::size_t unsure_seen_count = 0;
    for (const PackedCells::Piece& piece : pieces) {
        const auto x = hn::Set(floats, piece.x);
        const auto y = hn::Set(floats, piece.y);
        const auto x_before = hn::Set(floats, piece.x_before);
        const auto y_before = hn::Set(floats, piece.y_before);
        for (const PackedCells::Block& block : piece.blocks) {
            for (std::size_t i = 0; i < PackedCells::kLanes; i += hn::Lanes(floats)) {
                const auto at_x = hn::Load(floats, block.x.data() + i);
                const auto at_y = hn::Load(floats, block.y.data() + i);
                auto now = squared_distance(at_x, at_y, x, y);
                auto before = squared_distance(at_x, at_y, x_before, y_before);
                if constexpr (kHasHeight) {
                    const auto dz = height_above(floats, block.z.data() + i, mover.z);
                    const auto dz_before = height_above(floats, block.z.data() + i, mover.z_before);
                    now = hn::MulAdd(dz, dz, now);
                    before = hn::MulAdd(dz_before, dz_before, before);
                }
                const auto numbers = hn::Load(words, block.slots.data() + i);
                const auto is_other = hn::Ne(numbers, self);
                const auto shares = [&](const LayerMask* of, LayerMask with) {
                    const auto both = hn::And(hn::Load(words, of + i), hn::Set(words, with));
                    return hn::RebindMask(floats, hn::And(is_other, hn::Ne(both, none)));
                };
                // A NaN among the places makes every comparison false: unsure.
                const auto is_in = [&](auto bound) {
                    return hn::And(hn::Le(now, bound), hn::Le(before, bound));
                };
                const auto is_out = [&](auto bound) {
                    return hn::And(hn::Gt(now, bound), hn::Gt(before, bound));
                };
                const auto sees = shares(block.layers_seen.data(), mover.layers);
                const auto is_seer =
                    hn::And(sees, is_in(hn::Load(floats, block.enter_max.data() + i)));
                const auto is_blind = is_out(hn::Load(floats, block.leave_min.data() + i));
                seer_count += store_compressed(words, numbers, hn::RebindMask(words, is_seer),
                                               seers + seer_count);
                const auto unsure_seers = hn::AndNot(hn::Or(is_seer, is_blind), sees);
                const auto unsure_seen =
                    hn::AndNot(hn::Or(is_in(enter_max), is_out(leave_min)),
                               shares(block.layers.data(), mover.sight.layers_seen));
                if (HWY_UNLIKELY(!hn::AllFalse(floats, hn::Or(unsure_seers, unsure_seen)))) {
                    const std::uint32_t* const slots = block.slots.data() + i;
                    unsure_seer_count += list_slots(bits_of(floats, unsure_seers), slots,
                                                    out.unsure_seers.data() + unsure_seer_count);
                    unsure_seen_count += list_slots(bits_of(floats, unsure_seen), slots,
                                                    out.unsure_seen.data() + unsure_seen_count);
                }
            }
        }
    }
    out.seer_count = seer_count;
    out.unsure_seer_count = unsure_seer_count;
    out.unsure_seen_count = unsure_seen_count;
}

void scan_all_pieces(std::span<const PackedCells::Piece> pieces, const Mover& mover,
                     Dimensions dimensions, Met& out) {
    return dimensions == Dimensions::three ? scan_pieces_in<true>(pieces, mover, out)
                                           : scan_pieces_in<false>(pieces, mover, out);
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
HWY_EXPORT(scan_through_lens);
HWY_EXPORT(scan_all_pieces);
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

void scan(const Columns& columns, const LensGaze& gaze, const Lens& lens, Scanned& out) {
    make_room(out, columns.size());
    HWY_DYNAMIC_DISPATCH(scan_through_lens)(columns, gaze, lens, out);
}

void scan_pieces(std::span<const PackedCells::Piece> pieces, const Mover& mover,
                 Dimensions dimensions, Met& out) {
    std::size_t room = PackedCells::kLanes;
    for (const PackedCells::Piece& piece : pieces) {
        room += piece.blocks.size() * PackedCells::kLanes;
    }
    if (out.seers.size() < room) {
        out.seers.resize(2 * room);
        out.unsure_seers.resize(2 * room);
        out.unsure_seen.resize(2 * room);
    }
    HWY_DYNAMIC_DISPATCH(scan_all_pieces)(pieces, mover, dimensions, out);
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
