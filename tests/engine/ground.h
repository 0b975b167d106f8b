#pragma once

#include "engine/geometry.h"
#include "engine/index/index.h"

#include <rapidcheck.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace marchland::engine {

/// For counterexamples.
inline std::ostream& operator<<(std::ostream& out, const Position& at) {
    return out << '(' << at.x << ", " << at.y << ", " << at.z << ')';
}

}  // namespace marchland::engine

namespace marchland::engine::testing {

/// The least and the greatest coordinate, in millimetres.
inline constexpr std::int32_t kMin = std::numeric_limits<std::int32_t>::min();
inline constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();

/// A map to try things on, and how it is cut into cells.
struct Ground {
    std::string name;
    Rect bounds;
    Dimensions dimensions = Dimensions::two;
    std::int32_t cell_mm = 1;
    std::size_t cells_max = 1U << 12U;
};

/// Small and crowded, wide and flat, of one point, of three dimensions, as large as int32 goes.
const std::vector<Ground>& grounds();

/// An index and how it is made for a ground. A new index is a new row of index_kinds().
struct IndexKind {
    std::string name;
    std::function<std::unique_ptr<Index>(const Ground&)> make;
};
const std::vector<IndexKind>& index_kinds();

/// Positions on the map: most in one small crowd in the middle, others anywhere, at its edges, on
/// the edges of cells.
rc::Gen<Position> position_on(const Ground& ground);

/// Radii of views, from 0 to more than the map.
rc::Gen<std::int32_t> radius_on(const Ground& ground);

}  // namespace marchland::engine::testing
