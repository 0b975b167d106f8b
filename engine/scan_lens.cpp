#include "engine/scan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/scan_lens.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set

// After it, and once for each, too.
#include "engine/scan_registers.ipp"

HWY_BEFORE_NAMESPACE();
namespace marchland::engine {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

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
            const auto self = hn::Set(words, to_number(gaze.self));
            const auto is_self = hn::RebindMask(floats, hn::Eq(numbers, self));
            const auto shares = [&](const LayerMask* of) {
                const auto both =
                    hn::And(hn::Load(words, of + i), hn::Set(words, gaze.layers_seen));
                return hn::AndNot(is_self, hn::RebindMask(floats, hn::Ne(both, none)));
            };
            finds.add(first + i, numbers,
                      hn::And(test_now.is_in(dx, dy, dz),
                              test_before.is_in(dx_before, dy_before, dz_before)),
                      hn::And(test_now.is_out(dx, dy, dz),
                              test_before.is_out(dx_before, dy_before, dz_before)),
                      shares(block.layers_if_moved.data()),
                      [&]() { return shares(block.layers.data()); });
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

}  // namespace HWY_NAMESPACE
}  // namespace marchland::engine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace marchland::engine {
HWY_EXPORT(scan_through_lens);

void scan(const Columns& columns, const LensGaze& gaze, const Lens& lens, Scanned& out) {
    out.make_room(columns.size());
    HWY_DYNAMIC_DISPATCH(scan_through_lens)(columns, gaze, lens, out);
}

}  // namespace marchland::engine
#endif
