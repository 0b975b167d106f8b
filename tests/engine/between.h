#pragma once

#include <rapidcheck.h>

namespace marchland::engine::testing {

/// A number from the whole range in every case of a property: rc::gen::inRange begins with the
/// lower end of it, and most cases never see the upper one.
template <typename Number>
Number between(Number first, Number end) {
    return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<Number>(first, end));
}

}  // namespace marchland::engine::testing
