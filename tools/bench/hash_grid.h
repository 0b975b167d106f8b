#pragma once

#include "engine/geometry.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace marchland::bench {

/// The neighbour search that most projects write themselves: a hash table of square cells with the
/// radius as their edge, each an unordered array, and a query over 3 x 3 of them. Flat.
///
/// Tuned as one would in an afternoon: positions stand in the cells, so a query reads memory in a
/// row; a move inside a cell touches nothing else; leaving one is a swap with its last entry.
///
/// Cost  move O(1), query O(entities in 9 cells).
class HashGrid {
public:
    HashGrid(std::int32_t radius_mm, std::span<const engine::Position> at);

    void move(std::uint32_t entity, engine::Position to);

    /// Everyone within the radius of `entity`, itself left out, in ascending order, in place of what
    /// `found` held.
    void query(std::uint32_t entity, std::vector<std::uint32_t>& found) const;

    [[nodiscard]] engine::Position position_of(std::uint32_t entity) const {
        const Place& place = places_[entity];
        const Entry& entry = (*place.cell)[place.index];
        return {entry.x, entry.y, 0};
    }

private:
    struct Entry {
        std::int32_t x = 0;
        std::int32_t y = 0;
        std::uint32_t entity = 0;
    };
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

    [[nodiscard]] std::uint64_t key_at(std::int32_t x, std::int32_t y) const;
    void add(std::uint32_t entity, engine::Position at);
    void remove(const Place& place);

    const std::int32_t radius_mm_;
    std::unordered_map<std::uint64_t, Cell, Hash> cells_;
    std::vector<Place> places_;  ///< by entity
};

}  // namespace marchland::bench
