#include "tools/layout/balanced_layout.h"

#include "engine/assert.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>

namespace marchland::layout {

namespace {

using engine::Position;
using engine::Rect;

enum class Axis { x, y };

std::int64_t low_of(const Rect& part, Axis axis) {
    return axis == Axis::x ? part.min_x : part.min_y;
}
std::int64_t high_of(const Rect& part, Axis axis) {
    return axis == Axis::x ? part.max_x : part.max_y;
}
std::int64_t side_of(const Rect& part, Axis axis) {
    return high_of(part, axis) - low_of(part, axis) + 1;
}
std::int64_t along(const Position& at, Axis axis) {
    return axis == Axis::x ? at.x : at.y;
}

/// Whole sides, enough to cut off as many shards as anybody may have: so that products stay small.
std::int64_t sides_in(std::int64_t length, std::int64_t side) {
    return std::min<std::int64_t>(length / side, static_cast<std::int64_t>(shards::kShardsMax));
}

std::int64_t room_in(const Rect& part, std::int64_t side) {
    return sides_in(side_of(part, Axis::x), side) * sides_in(side_of(part, Axis::y), side);
}

/// How many sides of `rows` shards next to each other `shards` of them take.
std::int64_t sides_for(std::int64_t shards, std::int64_t rows) {
    return (shards + rows - 1) / rows;
}

struct Cut {
    Axis axis = Axis::x;
    std::int64_t at = 0;     ///< the first coordinate of the second part
    std::int64_t first = 0;  ///< shards of the first part
    double load = 0;         ///< positions and ghosts for each shard, in the part that has more
};

class Cutter {
public:
    explicit Cutter(const BalanceLimits& limits)
        : side_(limits.side_mm_min), reach_(limits.reach_mm) {}

    void cut(const Rect& part, std::span<Position> positions, std::int64_t shards) {
        if (shards == 1) {
            regions_.push_back({"s" + std::to_string(regions_.size()), part});
            return;
        }
        const Cut cut = best_cut(part, positions, shards);
        // Not std::ranges::partition: clang 14, which builds the fuzz targets, cannot compile it.
        const auto middle =
            std::partition(positions.begin(), positions.end(),
                           [&](const Position& at) { return along(at, cut.axis) < cut.at; });
        const std::span<Position> first(positions.begin(), middle);
        Rect low = part;
        Rect high = part;
        (cut.axis == Axis::x ? low.max_x : low.max_y) = cut.at - 1;
        (cut.axis == Axis::x ? high.min_x : high.min_y) = cut.at;
        this->cut(low, first, cut.first);
        this->cut(high, positions.subspan(first.size()), shards - cut.first);
    }

    std::vector<shards::Region> take_regions() { return std::move(regions_); }

private:
    Cut best_cut(const Rect& part, std::span<Position> positions, std::int64_t shards) {
        const Axis longer = side_of(part, Axis::x) >= side_of(part, Axis::y) ? Axis::x : Axis::y;
        const Axis other = longer == Axis::x ? Axis::y : Axis::x;
        const auto a = cut_along(longer, part, positions, shards);
        const auto b = cut_along(other, part, positions, shards);
        MARCHLAND_ASSERT(a || b);
        return !a || (b && b->load < a->load) ? *b : *a;
    }

    /// With the division of shards nearest to one half that leaves room for both.
    std::optional<Cut> cut_along(Axis axis, const Rect& part, std::span<Position> positions,
                                 std::int64_t shards) {
        const Axis across = axis == Axis::x ? Axis::y : Axis::x;
        const std::int64_t rows = sides_in(side_of(part, across), side_);
        const std::int64_t columns = sides_in(side_of(part, axis), side_);
        for (std::int64_t first = shards / 2; first >= 1; --first) {
            const std::int64_t before = sides_for(first, rows);
            const std::int64_t after = sides_for(shards - first, rows);
            if (before + after <= columns) {
                return cut_between(axis, low_of(part, axis) + before * side_,
                                   high_of(part, axis) + 1 - after * side_, part, positions, first,
                                   shards);
            }
        }
        return std::nullopt;
    }

    Cut cut_between(Axis axis, std::int64_t lowest, std::int64_t highest, const Rect& part,
                    std::span<Position> positions, std::int64_t first, std::int64_t shards) {
        sorted_.clear();
        for (const Position& at : positions) {
            sorted_.push_back(along(at, axis));
        }
        std::ranges::sort(sorted_);
        const auto wanted = static_cast<std::ptrdiff_t>(sorted_.size()) * first / shards;
        Cut best{axis, 0, first, 0};
        bool has_best = false;
        const auto count_below = [this](std::int64_t at) {
            return std::ranges::lower_bound(sorted_, at) - sorted_.begin();
        };
        const auto consider = [&](std::int64_t at) {
            at = std::clamp(at, lowest, highest);
            const std::ptrdiff_t below = count_below(at + reach_);
            const std::ptrdiff_t above = std::ssize(sorted_) - count_below(at - reach_);
            const double load =
                std::max(static_cast<double>(below) / static_cast<double>(first),
                         static_cast<double>(above) / static_cast<double>(shards - first));
            if (!has_best || load < best.load) {
                best.at = at;
                best.load = load;
                has_best = true;
            }
        };
        const auto consider_between = [&](std::ptrdiff_t place) {
            const std::int64_t before = sorted_[static_cast<std::size_t>(place - 1)];
            const std::int64_t after = sorted_[static_cast<std::size_t>(place)];
            if (before < after) {
                consider(before + (after - before + 1) / 2);
            }
        };
        if (sorted_.empty()) {
            consider(low_of(part, axis) + side_of(part, axis) * first / shards);
            return best;
        }
        if (wanted > 0) {
            consider_between(wanted);
        }
        const std::int64_t middle = sorted_[static_cast<std::size_t>(wanted)];
        consider(middle);      // those who stand together there, all in the second part
        consider(middle + 1);  // or all in the first
        if (reach_ > 0) {
            const std::ptrdiff_t last = std::ssize(sorted_) - (std::ssize(sorted_) - wanted) / 2;
            for (std::ptrdiff_t place = std::max<std::ptrdiff_t>(wanted / 2, 1);
                 place < std::min(last + 1, std::ssize(sorted_)); ++place) {
                consider_between(place);
            }
        }
        return best;
    }

    const std::int64_t side_;
    const std::int64_t reach_;
    std::vector<std::int64_t> sorted_;
    std::vector<shards::Region> regions_;
};

}  // namespace

bool can_balance(const Rect& world, const BalanceLimits& limits) {
    return limits.shards >= 1 && limits.shards <= shards::kShardsMax && limits.side_mm_min >= 1 &&
           room_in(world, limits.side_mm_min) >= static_cast<std::int64_t>(limits.shards);
}

shards::Layout balanced_layout(const Rect& world, std::vector<Position> positions,
                               const BalanceLimits& limits) {
    MARCHLAND_ASSERT(can_balance(world, limits));
    Cutter cutter(limits);
    cutter.cut(world, positions, static_cast<std::int64_t>(limits.shards));
    auto layout = shards::Layout::from_regions(world, cutter.take_regions());
    MARCHLAND_ASSERT(std::holds_alternative<shards::Layout>(layout));
    return std::get<shards::Layout>(std::move(layout));
}

}  // namespace marchland::layout
