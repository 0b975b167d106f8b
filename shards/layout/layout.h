#pragma once

#include "engine/geometry.h"
#include "shards/ids.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
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
/// Shapes   1 to kShardsMax regions, each of one shard. World and regions are rectangles with both
///          ends inclusive: two neighbours meet at x and x + 1 mm.
/// Ids      A layout that is made anew gives out 0, 1, 2 ... in the order of its regions. One that
///          takes the place of another keeps the ids of that one's shards: see following().
/// Threads  Immutable after construction: shared by all.
/// Cost     owner_of O(shards), region and contains O(log shards), following O(shards²).
class Layout {
public:
    using Result = std::variant<Layout, std::vector<LayoutError>>;

    /// Every error at once. A layout is valid when the regions lie inside the world, none overlap
    /// and none of the world is left over.
    static Result from_regions(engine::Rect world, std::vector<Region> regions);

    /// columns * rows regions of equal size (to the millimetre), row-major from min_x, min_y, named
    /// "c<column>r<row>". Fails where there are too many, or a region would be empty.
    static Result grid(engine::Rect world, std::uint32_t columns, std::uint32_t rows);

    /// The same regions, for a zone that `before` is in force in: a region keeps the id that the
    /// shard of its name has there; the others take, in their order, the lowest ids that are left.
    /// So who stays has nothing to hand over, and a shard that goes leaves its thread to one that
    /// comes.
    [[nodiscard]] Layout following(const Layout& before) const;

    /// Ids, too.
    friend bool operator==(const Layout&, const Layout&) = default;

    [[nodiscard]] engine::Rect world() const { return world_; }
    [[nodiscard]] std::size_t size() const { return shards_.size(); }
    /// In ascending order.
    [[nodiscard]] std::span<const ShardId> shards() const { return shards_; }
    [[nodiscard]] bool contains(ShardId shard) const;
    [[nodiscard]] const Region& region(ShardId shard) const;

    /// The shard whose region holds `at`, which must lie in the world.
    [[nodiscard]] ShardId owner_of(engine::Position at) const;

private:
    Layout(engine::Rect world, std::vector<Region> regions);

    engine::Rect world_;
    std::vector<ShardId> shards_;  ///< ascending; parallel to regions_
    std::vector<Region> regions_;
};

/// Do these regions tile the world? Every error at once, empty when they do. Gaps and overlaps are
/// named as rectangles, each as large as the edges of the regions around it allow.
///
/// Cost  O(n²) for overlaps, O(n² log n) for gaps with n regions, n at most kShardsMax.
std::vector<LayoutError> check_layout(const engine::Rect& world,
                                      const std::vector<Region>& regions);

/// Can the world be divided like this at all?
std::optional<LayoutError> check_grid(const engine::Rect& world, std::uint32_t columns,
                                      std::uint32_t rows);

}  // namespace marchland::shards
