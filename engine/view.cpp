#include "engine/view.h"

namespace marchland::engine {

const char* flaw_of(const View& view, Dimensions dimensions) {
    const auto is_in_order = [](std::int32_t enter, std::int32_t leave) {
        return 0 <= enter && enter <= leave;
    };
    if (view.shape > Shape::cylinder) {
        return "is of no known shape";
    }
    if (view.shape == Shape::cylinder && dimensions == Dimensions::two) {
        return "is a cylinder, in a zone without height";
    }
    if (!is_in_order(view.radius_mm, view.leave_radius_mm)) {
        return "needs 0 <= radius <= leave radius";
    }
    if (!is_in_order(view.half_y_mm, view.leave_half_y_mm) ||
        !is_in_order(view.half_z_mm, view.leave_half_z_mm)) {
        return "needs 0 <= half length <= half length of the leave range";
    }
    if (!is_in_order(view.half_opening, view.leave_half_opening) ||
        view.leave_half_opening > kHalfTurn) {
        return "needs half opening <= leave half opening <= half a turn";
    }
    return nullptr;
}

}  // namespace marchland::engine
