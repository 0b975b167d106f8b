#include "shards/layout/balancer.h"

#include "engine/assert.h"
#include "shards/zone.h"

#include <algorithm>
#include <set>
#include <utility>
#include <variant>
#include <vector>

namespace marchland::shards {

namespace {

using engine::Rect;

/// A region seen along the axis that its edge moves on.
struct Side {
    std::size_t place = 0;   ///< in the layout
    std::int64_t depth = 0;  ///< along that axis
    std::int64_t first = 0;  ///< across it, both ends inclusive
    std::int64_t last = 0;
    double load = 0;
};

struct Edge {
    bool moves_in_x = true;
    std::vector<Side> below;  ///< end at the edge
    std::vector<Side> above;  ///< begin at the edge
};

/// An edge and how far it goes: up is into the regions above.
struct Move {
    Edge edge;
    std::int64_t by = 0;
    double relief = 0;  ///< entities that the fullest shard at the edge loses
};

class Edges {
public:
    Edges(const Layout& layout, std::span<const std::uint64_t> loads)
        : layout_(layout), loads_(loads) {}

    std::vector<Edge> all() {
        for (const bool in_x : {true, false}) {
            std::set<std::int64_t> cuts;
            for (const ShardId shard : layout_.shards()) {
                const Rect& area = layout_.region(shard).area;
                cuts.insert(in_x ? area.min_x : area.min_y);
            }
            for (const std::int64_t cut : cuts) {
                add_edges_at(cut, in_x);
            }
        }
        return std::move(edges_);
    }

private:
    /// The regions on both sides cover the same stretches: the world has no holes. So both lists
    /// are walked side by side, and whenever both end at the same place an edge is complete.
    void add_edges_at(std::int64_t cut, bool in_x) {
        const std::vector<Side> below = sides(cut, in_x, true);
        const std::vector<Side> above = sides(cut, in_x, false);
        Edge edge{in_x, {}, {}};
        std::size_t next_above = 0;
        for (const Side& side : below) {
            edge.below.push_back(side);
            while (next_above < above.size() && above[next_above].first <= side.last) {
                edge.above.push_back(above[next_above++]);
            }
            if (!edge.above.empty() && edge.above.back().last == side.last) {
                edges_.push_back(std::exchange(edge, Edge{in_x, {}, {}}));
            }
        }
    }

    /// Those that end (or begin) at the cut, in their order along it.
    std::vector<Side> sides(std::int64_t cut, bool in_x, bool ends) const {
        std::vector<Side> found;
        for (std::size_t i = 0; i < layout_.size(); ++i) {
            const Rect& area = layout_.region(layout_.shards()[i]).area;
            const std::int64_t low = in_x ? area.min_x : area.min_y;
            const std::int64_t high = in_x ? area.max_x : area.max_y;
            if ((ends ? high + 1 : low) == cut) {
                found.push_back({i, high - low + 1, in_x ? area.min_y : area.min_x,
                                 in_x ? area.max_y : area.max_x, static_cast<double>(loads_[i])});
            }
        }
        std::ranges::sort(found, {}, &Side::first);
        return found;
    }

    const Layout& layout_;
    const std::span<const std::uint64_t> loads_;
    std::vector<Edge> edges_;
};

double fullest(const std::vector<Side>& sides) {
    return std::ranges::max_element(sides, {}, &Side::load)->load;
}

std::int64_t shallowest(const std::vector<Side>& sides) {
    return std::ranges::min_element(sides, {}, &Side::depth)->depth;
}

/// The fullest of all when the shrinking side gives so much of its depth to the growing one.
double fullest_after(const std::vector<Side>& growing, const std::vector<Side>& shrinking,
                     double by) {
    double most = 0;
    for (const Side& side : shrinking) {
        most = std::max(most, side.load * (1 - by / static_cast<double>(side.depth)));
    }
    for (const Side& side : growing) {
        double load = side.load;
        for (const Side& giver : shrinking) {
            const std::int64_t shared =
                std::min(side.last, giver.last) - std::max(side.first, giver.first) + 1;
            if (shared > 0) {
                load += giver.load * by / static_cast<double>(giver.depth) *
                        static_cast<double>(shared) /
                        static_cast<double>(giver.last - giver.first + 1);
            }
        }
        most = std::max(most, load);
    }
    return most;
}

/// The best place for the edge, of sixteen on either side; how far it may go this time.
Move best_move(const Edge& edge, const BalancerOptions& options) {
    constexpr std::int64_t kPlaces = 16;
    const double before = std::max(fullest(edge.below), fullest(edge.above));
    Move best{edge, 0, 0};
    for (const bool is_up : {true, false}) {
        const auto& shrinking = is_up ? edge.above : edge.below;
        const auto& growing = is_up ? edge.below : edge.above;
        const std::int64_t room = shallowest(shrinking) - options.side_mm_min;
        for (std::int64_t place = 1; place <= kPlaces && room > 0; ++place) {
            const std::int64_t by = std::max<std::int64_t>(1, room * place / kPlaces);
            const double relief =
                before - fullest_after(growing, shrinking, static_cast<double>(by));
            if (relief > best.relief) {
                best.relief = relief;
                best.by = is_up ? by : -by;
            }
        }
    }
    if (best.relief * 100 < before * options.gain_percent_min) {
        best.by = 0;
    }
    best.by = std::clamp<std::int64_t>(best.by, -options.step_mm_max, options.step_mm_max);
    return best;
}

Layout moved(const Layout& layout, const Move& move) {
    std::vector<Region> regions;
    for (const ShardId shard : layout.shards()) {
        regions.push_back(layout.region(shard));
    }
    for (const Side& side : move.edge.below) {
        Rect& area = regions[side.place].area;
        (move.edge.moves_in_x ? area.max_x : area.max_y) += move.by;
    }
    for (const Side& side : move.edge.above) {
        Rect& area = regions[side.place].area;
        (move.edge.moves_in_x ? area.min_x : area.min_y) += move.by;
    }
    auto result = Layout::from_regions(layout.world(), std::move(regions));
    MARCHLAND_ASSERT(std::holds_alternative<Layout>(result));
    return std::get<Layout>(std::move(result));
}

}  // namespace

std::optional<Layout> balance_step(const Layout& layout, std::span<const std::uint64_t> loads,
                                   const BalancerOptions& options) {
    MARCHLAND_ASSERT(loads.size() == layout.size());
    MARCHLAND_ASSERT(options.side_mm_min >= 1 && options.step_mm_max >= 1);
    std::optional<Move> best;
    for (const Edge& edge : Edges(layout, loads).all()) {
        Move move = best_move(edge, options);
        if (move.by != 0 && (!best || move.relief > best->relief)) {
            best = std::move(move);
        }
    }
    return best ? std::optional<Layout>(moved(layout, *best)) : std::nullopt;
}

Balancer::Balancer(const BalancerOptions& options, std::uint32_t tick_rate_hz)
    : options_(options),
      interval_ticks_((std::uint64_t{options.interval_ms_min} * tick_rate_hz + 999) / 1'000) {}

std::optional<Layout> Balancer::propose(Zone& zone) {
    const engine::Tick now = zone.tick();
    if (interval_ticks_ == 0 || now < last_ + interval_ticks_) {
        return std::nullopt;
    }
    const Layout layout = zone.layout();
    std::vector<std::uint64_t> loads;
    for (const ShardId shard : layout.shards()) {
        loads.push_back(zone.metrics(shard).entities.load(std::memory_order_relaxed));
    }
    auto next = balance_step(layout, loads, options_);
    if (next) {
        last_ = now;
    }
    return next;
}

}  // namespace marchland::shards
