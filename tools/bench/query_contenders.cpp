#include "engine/assert.h"
#include "engine/index/crowded_cell.h"
#include "engine/index/grid_cells.h"
#include "engine/index/grid_cross_list.h"
#include "engine/index/sparse_cells.h"
#include "tools/bench/contender.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace marchland::bench {
namespace {

/// The engine's cells in x and y order, with the interface of its cells without order.
struct OrderedCells {
    using Chain = engine::CrowdedCell;

    static void add(Chain& cell, engine::Slot slot, engine::Position at) { cell.add(slot, at); }
    static void remove(Chain& cell, engine::Slot slot, engine::Position at) {
        cell.remove(slot, at);
    }
    static void move(Chain& cell, engine::Slot slot, engine::Position from, engine::Position to) {
        cell.move(slot, from, to);
    }
    static void append_all(const Chain& cell, std::vector<engine::Slot>& out) {
        cell.append_all(out);
    }
    static void append_inside(const Chain& cell, const engine::MapArea& area,
                              std::vector<engine::Slot>& out) {
        cell.append_inside(area, out);
    }
    template <typename Visit>
    static void for_each(const Chain& cell, Visit&& visit) {
        cell.for_each(visit);
    }
};

/// grid_cross_list with one kind of cells.
template <typename Cells>
class OneWayGrid final : public engine::Index {
public:
    explicit OneWayGrid(const engine::IndexOptions& options)
        : grid_(options.bounds, options.cell_mm, options.cells_max), chains_(grid_.size()) {}

    void insert(engine::Slot slot, engine::Position at) override {
        cells_.add(chains_[grid_.cell_of(at)], slot, at);
        ++size_;
    }
    void erase(engine::Slot slot, engine::Position at) override {
        cells_.remove(chains_[grid_.cell_of(at)], slot, at);
        --size_;
    }
    void move(engine::Slot slot, engine::Position from, engine::Position to) override {
        auto& before = chains_[grid_.cell_of(from)];
        auto& after = chains_[grid_.cell_of(to)];
        if (&before == &after) {
            cells_.move(before, slot, from, to);
            return;
        }
        cells_.remove(before, slot, from);
        cells_.add(after, slot, to);
    }
    void query(const engine::Rect& area, std::vector<engine::Slot>& out) const override {
        const std::optional<engine::MapArea> on_map = grid_.clip(area);
        if (!on_map) return;
        const engine::CellRange range = grid_.range_of(*on_map);
        for (std::uint32_t row = range.first_row; row <= range.last_row; ++row) {
            for (std::uint32_t column = range.first_column; column <= range.last_column; ++column) {
                const auto& chain = chains_[grid_.cell_at(column, row)];
                if (range.is_inside(column, row)) {
                    cells_.append_all(chain, out);
                } else {
                    cells_.append_inside(chain, *on_map, out);
                }
            }
        }
    }
    void walk(const std::function<void(engine::Slot, engine::Position)>& visit) const override {
        for (const auto& chain : chains_) {
            cells_.for_each(chain, visit);
        }
    }
    [[nodiscard]] std::size_t size() const override { return size_; }

private:
    const engine::GridCells grid_;
    std::vector<typename Cells::Chain> chains_;  ///< by cell
    Cells cells_;
    std::size_t size_ = 0;
};

std::unique_ptr<engine::Index> make_query_index(std::string_view name, const Workload& workload) {
    const engine::IndexOptions options = index_options(workload);
    const engine::IndexOptions grid{options.bounds, options.cell_mm};
    if (name == "ordered_cells") return std::make_unique<OneWayGrid<OrderedCells>>(grid);
    if (name == "unordered_cells") return std::make_unique<OneWayGrid<engine::SparseCells>>(grid);
    return engine::make_index(name, options);
}

class IndexQueries final : public Contender {
public:
    IndexQueries(std::string_view index_name, const Workload& workload, Positions at)
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

    [[nodiscard]] std::string_view name() const override { return name_; }

    EventTotals run_tick(Positions to) override {
        for (std::uint32_t entity = 0; entity < to.size(); ++entity) {
            if (at_[entity] == to[entity]) continue;
            index_->move(engine::Slot{entity}, at_[entity], to[entity]);
            at_[entity] = to[entity];
        }
        EventTotals totals;
        const std::int64_t radius_squared = std::int64_t{radius_mm_} * radius_mm_;
        for (std::uint32_t watcher = 0; watcher < to.size(); ++watcher) {
            found_.clear();
            index_->query(engine::square_around(to[watcher], radius_mm_), found_);
            std::uint64_t count = 0;
            std::uint64_t sum = 0;
            for (const engine::Slot slot : found_) {
                const std::uint32_t entity = engine::to_number(slot);
                const std::int64_t dx = std::int64_t{at_[entity].x} - to[watcher].x;
                const std::int64_t dy = std::int64_t{at_[entity].y} - to[watcher].y;
                const bool is_seen = dx * dx + dy * dy <= radius_squared && entity != watcher;
                count += is_seen ? 1 : 0;
                sum += is_seen ? entity : 0;
            }
            totals.add(watcher, EventKind::seen, count, sum);
        }
        return totals;
    }

private:
    const std::string name_;
    const std::int32_t radius_mm_;
    std::unique_ptr<engine::Index> index_;
    std::vector<engine::Position> at_;  ///< by entity, which is its slot
    std::vector<engine::Slot> found_;
};

}  // namespace

std::unique_ptr<Contender> make_index_queries(std::string_view index, const Workload& workload,
                                              Positions at) {
    return std::make_unique<IndexQueries>(index, workload, at);
}

}  // namespace marchland::bench
