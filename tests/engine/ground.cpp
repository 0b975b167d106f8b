#include "tests/engine/ground.h"

#include "engine/index/index.h"
#include "tests/engine/brute_force_index.h"

#include <algorithm>

namespace marchland::engine::testing {
namespace {

/// An edge of a cell between min and max, or a millimetre beside it.
rc::Gen<std::int64_t> beside_cell_edge(std::int64_t min, std::int64_t max, std::int64_t cell_mm) {
    const std::int64_t cells = std::min<std::int64_t>((max - min) / cell_mm, 8);
    return rc::gen::apply(
        [=](std::int64_t cell, std::int64_t beside) { return min + cell * cell_mm + beside; },
        rc::gen::inRange<std::int64_t>(0, cells + 1), rc::gen::inRange<std::int64_t>(-1, 2));
}

/// Anywhere, at the ends, at the edges of cells.
rc::Gen<std::int32_t> coordinate(std::int64_t min, std::int64_t max, std::int64_t cell_mm) {
    return rc::gen::map(
        rc::gen::weightedOneOf<std::int64_t>({
            {3, rc::gen::inRange<std::int64_t>(min, max + 1)},
            {2, rc::gen::element(min, min + 1, max - 1, max)},
            {2, beside_cell_edge(min, max, cell_mm)},
        }),
        [=](std::int64_t value) { return static_cast<std::int32_t>(std::clamp(value, min, max)); });
}

/// One of the twelve in the middle.
rc::Gen<std::int32_t> coordinate_in_the_middle(std::int64_t min, std::int64_t max) {
    const std::int64_t middle = min + (max - min) / 2;
    return rc::gen::map(
        rc::gen::inRange<std::int64_t>(middle, middle + 12),
        [=](std::int64_t value) { return static_cast<std::int32_t>(std::clamp(value, min, max)); });
}

rc::Gen<Position> position_from(const rc::Gen<std::int32_t>& x, const rc::Gen<std::int32_t>& y,
                                const rc::Gen<std::int32_t>& z) {
    return rc::gen::apply(
        [](std::int32_t at_x, std::int32_t at_y, std::int32_t at_z) {
            return Position{at_x, at_y, at_z};
        },
        x, y, z);
}

IndexOptions options_for(const Ground& ground) {
    IndexOptions options;
    options.bounds = ground.bounds;
    options.dimensions = ground.dimensions;
    options.cell_mm = ground.cell_mm;
    options.cells_max = ground.cells_max;
    return options;
}

std::unique_ptr<Index> make_brute_force(const Ground& ground) {
    return std::make_unique<BruteForceIndex>(ground.bounds);
}

std::unique_ptr<Index> make_loose_quadtree(const Ground& ground) {
    IndexOptions options = options_for(ground);
    options.quadtree_is_loose = true;
    return make_index("quadtree", options);
}

}  // namespace

const std::vector<Ground>& grounds() {
    static const std::vector<Ground> all{
        {"SmallRoom", {0, 0, 12, 9}, Dimensions::two, 4},
        {"Field", {-1'000, -1'000, 1'000, 1'000}, Dimensions::two, 130},
        {"FieldOfOneCell", {-1'000, -1'000, 1'000, 1'000}, Dimensions::two, 5'000},
        {"NarrowStrip", {-70'000, 5, 70'000, 7}, Dimensions::two, 999},
        {"OnePoint", {-3, 8, -3, 8}, Dimensions::two, 1},
        {"Tower", {0, 0, 12, 12}, Dimensions::three, 5},
        {"WholePlane", {kMin, kMin, kMax, kMax}, Dimensions::two, 1},
        {"WholePlaneInOneCell", {kMin, kMin, kMax, kMax}, Dimensions::two, 1, 1},
        {"WholeSpace", {kMin, kMin, kMax, kMax}, Dimensions::three, 1'000'000'000},
        {"MoreThanThePlane",
         {3 * std::int64_t{kMin}, kMin, kMax, 3 * std::int64_t{kMax}},
         Dimensions::two,
         1'000,
         7},
    };
    return all;
}

const std::vector<IndexKind>& index_kinds() {
    static const std::vector<IndexKind> all = [] {
        std::vector<IndexKind> kinds{{"brute_force", make_brute_force}};
        for (const std::string_view name : index_names()) {
            const auto make = [name](const Ground& ground) {
                return make_index(name, options_for(ground));
            };
            kinds.push_back({std::string(name), make});
        }
        kinds.push_back({"loose_quadtree", make_loose_quadtree});
        return kinds;
    }();
    return all;
}

rc::Gen<Position> position_on(const Ground& ground) {
    const std::int64_t min_x = std::max<std::int64_t>(ground.bounds.min_x, kMin);
    const std::int64_t min_y = std::max<std::int64_t>(ground.bounds.min_y, kMin);
    const std::int64_t max_x = std::min<std::int64_t>(ground.bounds.max_x, kMax);
    const std::int64_t max_y = std::min<std::int64_t>(ground.bounds.max_y, kMax);
    return rc::gen::weightedOneOf<Position>({
        {5, position_from(coordinate_in_the_middle(min_x, max_x),
                          coordinate_in_the_middle(min_y, max_y), rc::gen::inRange(0, 12))},
        {3, position_from(coordinate(min_x, max_x, ground.cell_mm),
                          coordinate(min_y, max_y, ground.cell_mm),
                          rc::gen::element(0, 1, kMin, kMax))},
    });
}

rc::Gen<std::int32_t> radius_on(const Ground& ground) {
    const std::int64_t widest = std::max(ground.bounds.max_x - ground.bounds.min_x,
                                         ground.bounds.max_y - ground.bounds.min_y);
    const auto limit = static_cast<std::int32_t>(std::min<std::int64_t>(widest + 2, kMax));
    return rc::gen::weightedOneOf<std::int32_t>({
        {4, rc::gen::inRange(0, 20)},
        {3, rc::gen::inRange(0, limit)},
        {1, rc::gen::element(0, 1, limit, kMax - 1, kMax)},
    });
}

}  // namespace marchland::engine::testing
