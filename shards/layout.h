#pragma once

#include "engine/geometry.h"
#include "shards/ids.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace marchland::shards {

/// The part of the map that one shard owns: a rectangle, both ends inclusive, in millimetres.
struct Region {
    std::string name;
    engine::Rect area;

    friend bool operator==(const Region&, const Region&) = default;
};

/// Why a set of regions is no layout. `region` and `other` index the list that was given; `other`
/// equals `region` where only one is concerned, and both are kNoRegion for a gap.
struct LayoutError {
    static constexpr std::size_t kNoRegion = static_cast<std::size_t>(-1);
    enum class Kind {
        no_regions,
        too_many_regions,
        empty_region,
        duplicate_name,
        outside,
        overlap,
        gap
    };

    Kind kind{};
    std::size_t region = kNoRegion;
    std::size_t other = kNoRegion;
    engine::Rect where;   ///< the part of the map that is overlapped, outside or left bare
    std::string message;  ///< one sentence, with names and coordinates in metres
};

/// Which shard owns which part of the map? Regions that tile the world exactly.
///
/// Shapes   1 to kShardsMax regions, ShardId = place in the list. World and regions are rectangles
///          with both ends inclusive: two neighbours meet at x and x + 1 mm.
/// Threads  Immutable after construction: shared by all.
/// Cost     owner_of O(shards); the rest O(1).
class Layout {
public:
    using Result = std::variant<Layout, std::vector<LayoutError>>;

    /// Every error at once. A layout is valid when the regions lie inside the world, none overlap
    /// and none of the world is left over.
    static Result from_regions(engine::Rect world, std::vector<Region> regions);

    /// columns * rows regions of equal size (to the millimetre), row-major from min_x, min_y, named
    /// "c<column>r<row>". Fails where there are too many, or a region would be empty.
    static Result grid(engine::Rect world, std::uint32_t columns, std::uint32_t rows);

    [[nodiscard]] engine::Rect world() const { return world_; }
    [[nodiscard]] std::size_t size() const { return regions_.size(); }
    [[nodiscard]] const Region& region(ShardId shard) const;

    /// The shard whose region holds `at`, which must lie in the world.
    [[nodiscard]] ShardId owner_of(engine::Position at) const;

private:
    Layout(engine::Rect world, std::vector<Region> regions);

    engine::Rect world_;
    std::vector<Region> regions_;
};

}  // namespace marchland::shards
