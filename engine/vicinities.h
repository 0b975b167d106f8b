#pragma once

#include "engine/cell.h"
#include "engine/entity_store.h"
#include "engine/ids.h"
#include "engine/rows.h"
#include "engine/scene.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <span>
#include <unordered_map>
#include <vector>

namespace marchland::engine {

/// Who is around each cell where somebody watches, in ascending id, kept from tick to tick: few
/// cross from cell to cell in a tick, so next to nothing is sorted, and frames come out in order.
///
///    . . . . .      A cell's vicinity is itself and the eight around it. The edge of a cell is at
///    . # # # .      least the leave radius of the watchers that look here, so whoever one of them
///    . # o # .      sees or saw last is in its vicinity, or was and is among the departed.
///    . # # # .
///
/// Invariants (after settle)
///  1. The members of a vicinity are exactly the entities whose cell is beside its cell.
///  2. Members are in strictly ascending id.
///  3. departed has every entity that was a member when the last tick ended and is none now; unless
///     built_tick is now: then nobody knows who was.
///
/// Memory   Four bytes a member and vicinity, and 24 for one that departed in this tick; an entity is a member
///          of nine at most. 24 bytes an entity, and about 150 a vicinity, of which there are not many more
///          than entities, wherever they went. Lists come from a pool, so that in the
///          steady state nothing is allocated.
/// Cost     settle O(changed rows + members of the vicinities whose members changed), and now and then a go
///          through all vicinities. around O(1); where it makes one, a query of the index, or a look
///          at the members of those around it, and its members sorted.
class Vicinities {
public:
    using Number = std::uint32_t;

    /// Was a member at the end of the last tick, there; its slot may hold another by now.
    struct Departed {
        EntityId id{};
        std::int32_t x_before = 0;
        std::int32_t y_before = 0;
        bool is_plain = false;  ///< that place says who may have known it
    };
    struct Vicinity {
        Vicinity(Cell at, std::pmr::memory_resource* memory)
            : cell(at), members(memory), departed(memory) {}

        Cell cell;
        std::pmr::vector<Slot> members;
        std::pmr::vector<Departed> departed;
        Tick built_tick = kNever;
        Tick used_tick = kNever;
        Tick active_tick = kNever;  ///< the last in which something changed here, if few_changed()
        bool is_dirty = false;
        bool is_listed = false;  ///< false: the place waits for another cell
    };

    /// Forgets everything, and cuts the plane anew. 1 <= edge_mm <= kEdgeMaxMm.
    void reset(std::int32_t edge_mm, const EntityStore& entities);
    [[nodiscard]] std::int32_t edge_mm() const { return edge_mm_; }
    static constexpr std::int32_t kEdgeMaxMm = 1 << 21;

    /// The cells in which something changed since the last settle, as they were and as they are: each
    /// at least once.
    void list_changed_cells(const EntityStore& entities, const Rows& rows,
                            std::vector<Cell>& out) const;

    /// For strays, who crossed in ticks before this one that were not settled, and of which nobody asks
    /// any more: takes in where they were when this tick began. Before whatever else happens in it.
    void catch_up(std::span<const Slot> strays, const EntityStore& entities, const Rows& rows,
                  Tick last);
    /// Before the slot is free and its row is gone.
    void erase(Slot slot, EntityId id, const Rows& rows);
    /// Takes in what changed since the last call. When most crossed, all vicinities are dropped: to
    /// make them anew where they are wanted costs less.
    void settle(const EntityStore& entities, const Rows& rows, Tick now);
    /// The departed of the last tick are forgotten.
    void begin_tick();

    /// The vicinity of the cell in which this live entity is. If there is none it is made: from the index, or
    /// from those around it where the index is further behind than that costs.
    Number around(Slot slot, const Scene& scene);
    Number around(Cell cell, const Scene& scene);
    [[nodiscard]] const Vicinity& at(Number number) const { return vicinities_[number]; }
    [[nodiscard]] std::size_t size() const { return vicinities_.size(); }
    [[nodiscard]] Rect area_of(Cell cell) const;
    /// All numbers, by rows of cells from left to right, but for a few that came since: who works in
    /// this order finds most of what is around a cell in the cache.
    std::span<const Number> by_rows();

    [[nodiscard]] bool is_member(Slot slot, const Vicinity& vicinity) const {
        const Home& home = homes_[to_number(slot)];
        return home.is_settled && home.cell.is_beside(vicinity.cell);
    }
    /// Is the entity, now here, in the cell in which it was at the last settle?
    [[nodiscard]] bool is_at_home(Slot slot, const Rows::Row& row) const {
        const Home& home = homes_[to_number(slot)];
        return home.is_settled && is_in_cell(row.x, row.y, home.cell, edge_mm_);
    }
    /// Was the entity in another cell at the end of the last tick?
    [[nodiscard]] bool has_crossed(Slot slot, Tick now) const {
        return homes_[to_number(slot)].crossed_tick == now;
    }
    /// True when so few rows changed in this tick that the vicinities where one did are marked.
    [[nodiscard]] bool few_changed() const { return few_changed_; }

private:
    static constexpr Number kNone = std::numeric_limits<Number>::max();
    struct Home {
        Cell cell;
        Number vicinity = kNone;  ///< a guess, to be checked against the cell
        bool is_settled = false;  ///< cell is where the entity was at the last settle
        bool is_new = false;      ///< came since: not yet a member anywhere
        Tick crossed_tick = kNever;
    };
    struct Crossing {
        Slot slot{};
        Cell to;
    };
    struct Arrival {
        Number vicinity = kNone;
        EntityId id{};
        Slot slot{};
    };
    struct Leaver {
        Number vicinity = kNone;
        Slot slot{};
    };
    struct Erased {
        Cell cell;
        Slot slot{};
        Departed departed;
    };

    void drop_all();
    void drop_unused(std::size_t entity_count, Tick now);
    void drop_oldest(std::size_t count);
    void drop(Number number);
    void take_in_crossing(const EntityStore& entities, const Rows& rows, Tick now);
    void cross(const Crossing& crossing, const EntityStore& entities, const Rows& rows, Tick now);
    void join(Number number, Slot slot, const EntityStore& entities);
    void mark_active(Cell cell, Tick now);
    void depart(Number number, Slot slot, const Departed& departed);
    void dirty(Number number);
    void change(Number number, std::span<const Arrival> arrivals, std::span<const Leaver> leavers,
                const EntityStore& entities);
    void merge(Number number, std::span<const Arrival> arrivals, const EntityStore& entities);
    [[nodiscard]] Number find(Cell cell) const;
    [[nodiscard]] Number make(Cell cell, const Scene& scene);
    void fill(Vicinity& vicinity, const Scene& scene);
    [[nodiscard]] bool find_tellers(Cell middle);
    [[nodiscard]] Number teller_of(Cell cell) const;
    [[nodiscard]] std::size_t members_of_tellers() const;
    void find_in_tellers(Cell middle, const EntityStore& entities);
    void find_in_index(Cell middle, const Scene& scene);
    [[nodiscard]] Number find_beside(Cell cell) const;

    std::int32_t edge_mm_ = 1;
    std::pmr::unsynchronized_pool_resource memory_;
    std::pmr::unordered_map<Cell, Number, CellHash> numbers_{&memory_};
    std::vector<Vicinity> vicinities_;
    std::vector<Number> free_;
    std::vector<Number> by_rows_;
    std::size_t misplaced_ = 0;  ///< at most so many of by_rows_
    std::vector<Home> homes_;    ///< by slot
    Tick tidied_tick_ = kNever;
    bool few_changed_ = false;

    // What settle has to do, and its scratch memory.
    std::vector<Erased> erased_;
    std::vector<Crossing> crossing_;
    std::vector<Arrival> arrivals_;
    std::vector<Leaver> leavers_;
    std::vector<Number> dirty_;
    std::vector<Number> with_departed_;
    std::vector<Slot> merged_;
    std::vector<std::pair<EntityId, Slot>> found_;
    std::vector<Number> tellers_;
    std::vector<std::pair<Tick, Number>> by_use_;
};

}  // namespace marchland::engine
