#include "engine/view.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace marchland::engine {
namespace {

/// The directions of an eighth of a turn, both ends included. Floats may decide here: view.h says
/// why.
using Eighth = std::array<Direction, kQuarterTurn / 2 + 1>;

Eighth make_eighth() {
    constexpr double kLength = 1U << 30U;
    Eighth eighth;
    for (std::size_t angle = 0; angle < eighth.size(); ++angle) {
        const double radians = static_cast<double>(angle) * std::numbers::pi / kHalfTurn;
        eighth[angle] = {static_cast<std::int32_t>(std::lround(kLength * std::cos(radians))),
                         static_cast<std::int32_t>(std::lround(kLength * std::sin(radians)))};
    }
    return eighth;
}

Direction in_first_quarter(Angle angle) {
    static const Eighth kEighth = make_eighth();
    if (angle <= kQuarterTurn / 2) {
        return kEighth[angle];
    }
    const Direction mirrored = kEighth[static_cast<std::size_t>(kQuarterTurn - angle)];
    return {mirrored.y, mirrored.x};
}

}  // namespace

Direction direction_of(Angle angle) {
    const Direction first = in_first_quarter(angle % kQuarterTurn);
    switch (angle / kQuarterTurn) {
        case 0:
            return first;
        case 1:
            return {-first.y, first.x};
        case 2:
            return {-first.x, -first.y};
        default:
            return {first.y, -first.x};
    }
}

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
