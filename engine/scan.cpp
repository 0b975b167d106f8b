#include "engine/scan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/scan.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set

// After it, and once for each, too.
#include "engine/scan_registers.ipp"

HWY_BEFORE_NAMESPACE();
namespace marchland::engine {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

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
            const auto is_self = hn::RebindMask(floats, hn::Eq(numbers, self));
            const auto shares = [&](const LayerMask* of) {
                const auto both = hn::And(hn::Load(words, of + i), seen);
                return hn::AndNot(is_self, hn::RebindMask(floats, hn::Ne(both, none)));
            };
            finds.add(first + i, numbers, now, before, enter_max, leave_min,
                      shares(block.layers_if_moved.data()),
                      [&]() { return shares(block.layers.data()); });
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
HWY_EXPORT(target_name);

void scan(const Columns& columns, const Gaze& gaze, Scanned& out) {
    out.make_room(columns.size());
    HWY_DYNAMIC_DISPATCH(scan_columns)(columns, gaze, out);
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
