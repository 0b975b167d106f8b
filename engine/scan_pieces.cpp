#include "engine/scan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/scan_pieces.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set

// After it, and once for each, too.
#include "engine/scan_registers.ipp"

HWY_BEFORE_NAMESPACE();
namespace marchland::engine {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

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

}  // namespace HWY_NAMESPACE
}  // namespace marchland::engine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace marchland::engine {
HWY_EXPORT(scan_all_pieces);

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

}  // namespace marchland::engine
#endif
