#include "engine/lens.h"

#include "engine/guard_band.h"

namespace marchland::engine {
namespace {

Lens::Bound bound_of(double enter, double leave) {
    return {static_cast<float>(enter * (1 - kGuardBand)),
            static_cast<float>(leave * (1 + kGuardBand))};
}

Lens::Bound bound_of_square(double enter, double leave) {
    return bound_of(enter * enter, leave * leave);
}

Lens::Edges edges_of(const Wedge& wedge) {
    constexpr float kOne = 1 << 30;
    const auto part = [](std::int32_t of_direction) {
        return static_cast<float>(of_direction) / kOne;
    };
    return {part(wedge.right().x), part(wedge.right().y),  part(wedge.left().x),
            part(wedge.left().y),  part(wedge.facing().x), part(wedge.facing().y),
            wedge.is_wide()};
}

Lens::Opening opening_of(const Outlook& outlook) {
    return {edges_of(outlook.enter_wedge()), edges_of(outlook.leave_wedge())};
}

}  // namespace

Lens lens_of(const Outlook& now, const Outlook& before, Dimensions dimensions) {
    const View& view = now.watcher().view;
    Lens lens;
    lens.shape = view.shape;
    lens.has_height = dimensions == Dimensions::three;
    lens.square = bound_of_square(view.radius_mm, view.leave_radius_mm);
    lens.x = bound_of(view.radius_mm, view.leave_radius_mm);
    lens.y = bound_of(view.half_y_mm, view.leave_half_y_mm);
    lens.z = bound_of(view.half_z_mm, view.leave_half_z_mm);
    if (view.shape == Shape::sector) {
        lens.now = opening_of(now);
        lens.before = opening_of(before);
        // Six roundings of products at most as large as the leave radius; beyond it nobody asks.
        lens.guard = static_cast<float>(view.leave_radius_mm * kGuardBand);
    }
    return lens;
}

}  // namespace marchland::engine
