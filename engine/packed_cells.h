#pragma once

#include "engine/cell.h"
#include "engine/ids.h"
#include "engine/rows.h"
#include "engine/sights.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <span>
#include <unordered_map>
#include <vector>

namespace marchland::engine {

/// Where everybody stands and how far each sees, packed cell by cell: all that one move alone has to be
/// held against is in a few lines of memory for each of nine cells, where Rows and sights are two lines
/// for each entity. Nothing is in order, so whoever crosses from cell to cell changes two of them.
///
///    cell    size 11, its neighbours' numbers
///    blocks  [ slots x y ... ] 8 entries    [ slots x y ... ] 3 entries, and 5 that nobody sees
///
/// Made only while few entities move in a tick: a tick of everybody does not look here (see Sweep).
///
/// Invariants
///  1. Whoever was put and not taken away since is in one entry, of the cell in which it stands.
///  2. Entries past a cell's size see nothing and are in no layer.
///  3. Cells that are beside each other know each other's number.
///
/// Memory   About 400 bytes a cell in which somebody is or was, and 256 for each 8 entities more.
/// Cost     put and take_away O(1), and nine hashed look-ups for a cell where nobody has been yet.
/// Threads  One at a time.
class PackedCells {
public:
    /// As many entries as half of the widest SIMD register has lanes: at twenty in view a cell has six.
    static constexpr std::size_t kLanes = 8;

    /// So many entities side by side: four cache lines.
    struct alignas(64) Block {
        std::array<std::uint32_t, kLanes> slots;
        std::array<float, kLanes> x;  ///< from the cell's corner; Columns::kNowhere: see Lens::fits
        std::array<float, kLanes> y;
        std::array<std::int32_t, kLanes> z;
        std::array<LayerMask, kLanes> layers;
        std::array<LayerMask, kLanes> layers_seen;
        std::array<float, kLanes> enter_max;
        std::array<float, kLanes> leave_min;
    };

    /// Blocks of one cell, and where somebody is and was, from that cell's corner.
    struct Piece {
        std::span<const Block> blocks;
        float x = 0;
        float y = 0;
        float x_before = 0;
        float y_before = 0;
    };

    /// Forgets everything, and cuts the plane anew.
    void reset(std::int32_t edge_mm);
    /// It stands there, in these layers, and sees so far.
    void put(Slot slot, Position at, LayerMask layers, const Sight& sight);
    /// If it is here.
    void take_away(Slot slot);
    /// If it is here.
    void set_sight(Slot slot, const Sight& sight);

    /// All that is in the cells around where this one is and was: each cell once. It was put where it was.
    /// `out` is valid until the next change.
    void list_around(Slot slot, const Rows::Row& row, std::vector<Piece>& out);
    /// In which cell it was put.
    [[nodiscard]] Cell cell_around(Slot slot) const {
        return cells_[homes_[to_number(slot)].cell].at;
    }

    /// There are so many cells where nobody is any more that it is time to start anew.
    [[nodiscard]] bool is_overgrown() const { return cells_.size() > 2 * size_ + kSpareCells; }

private:
    using Number = std::uint32_t;
    static constexpr Number kNone = std::numeric_limits<Number>::max();
    static constexpr std::size_t kSpareCells = 64;
    struct PackedCell {
        PackedCell(Cell cell, std::pmr::memory_resource* memory) : at(cell), more(memory) {
            beside.fill(kNone);
        }

        Cell at;
        std::uint32_t size = 0;
        /// And itself, by rows of three from below; kNone: nobody has been there.
        std::array<Number, 9> beside;
        std::pmr::vector<Block> more;  ///< behind the first one
    };
    struct Home {
        Number cell = kNone;
        std::uint32_t entry = 0;
    };
    [[nodiscard]] Number number_of(Cell at);
    [[nodiscard]] Number make(Cell at);
    [[nodiscard]] Block& block_of(const Home& home);
    [[nodiscard]] Home add_entry(Number cell, Slot slot);
    void remove_entry(const Home& home);
    /// Without those that are beside `listed`, if there is one.
    void list_beside(Number middle, const Cell* listed, const Rows::Row& row,
                     std::vector<Piece>& out) const;
    [[nodiscard]] bool contains(Slot slot) const {
        return to_number(slot) < homes_.size() && homes_[to_number(slot)].cell != kNone;
    }

    std::int32_t edge_mm_ = 1;
    std::pmr::unsynchronized_pool_resource memory_;
    std::pmr::unordered_map<Cell, Number, CellHash> numbers_{&memory_};
    std::vector<PackedCell> cells_;
    std::vector<Block> firsts_;  ///< beside cells_: the first block of each
    std::vector<Home> homes_;    ///< by slot
    std::size_t size_ = 0;       ///< entities
};

}  // namespace marchland::engine
