#include "tests/engine/random_view.h"

#include <algorithm>
#include <utility>

namespace marchland::engine::testing {
namespace {

template <typename Number>
rc::Gen<std::pair<Number, Number>> in_order(const rc::Gen<Number>& numbers) {
    return rc::gen::map(rc::gen::pair(numbers, numbers), [](std::pair<Number, Number> both) {
        return std::pair<Number, Number>(std::minmax(both.first, both.second));
    });
}

rc::Gen<Angle> half_opening() {
    return rc::gen::map(any_angle(), [](Angle angle) { return std::min(angle, kHalfTurn); });
}

rc::Gen<Shape> shape_on(const Ground& ground) {
    if (ground.dimensions == Dimensions::two) {
        return rc::gen::element(Shape::none, Shape::circle, Shape::circle, Shape::rectangle,
                                Shape::sector, Shape::sector);
    }
    return rc::gen::element(Shape::none, Shape::circle, Shape::rectangle, Shape::sector,
                            Shape::sector, Shape::cylinder);
}

}  // namespace

rc::Gen<Angle> any_angle() {
    const auto beside_eighth = rc::gen::apply(
        [](int eighth, int beside) { return static_cast<Angle>(eighth * 8'192 + beside); },
        rc::gen::inRange(0, 8), rc::gen::element(-1, 0, 0, 0, 1));
    return rc::gen::oneOf(beside_eighth, rc::gen::arbitrary<Angle>());
}

rc::Gen<View> view_on(const Ground& ground) {
    using Radii = std::pair<std::int32_t, std::int32_t>;
    const auto radii = in_order(radius_on(ground));
    return rc::gen::apply(
        [](Shape shape, Radii x, Radii y, Radii z, std::pair<Angle, Angle> opening) {
            switch (shape) {
                case Shape::none:
                    return View{};
                case Shape::circle:
                    return View::circle(x.first, x.second);
                case Shape::rectangle:
                    return View::box({x.first, y.first, z.first}, {x.second, y.second, z.second});
                case Shape::sector:
                    return View::sector(x.first, x.second, opening.first, opening.second);
                case Shape::cylinder:
                    return View::cylinder(x.first, x.second, z.first, z.second);
            }
            return View{};
        },
        shape_on(ground), radii, radii, radii, in_order(half_opening()));
}

rc::Gen<NotifyRange> notify_on(const Ground& ground) {
    const auto some = rc::gen::map(in_order(radius_on(ground)), [](auto radii) {
        return NotifyRange{radii.first, radii.second};
    });
    return rc::gen::weightedOneOf<NotifyRange>({{3, rc::gen::just(NotifyRange{})}, {2, some}});
}

}  // namespace marchland::engine::testing
