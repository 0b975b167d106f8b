// Packed cells hold everybody once, where it stands; a scan of them against integers.

#include "engine/packed_cells.h"

#include "engine/geometry.h"
#include "engine/scan.h"
#include "tests/engine/between.h"
#include "tests/engine/property.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <vector>

namespace marchland::engine::testing {
namespace {

using Slots = std::set<Slot>;

struct Standing {
    Position at;
    LayerMask layers = kNoLayers;
    Entity watcher;  ///< its view and the layers it sees
};

/// Entities in packed cells, and beside them as they are.
class Crowd {
public:
    Crowd() : edge_mm_(between(0, 2) == 0 ? 1 << 21 : between(1, 60)), corner_(any_corner()) {
        cells_.reset(edge_mm_);
        for (int steps = between(0, 200); steps > 0; --steps) {
            between(0, 4) == 0 ? take_away() : put();
        }
        put();
    }

    [[nodiscard]] Position any_place() const {
        const auto span =
            static_cast<std::int32_t>(std::min<std::int64_t>(std::int64_t{6} * edge_mm_, 1 << 24));
        const auto coordinate = [&] { return corner_ + (corner_ > 0 ? -1 : 1) * between(0, span); };
        return {coordinate(), coordinate(), 0};
    }

    void put() {
        const Slot slot{between<std::uint32_t>(0, 120)};
        Standing& one = standing_[slot];
        one.at = any_place();
        one.layers = between<LayerMask>(0, 4);
        const std::int32_t radius_mm = between(0, edge_mm_ + 1);
        one.watcher.view = View::circle(radius_mm, between(radius_mm, edge_mm_ + 1));
        one.watcher.layers_seen = between<LayerMask>(0, 4);
        cells_.put(slot, one.at, one.layers, sight_of(one.watcher, Dimensions::two));
    }

    void take_away() {
        const Slot slot{between<std::uint32_t>(0, 120)};
        cells_.take_away(slot);
        standing_.erase(slot);
    }

    [[nodiscard]] Slot anybody() const {
        auto at = standing_.begin();
        std::advance(at, between<std::ptrdiff_t>(0, std::ssize(standing_)));
        return at->first;
    }

    [[nodiscard]] Rows::Row step_of(Slot slot) const {
        const Position from = standing_.at(slot).at;
        const Position to = any_place();
        Rows::Row row;
        row.x = to.x;
        row.y = to.y;
        row.x_before = from.x;
        row.y_before = from.y;
        return row;
    }

    [[nodiscard]] Slots beside(const Rows::Row& row) const {
        const Cell from = cell_of(row.x_before, row.y_before, edge_mm_);
        const Cell to = cell_of(row.x, row.y, edge_mm_);
        Slots slots;
        for (const auto& [slot, one] : standing_) {
            const Cell cell = cell_of(one.at.x, one.at.y, edge_mm_);
            if (cell.is_beside(from) || cell.is_beside(to)) {
                slots.insert(slot);
            }
        }
        return slots;
    }

    [[nodiscard]] const std::map<Slot, Standing>& standing() const { return standing_; }
    [[nodiscard]] PackedCells& cells() { return cells_; }

private:
    static std::int32_t any_corner() {
        using Limits = std::numeric_limits<std::int32_t>;
        switch (between(0, 4)) {
            case 0:
                return Limits::max();
            case 1:
                return Limits::min();
            default:
                return between(-200, 200);
        }
    }

    std::int32_t edge_mm_;
    std::int32_t corner_;
    PackedCells cells_;
    std::map<Slot, Standing> standing_;
};

/// But for who sees nothing and is in no layer: as what is past a cell's size, it is never found.
std::multiset<Slot> listed(std::span<const PackedCells::Piece> pieces) {
    std::multiset<Slot> slots;
    for (const PackedCells::Piece& piece : pieces) {
        for (const PackedCells::Block& block : piece.blocks) {
            for (std::size_t lane = 0; lane < PackedCells::kLanes; ++lane) {
                if (block.layers[lane] != kNoLayers || block.layers_seen[lane] != kNoLayers) {
                    slots.insert(Slot{block.slots[lane]});
                }
            }
        }
    }
    return slots;
}

TEST(PackedCells, ListEveryoneAroundOnce) {
    check_property([] {
        Crowd crowd;
        const Slot mover = crowd.anybody();
        const Rows::Row row = crowd.step_of(mover);
        std::multiset<Slot> expected;
        for (const Slot slot : crowd.beside(row)) {
            const Standing& one = crowd.standing().at(slot);
            if (one.layers != kNoLayers || one.watcher.layers_seen != kNoLayers) {
                expected.insert(slot);
            }
        }
        std::vector<PackedCells::Piece> pieces;
        crowd.cells().list_around(mover, row, pieces);
        RC_ASSERT(listed(pieces) == expected);
    });
}

/// How one that stands still is to one that moves.
struct Between {
    Position from;
    Position to;
    Position at;

    [[nodiscard]] bool is_within_both(std::int32_t radius_mm) const {
        return is_within(from, at, radius_mm, Dimensions::two) &&
               is_within(to, at, radius_mm, Dimensions::two);
    }
    [[nodiscard]] bool is_within_either(std::int32_t radius_mm) const {
        return is_within(from, at, radius_mm, Dimensions::two) ||
               is_within(to, at, radius_mm, Dimensions::two);
    }
};

Slots set_of(const std::vector<Slot>& slots, std::size_t count) {
    return {slots.begin(), slots.begin() + static_cast<std::ptrdiff_t>(count)};
}

void expect_exact(const Crowd& crowd, Slot mover, const Rows::Row& row, const Met& met) {
    const Slots seers = set_of(met.seers, met.seer_count);
    const Slots unsure_seers = set_of(met.unsure_seers, met.unsure_seer_count);
    const Slots unsure_seen = set_of(met.unsure_seen, met.unsure_seen_count);
    RC_ASSERT(seers.size() == met.seer_count);
    RC_ASSERT(!seers.contains(mover) && !unsure_seers.contains(mover) &&
              !unsure_seen.contains(mover));
    const Standing& own = crowd.standing().at(mover);
    for (const auto& [slot, one] : crowd.standing()) {
        const Between between{{row.x_before, row.y_before, 0}, {row.x, row.y, 0}, one.at};
        const View& view = one.watcher.view;
        const bool is_other = slot != mover;
        const bool sees = is_other && (one.watcher.layers_seen & own.layers) != 0;
        if (seers.contains(slot)) {
            RC_ASSERT(sees && between.is_within_both(view.radius_mm));
        } else if (sees && !unsure_seers.contains(slot)) {
            RC_ASSERT(!between.is_within_either(view.leave_radius_mm));
        }
        const bool is_seen = is_other && (own.watcher.layers_seen & one.layers) != 0;
        if (is_seen && !unsure_seen.contains(slot)) {
            RC_ASSERT(between.is_within_both(own.watcher.view.radius_mm) ||
                      !between.is_within_either(own.watcher.view.leave_radius_mm));
        }
    }
}

TEST(PackedCells, AreScannedAsIntegersSayWhateverTheInstructions) {
    check_property([] {
        Crowd crowd;
        const Slot mover = crowd.anybody();
        const Standing& own = crowd.standing().at(mover);
        const Rows::Row row = crowd.step_of(mover);
        std::vector<PackedCells::Piece> pieces;
        crowd.cells().list_around(mover, row, pieces);
        for (const char* const target : {"", "AVX3", "AVX2", "SSE4", "EMU128", "SCALAR"}) {
            if (use_scan_target(target)) {
                Met met;
                scan_pieces(pieces,
                            {.self = mover,
                             .layers = own.layers,
                             .sight = sight_of(own.watcher, Dimensions::two)},
                            Dimensions::two, met);
                use_scan_target("");
                expect_exact(crowd, mover, row, met);
            }
        }
    });
}

}  // namespace
}  // namespace marchland::engine::testing
