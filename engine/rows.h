#pragma once

#include "engine/entity.h"
#include "engine/geometry.h"
#include "engine/ids.h"

#include <cstdint>
#include <span>
#include <vector>

namespace marchland::engine {

/// Where every entity of a Space is and was when the tick began: the little of a record that the
/// scan of many entities reads, apart from the rest so that it stays in the cache.
///
/// A row is *plain* when two comparisons tell all about it: its entity was here when the last tick
/// ended, in the same layers, at (x_before, y_before) and its height then, and has moved if and only if
/// the two places differ. Whatever else happened to an entity (it came, changed its layers, moved up or down only
/// in a flat zone, jumped far, moved by news that came late) makes its row *unsettled* for this tick: then the record and what
/// the watcher knows are asked. A *beacon* that is plain otherwise is settled by its places and its range.
///
/// Shapes   By slot, beside the EntityStore; rows of free slots hold nothing.
/// Cost     O(1) each; begin_tick O(rows that changed in the tick before).
class Rows {
public:
    /// A row that jumped further than this is unsettled, so that differences stay small.
    static constexpr std::int64_t kStepMaxMm = 1 << 22;

    static constexpr std::uint32_t kUnsettled = 1;
    /// Only its state changed, or it told something: others are to settle it, and it goes on as usual.
    static constexpr std::uint32_t kHasNews = 2;
    /// It has a notification range: stays so from tick to tick.
    static constexpr std::uint32_t kIsBeacon = 4;

    /// Eight words of four bytes, in two halves, of which Columns reads each whole: so their order counts.
    struct alignas(32) Row {
        std::int32_t x = 0;
        std::int32_t y = 0;
        std::int32_t x_before = 0;
        std::int32_t y_before = 0;
        LayerMask layers = kNoLayers;
        LayerMask layers_if_moved = kNoLayers;  ///< layers, or none: it is where it was
        std::uint32_t is_unsettled = 0;         ///< of kUnsettled, kHasNews and kIsBeacon
        std::uint32_t is_changed = 0;           ///< listed in changed()

        // Whatever the height.
        [[nodiscard]] Position flat_place() const { return {x, y, 0}; }
        [[nodiscard]] Position flat_place_before() const { return {x_before, y_before, 0}; }
    };

    /// Beside a row, in a zone of three dimensions.
    struct Height {
        std::int32_t z = 0;
        std::int32_t z_before = 0;
    };

    explicit Rows(Dimensions dimensions) : has_heights_(dimensions == Dimensions::three) {}

    /// What moved is where it moved to, what was unsettled is plain.
    void begin_tick();

    void insert(Slot slot, const Entity& entity);
    void move(Slot slot, Position to) {
        Row& row = rows_[to_number(slot)];
        row.x = to.x;
        row.y = to.y;
        bool has_moved = to.x != row.x_before || to.y != row.y_before;
        if (has_heights_) {
            Height& height = heights_[to_number(slot)];
            height.z = to.z;
            has_moved = has_moved || to.z != height.z_before;
        }
        row.layers_if_moved = has_moved ? row.layers : kNoLayers;
        if (is_far(row.x_before, to.x) || is_far(row.y_before, to.y)) {
            row.is_unsettled |= kUnsettled;
        }
        note(row, slot);
    }
    void set_layers(Slot slot, LayerMask layers);
    void set_beacon(Slot slot, bool is_beacon);
    /// For this tick, two comparisons do not tell all about the entity.
    void settle_later(Slot slot, std::uint32_t why = kUnsettled);

    [[nodiscard]] const Row& at(Slot slot) const { return rows_[to_number(slot)]; }
    [[nodiscard]] std::span<const Row> by_slot() const { return rows_; }
    /// None in a flat zone.
    [[nodiscard]] std::span<const Height> heights() const { return heights_; }
    /// Where it is and was, as far as the zone looks: in a flat one at no height.
    [[nodiscard]] Position place_of(Slot slot) const {
        const Row& row = at(slot);
        return {row.x, row.y, has_heights_ ? heights_[to_number(slot)].z : 0};
    }
    [[nodiscard]] Position place_before(Slot slot) const {
        const Row& row = at(slot);
        return {row.x_before, row.y_before, has_heights_ ? heights_[to_number(slot)].z_before : 0};
    }
    [[nodiscard]] bool has_moved(Slot slot) const { return place_of(slot) != place_before(slot); }
    /// The slots whose rows were written since the tick began, each once; some may be free by now.
    [[nodiscard]] const std::vector<Slot>& changed() const { return changed_; }

private:
    static bool is_far(std::int32_t from, std::int32_t to) {
        const std::int64_t step_mm = std::int64_t{to} - from;
        return step_mm > kStepMaxMm || step_mm < -kStepMaxMm;
    }
    void note(Row& row, Slot slot) {
        if (row.is_changed == 0) {
            row.is_changed = 1;
            changed_.push_back(slot);
        }
    }

    const bool has_heights_;
    std::vector<Row> rows_;
    std::vector<Height> heights_;  ///< as long as rows_, or empty
    std::vector<Slot> changed_;
};

}  // namespace marchland::engine
