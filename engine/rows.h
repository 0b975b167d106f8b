#pragma once

#include "engine/entity.h"
#include "engine/geometry.h"
#include "engine/ids.h"

#include <cstdint>
#include <vector>

namespace marchland::engine {

/// Where every entity of a Space is and was when the tick began: the little of a record that the
/// scan of many entities reads, apart from the rest so that it stays in the cache.
///
/// A row is *plain* when two comparisons tell all about it: its entity was here when the last tick
/// ended, in the same layers, at (x_before, y_before), and has moved if and only if the two places
/// differ. Whatever else happened to an entity (it came, changed its layers, moved up or down only,
/// moved by news that came late) makes its row *unsettled* for this tick: then the record and what
/// the watcher knows are asked.
///
/// Shapes   By slot, beside the EntityStore; rows of free slots hold nothing.
/// Cost     O(1) each; begin_tick O(rows that changed in the tick before).
class Rows {
public:
    struct Row {
        std::int32_t x = 0;
        std::int32_t y = 0;
        std::int32_t x_before = 0;
        std::int32_t y_before = 0;
        LayerMask layers = kNoLayers;
        bool is_unsettled = false;
        bool is_changed = false;  ///< listed in changed()

        [[nodiscard]] bool has_moved() const { return x != x_before || y != y_before; }
    };

    /// What moved is where it moved to, what was unsettled is plain.
    void begin_tick();

    void insert(Slot slot, const Entity& entity);
    void erase(Slot slot) { settle_later(slot); }
    void move(Slot slot, Position to) {
        Row& row = rows_[to_number(slot)];
        row.x = to.x;
        row.y = to.y;
        note(row, slot);
    }
    void set_layers(Slot slot, LayerMask layers);
    /// For this tick, two comparisons do not tell all about the entity.
    void settle_later(Slot slot);

    [[nodiscard]] const Row& at(Slot slot) const { return rows_[to_number(slot)]; }
    /// The slots whose rows were written since the tick began, each once; some may be free by now.
    [[nodiscard]] const std::vector<Slot>& changed() const { return changed_; }

private:
    void note(Row& row, Slot slot) {
        if (!row.is_changed) {
            row.is_changed = true;
            changed_.push_back(slot);
        }
    }

    std::vector<Row> rows_;
    std::vector<Slot> changed_;
};

}  // namespace marchland::engine
