#include "tools/bench/one_way_grid.h"

#include "engine/crowded_cell.h"
#include "engine/grid_cells.h"
#include "engine/sparse_cells.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace marchland::bench {
namespace {

/// The engine's cells in x and y order.
class OrderedCells {
public:
    explicit OrderedCells(std::size_t count) : cells_(count) {}

    void add(std::uint32_t cell, engine::Slot slot, engine::Position at) {
        cells_[cell].add(slot, at);
    }
    void remove(std::uint32_t cell, engine::Slot slot, engine::Position at) {
        cells_[cell].remove(slot, at);
    }
    void move(std::uint32_t cell, engine::Slot slot, engine::Position from, engine::Position to) {
        cells_[cell].move(slot, from, to);
    }
    void append_all(std::uint32_t cell, std::vector<engine::Slot>& out) const {
        cells_[cell].append_all(out);
    }
    void append_inside(std::uint32_t cell, const engine::MapArea& area,
                       std::vector<engine::Slot>& out) const {
        cells_[cell].append_inside(area, out);
    }
    template <typename Visit>
    void for_each(std::uint32_t cell, Visit&& visit) const {
        cells_[cell].for_each(visit);
    }

private:
    std::vector<engine::CrowdedCell> cells_;
};

/// The engine's cells without order.
class UnorderedCells {
public:
    explicit UnorderedCells(std::size_t count) : chains_(count) {}

    void add(std::uint32_t cell, engine::Slot slot, engine::Position at) {
        pool_.add(chains_[cell], slot, at);
    }
    void remove(std::uint32_t cell, engine::Slot slot, engine::Position at) {
        pool_.remove(chains_[cell], slot, at);
    }
    void move(std::uint32_t cell, engine::Slot slot, engine::Position from, engine::Position to) {
        pool_.move(chains_[cell], slot, from, to);
    }
    void append_all(std::uint32_t cell, std::vector<engine::Slot>& out) const {
        pool_.append_all(chains_[cell], out);
    }
    void append_inside(std::uint32_t cell, const engine::MapArea& area,
                       std::vector<engine::Slot>& out) const {
        pool_.append_inside(chains_[cell], area, out);
    }
    template <typename Visit>
    void for_each(std::uint32_t cell, Visit&& visit) const {
        pool_.for_each(chains_[cell], visit);
    }

private:
    std::vector<engine::SparseCells::Chain> chains_;
    engine::SparseCells pool_;
};

template <typename Cells>
class OneWayGrid final : public engine::Index {
public:
    explicit OneWayGrid(const engine::GridOptions& options)
        : grid_(options.bounds, options.cell_mm, options.cells_max), cells_(grid_.size()) {}

    void insert(engine::Slot slot, engine::Position at) override {
        cells_.add(grid_.cell_of(at), slot, at);
        ++size_;
    }
    void erase(engine::Slot slot, engine::Position at) override {
        cells_.remove(grid_.cell_of(at), slot, at);
        --size_;
    }
    void move(engine::Slot slot, engine::Position from, engine::Position to) override {
        const std::uint32_t cell_from = grid_.cell_of(from);
        const std::uint32_t cell_to = grid_.cell_of(to);
        if (cell_from == cell_to) {
            cells_.move(cell_from, slot, from, to);
            return;
        }
        cells_.remove(cell_from, slot, from);
        cells_.add(cell_to, slot, to);
    }
    void query(const engine::Rect& area, std::vector<engine::Slot>& out) const override {
        const std::optional<engine::MapArea> on_map = grid_.clip(area);
        if (!on_map) return;
        const engine::CellRange range = grid_.range_of(*on_map);
        for (std::uint32_t row = range.first_row; row <= range.last_row; ++row) {
            for (std::uint32_t column = range.first_column; column <= range.last_column; ++column) {
                const std::uint32_t cell = grid_.cell_at(column, row);
                if (range.is_inside(column, row)) {
                    cells_.append_all(cell, out);
                } else {
                    cells_.append_inside(cell, *on_map, out);
                }
            }
        }
    }
    void walk(const std::function<void(engine::Slot, engine::Position)>& visit) const override {
        for (std::uint32_t cell = 0; cell < grid_.size(); ++cell) {
            cells_.for_each(cell, visit);
        }
    }
    [[nodiscard]] std::size_t size() const override { return size_; }

private:
    const engine::GridCells grid_;
    Cells cells_;
    std::size_t size_ = 0;
};

}  // namespace

std::unique_ptr<engine::Index> make_ordered_cells(const engine::GridOptions& options) {
    return std::make_unique<OneWayGrid<OrderedCells>>(options);
}

std::unique_ptr<engine::Index> make_unordered_cells(const engine::GridOptions& options) {
    return std::make_unique<OneWayGrid<UnorderedCells>>(options);
}

}  // namespace marchland::bench
