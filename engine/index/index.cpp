#include "engine/index/index.h"

#include "engine/index/cross_list.h"
#include "engine/index/geohash.h"
#include "engine/index/grid.h"
#include "engine/index/grid_cross_list.h"
#include "engine/index/quadtree.h"
#include "engine/index/towers.h"

#include <algorithm>
#include <array>

namespace marchland::engine {
namespace {

constexpr std::int64_t kFirstHalfEdgeMm = 64;

}  // namespace

void NearestSearch::find(const EntityStore& entities, const Index& index, Dimensions dimensions,
                         Position from, std::size_t count, LayerMask layers,
                         std::vector<EntityId>& out) {
    out.clear();
    if (count == 0) {
        return;
    }
    // Two int32 differ by less than 2^32: there at the latest everything is found, so that a half
    // edge whose square is asked for is shorter, and its square fits.
    for (std::int64_t half_edge_mm = kFirstHalfEdgeMm;; half_edge_mm *= 2) {
        found_.clear();
        candidates_.clear();
        index.query(square_around(from, half_edge_mm), found_);
        for (const Slot slot : found_) {
            const Entity& entity = entities.at(slot);
            if ((entity.layers & layers) != kNoLayers) {
                candidates_.push_back(
                    {squared_distance(from, entity.position, dimensions), entity.id});
            }
        }
        const bool is_all = found_.size() == index.size();
        if (!is_all && candidates_.size() < count) {
            continue;
        }
        const std::size_t nearest = std::min(count, candidates_.size());
        const auto end = candidates_.begin() + static_cast<std::ptrdiff_t>(nearest);
        std::partial_sort(candidates_.begin(), end, candidates_.end());
        if (is_all || candidates_[nearest - 1].distance <=
                          SquaredDistance(half_edge_mm) * SquaredDistance(half_edge_mm)) {
            break;
        }
    }
    const std::size_t nearest = std::min(count, candidates_.size());
    for (std::size_t place = 0; place < nearest; ++place) {
        out.push_back(candidates_[place].id);
    }
}

namespace {

using Made = std::unique_ptr<Index>;

template <typename Kind>
Made make(const IndexOptions& options) {
    return std::make_unique<Kind>(options);
}

constexpr std::array<std::string_view, 6> kNames{"grid_cross_list", "cross_list", "grid",
                                                 "tower",           "quadtree",   "geohash"};
/// In the order of kNames.
constexpr std::array<Made (*)(const IndexOptions&), kNames.size()> kMakers{
    make_grid_cross_list, make<CrossList>, make<Grid>, make<Towers>, make<Quadtree>, make<Geohash>};

}  // namespace

std::span<const std::string_view> index_names() {
    return kNames;
}

std::unique_ptr<Index> make_index(std::string_view name, const IndexOptions& options) {
    const auto found = std::find(kNames.begin(), kNames.end(), name);
    return found == kNames.end()
               ? nullptr
               : kMakers[static_cast<std::size_t>(found - kNames.begin())](options);
}

}  // namespace marchland::engine
