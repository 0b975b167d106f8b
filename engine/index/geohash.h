#pragma once

#include "engine/index/geohash_frame.h"
#include "engine/index/index.h"
#include "engine/index/slot_positions.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace marchland::engine {

/// Which entities are in this part of the map? Those whose geohash begins like this: entities in the
/// order of their cells' bits (geohash_cell.h), so that each cell of each size is one stretch of it.
///
///        like 'u4pr%'   ... u4pq7 | u4pr0 u4pr2 u4prz | u4ps1 ...
///
/// A rectangle is covered by a few cells, and what stands in those is asked for its position: cells
/// that are neighbours on the map may be far apart in the order, and none is missed.
///
/// Shapes   N entities in one sorted container.
/// Order    Of a cell's entities: by bits, then by slot. Of a rectangle's: none.
/// Cost     insert, erase, move O(log N); query O(log N) for each of at most 16 stretches, and the
///          entities in them: one and a half to some three times the area; load O(n log n) for n, as
///          many inserts. An insert allocates a node, a move does not. 80 bytes an entity or so.
/// Choose   where the same question is also asked of a database or a service that speaks geohashes,
///          or by name ("who is in u4pru?"). As a shard's index a grid does the same for less.
/// Source   Niemeyer, geohash.org (2008); Morton order (1966); the sorted set of Redis' GEO commands.
class Geohash final : public Index {
public:
    explicit Geohash(const Rect& bounds);

    void insert(Slot slot, Position at) override;
    void erase(Slot slot, Position at) override;
    void move(Slot slot, Position from, Position to) override;
    void query(const Rect& area, std::vector<Slot>& out) const override;
    void walk(const std::function<void(Slot, Position)>& visit) const override {
        positions_.for_each(visit);
    }
    [[nodiscard]] std::size_t size() const override { return positions_.size(); }

    /// Appends exactly those in the cell.
    void query_cell(const GeohashCell& cell, std::vector<Slot>& out) const;
    /// The same by text: "u4pr" asks for all that begin so, "" for all. False, and nothing is
    /// appended, when the text is no geohash.
    [[nodiscard]] bool query_prefix(std::string_view prefix, std::vector<Slot>& out) const;

    /// The geohash of an entity that is here, `characters` long (1 to kGeohashTextMax).
    [[nodiscard]] std::string text_of(Slot slot, std::size_t characters) const;

    [[nodiscard]] const GeohashFrame& frame() const { return frame_; }

private:
    struct Entry {
        std::uint64_t bits = 0;
        Slot slot{};

        friend auto operator<=>(const Entry&, const Entry&) = default;
    };

    [[nodiscard]] Entry entry_of(Slot slot, Position at) const {
        return {frame_.cell_of(at).bits, slot};
    }
    template <typename Visit>
    void for_each_in(std::uint64_t first_bits, std::uint64_t last_bits, Visit&& visit) const;

    SlotPositions positions_;
    const GeohashFrame frame_;
    std::set<Entry> entries_;
};

}  // namespace marchland::engine
