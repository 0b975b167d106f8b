#include "tools/bench/query_contenders.h"

#include "engine/assert.h"
#include "engine/index_factory.h"
#include "tools/bench/one_way_grid.h"

namespace marchland::bench {
namespace {

std::int64_t squared_distance(engine::Position a, engine::Position b) {
    const std::int64_t dx = std::int64_t{a.x} - b.x;
    const std::int64_t dy = std::int64_t{a.y} - b.y;
    return dx * dx + dy * dy;
}

std::unique_ptr<engine::Index> make_query_index(std::string_view name, const Workload& workload) {
    const engine::Rect bounds{0, 0, workload.side_mm, workload.side_mm};
    if (name == "ordered_cells") return make_ordered_cells({bounds, kRadiusMm});
    if (name == "unordered_cells") return make_unordered_cells({bounds, kRadiusMm});
    engine::IndexOptions options;
    options.bounds = bounds;
    options.cell_mm = kRadiusMm;
    return engine::make_index(name, options);
}

}  // namespace

HashGridQueries::HashGridQueries(const Workload& workload, std::span<const engine::Position> at)
    : radius_mm_(workload.radius_max_mm), grid_(radius_mm_, at, senses_of(workload)) {
    MARCHLAND_ASSERT(is_plain(workload));
}

EventTotals HashGridQueries::run_tick(std::span<const engine::Position> to) {
    for (std::uint32_t entity = 0; entity < to.size(); ++entity) {
        grid_.move(entity, to[entity]);
    }
    EventTotals totals;
    const std::int64_t radius_squared = std::int64_t{radius_mm_} * radius_mm_;
    for (std::uint32_t watcher = 0; watcher < to.size(); ++watcher) {
        found_.clear();
        grid_.visit_around(to[watcher], [&](const HashGrid::Entry& entry) {
            if (squared_distance({entry.x, entry.y, 0}, to[watcher]) > radius_squared) return;
            if (entry.entity != watcher) found_.push_back(entry.entity);
        });
        std::uint64_t sum = 0;
        for (const std::uint32_t entity : found_) {
            sum += entity;
        }
        totals.add(watcher, EventKind::seen, found_.size(), sum);
    }
    return totals;
}

IndexQueries::IndexQueries(std::string_view index_name, const Workload& workload,
                           std::span<const engine::Position> at)
    : name_(index_name),
      radius_mm_(workload.radius_max_mm),
      index_(make_query_index(index_name, workload)),
      at_(at.begin(), at.end()) {
    MARCHLAND_ASSERT(is_plain(workload));
    std::vector<engine::Placed> placed;
    for (std::uint32_t entity = 0; entity < at.size(); ++entity) {
        placed.push_back({engine::Slot{entity}, at[entity]});
    }
    index_->load(placed);
}

EventTotals IndexQueries::run_tick(std::span<const engine::Position> to) {
    for (std::uint32_t entity = 0; entity < to.size(); ++entity) {
        if (at_[entity] == to[entity]) continue;
        index_->move(engine::Slot{entity}, at_[entity], to[entity]);
        at_[entity] = to[entity];
    }
    EventTotals totals;
    const std::int64_t radius_squared = std::int64_t{radius_mm_} * radius_mm_;
    for (std::uint32_t watcher = 0; watcher < to.size(); ++watcher) {
        const engine::Position at = to[watcher];
        found_.clear();
        index_->query({at.x - radius_mm_, at.y - radius_mm_, at.x + radius_mm_, at.y + radius_mm_},
                      found_);
        std::uint64_t count = 0;
        std::uint64_t sum = 0;
        for (const engine::Slot slot : found_) {
            const std::uint32_t entity = engine::to_number(slot);
            const bool is_seen =
                squared_distance(at_[entity], at) <= radius_squared && entity != watcher;
            count += is_seen ? 1 : 0;
            sum += is_seen ? entity : 0;
        }
        totals.add(watcher, EventKind::seen, count, sum);
    }
    return totals;
}

}  // namespace marchland::bench
