#pragma once

#include "engine/geometry.h"
#include "tools/bench/workload.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <unordered_map>
#include <vector>

namespace marchland::bench {

/// The neighbour search that most projects write themselves: a hash table of square cells with the
/// radius as their edge, each an unordered array, and a look at 3 x 3 of them. Flat.
///
/// Tuned as one would in an afternoon: positions and layers stand in the cells, so a look around
/// reads memory in a row; a move inside a cell touches nothing else; leaving one is a swap with its
/// last entry.
///
/// Cost  move O(1), visit_around O(entities in 9 cells).
class HashGrid {
public:
    struct Entry {
        std::int32_t x = 0;
        std::int32_t y = 0;
        std::uint32_t entity = 0;
        std::uint32_t layers = 0;
    };

    /// `edge_mm` is the largest radius that anybody asks for.
    HashGrid(std::int32_t edge_mm, std::span<const engine::Position> at,
             std::span<const Senses> senses);

    void move(std::uint32_t entity, engine::Position to);

    /// Calls `visit(Entry)` for all in the cell of `at` and the eight around it.
    template <typename Visit>
    void visit_around(engine::Position at, Visit&& visit) const {
        const std::int32_t column = cell_along(at.x);
        const std::int32_t row = cell_along(at.y);
        for (std::int32_t r = row - 1; r <= row + 1; ++r) {
            for (std::int32_t c = column - 1; c <= column + 1; ++c) {
                const auto cell = cells_.find(key_of(c, r));
                if (cell == cells_.end()) continue;
                for (const Entry& entry : cell->second) {
                    visit(entry);
                }
            }
        }
    }

    /// Is `other` within what visit_around(at) visits?
    [[nodiscard]] bool is_around(engine::Position at, engine::Position other) const {
        return std::abs(cell_along(at.x) - cell_along(other.x)) <= 1 &&
               std::abs(cell_along(at.y) - cell_along(other.y)) <= 1;
    }

    [[nodiscard]] engine::Position position_of(std::uint32_t entity) const {
        const Place& place = places_[entity];
        const Entry& entry = (*place.cell)[place.index];
        return {entry.x, entry.y, 0};
    }

private:
    using Cell = std::vector<Entry>;

    /// Cell coordinates, mixed: std::hash of a number is that number, and neighbours would collide.
    struct Hash {
        std::size_t operator()(std::uint64_t key) const {
            key *= 0x9e3779b97f4a7c15U;
            return static_cast<std::size_t>(key ^ (key >> 32U));
        }
    };
    struct Place {
        Cell* cell = nullptr;  ///< stays valid: a map of nodes never moves them
        std::uint64_t key = 0;
        std::size_t index = 0;
    };

    /// Rounds down, so that the cell at 0 is no wider than the others.
    [[nodiscard]] std::int32_t cell_along(std::int32_t at_mm) const {
        const std::int32_t cell = at_mm / edge_mm_;
        return at_mm % edge_mm_ < 0 ? cell - 1 : cell;
    }
    static std::uint64_t key_of(std::int32_t column, std::int32_t row) {
        return (std::uint64_t{static_cast<std::uint32_t>(column)} << 32U) |
               static_cast<std::uint32_t>(row);
    }
    [[nodiscard]] std::uint64_t key_at(std::int32_t x, std::int32_t y) const {
        return key_of(cell_along(x), cell_along(y));
    }
    void add(const Entry& entry);
    void remove(const Place& place);

    const std::int32_t edge_mm_;
    std::unordered_map<std::uint64_t, Cell, Hash> cells_;
    std::vector<Place> places_;  ///< by entity
};

}  // namespace marchland::bench
