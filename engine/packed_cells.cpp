#include "engine/packed_cells.h"

#include "engine/assert.h"
#include "engine/columns.h"
#include "engine/lens.h"

#include <algorithm>

namespace marchland::engine {
namespace {

/// The same cell, seen from the other end: as for_each_beside goes.
constexpr std::size_t opposite(std::size_t place) {
    return 8 - place;
}

/// With the place of each among the nine, of which there are fewer where the int32 end.
template <typename Visit>
void for_each_place_beside(Cell cell, Visit&& visit) {
    for_each_beside(cell, [&](Cell beside) {
        const auto column = static_cast<std::size_t>(std::int64_t{beside.column} - cell.column + 1);
        const auto row = static_cast<std::size_t>(std::int64_t{beside.row} - cell.row + 1);
        visit(3 * row + column, beside);
    });
}

float from_corner(std::int32_t at, std::int64_t cell, std::int32_t edge_mm) {
    return static_cast<float>(at - cell * edge_mm);
}

}  // namespace

void PackedCells::reset(std::int32_t edge_mm) {
    edge_mm_ = edge_mm;
    numbers_.clear();
    cells_.clear();
    firsts_.clear();
    std::fill(homes_.begin(), homes_.end(), Home{});
    size_ = 0;
}

void PackedCells::put(Slot slot, Position at, LayerMask layers, const Sight& sight) {
    if (homes_.size() <= to_number(slot)) {
        homes_.resize(2 * std::size_t{to_number(slot)} + 1);
    }
    Home& home = homes_[to_number(slot)];
    if (home.cell == kNone || !is_in_cell(at.x, at.y, cells_[home.cell].at, edge_mm_)) {
        take_away(slot);
        home = add_entry(number_of(cell_of(at.x, at.y, edge_mm_)), slot);
        ++size_;
    }
    const Cell cell = cells_[home.cell].at;
    const bool fits = Lens::fits(at.z);
    const std::size_t lane = home.entry % kLanes;
    Block& block = block_of(home);
    block.x[lane] = fits ? from_corner(at.x, cell.column, edge_mm_) : Columns::kNowhere;
    block.y[lane] = fits ? from_corner(at.y, cell.row, edge_mm_) : Columns::kNowhere;
    block.z[lane] = fits ? at.z : 0;
    block.layers[lane] = layers;
    set_sight(slot, sight);
}

void PackedCells::take_away(Slot slot) {
    if (contains(slot)) {
        Home& home = homes_[to_number(slot)];
        remove_entry(home);
        home = {};
        --size_;
    }
}

void PackedCells::set_sight(Slot slot, const Sight& sight) {
    if (contains(slot)) {
        const Home& home = homes_[to_number(slot)];
        const std::size_t lane = home.entry % kLanes;
        Block& block = block_of(home);
        block.layers_seen[lane] = sight.layers_seen;
        block.enter_max[lane] = sight.enter_max;
        block.leave_min[lane] = sight.leave_min;
    }
}

void PackedCells::list_around(Slot slot, const Rows::Row& row, std::vector<Piece>& out) {
    MARCHLAND_ASSERT(contains(slot));
    out.clear();
    const Number from = homes_[to_number(slot)].cell;
    const bool has_crossed = !is_in_cell(row.x, row.y, cells_[from].at, edge_mm_);
    const Number to = has_crossed ? number_of(cell_of(row.x, row.y, edge_mm_)) : from;
    list_beside(from, nullptr, row, out);
    if (has_crossed) {
        list_beside(to, &cells_[from].at, row, out);
    }
}

void PackedCells::list_beside(Number middle, const Cell* listed, const Rows::Row& row,
                              std::vector<Piece>& out) const {
    // From the corners of three columns and of three rows of cells.
    struct Column {
        float x, x_before;
    };
    struct Line {
        float y, y_before;
    };
    std::array<Column, 3> columns;
    std::array<Line, 3> lines;
    const Cell at = cells_[middle].at;
    for (std::size_t i = 0; i < 3; ++i) {
        const std::int64_t column = std::int64_t{at.column} + static_cast<std::int64_t>(i) - 1;
        const std::int64_t line = std::int64_t{at.row} + static_cast<std::int64_t>(i) - 1;
        columns[i] = {from_corner(row.x, column, edge_mm_),
                      from_corner(row.x_before, column, edge_mm_)};
        lines[i] = {from_corner(row.y, line, edge_mm_), from_corner(row.y_before, line, edge_mm_)};
    }
    for (std::size_t place = 0; place < 9; ++place) {
        const Number number = cells_[middle].beside[place];
        if (number == kNone || (listed != nullptr && cells_[number].at.is_beside(*listed))) {
            continue;
        }
        const Column& column = columns[place % 3];
        const Line& line = lines[place / 3];
        out.push_back({{&firsts_[number], 1}, column.x, line.y, column.x_before, line.y_before});
        if (const PackedCell& cell = cells_[number]; cell.size > kLanes) {
            out.push_back(out.back());
            out.back().blocks = std::span(cell.more).first((cell.size - 1) / kLanes);
        }
    }
}

PackedCells::Number PackedCells::number_of(Cell at) {
    const auto found = numbers_.find(at);
    return found == numbers_.end() ? make(at) : found->second;
}

PackedCells::Number PackedCells::make(Cell at) {
    const auto number = static_cast<Number>(cells_.size());
    numbers_.emplace(at, number);
    firsts_.push_back({});
    cells_.emplace_back(at, &memory_);
    for_each_place_beside(at, [&](std::size_t place, Cell beside) {
        if (const auto found = numbers_.find(beside); found != numbers_.end()) {
            cells_[number].beside[place] = found->second;
            cells_[found->second].beside[opposite(place)] = number;
        }
    });
    return number;
}

PackedCells::Block& PackedCells::block_of(const Home& home) {
    const std::size_t block = home.entry / kLanes;
    return block == 0 ? firsts_[home.cell] : cells_[home.cell].more[block - 1];
}

PackedCells::Home PackedCells::add_entry(Number cell, Slot slot) {
    const Home home{cell, cells_[cell].size++};
    if (home.entry / kLanes > cells_[cell].more.size()) {
        cells_[cell].more.push_back({});
    }
    block_of(home).slots[home.entry % kLanes] = to_number(slot);
    return home;
}

/// The last entry of the cell moves to where it was.
void PackedCells::remove_entry(const Home& home) {
    const Home last{home.cell, --cells_[home.cell].size};
    Block& from = block_of(last);
    const std::size_t from_lane = last.entry % kLanes;
    if (home.entry != last.entry) {
        Block& to = block_of(home);
        const std::size_t to_lane = home.entry % kLanes;
        to.slots[to_lane] = from.slots[from_lane];
        to.x[to_lane] = from.x[from_lane];
        to.y[to_lane] = from.y[from_lane];
        to.z[to_lane] = from.z[from_lane];
        to.layers[to_lane] = from.layers[from_lane];
        to.layers_seen[to_lane] = from.layers_seen[from_lane];
        to.enter_max[to_lane] = from.enter_max[from_lane];
        to.leave_min[to_lane] = from.leave_min[from_lane];
        homes_[to.slots[to_lane]].entry = home.entry;
    }
    from.layers[from_lane] = kNoLayers;
    from.layers_seen[from_lane] = kNoLayers;
}

}  // namespace marchland::engine
