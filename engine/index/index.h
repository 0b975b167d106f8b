#pragma once

#include "engine/entity_store.h"
#include "engine/geometry.h"
#include "engine/ids.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace marchland::engine {

/// Which entities are in this part of the map? One interface, several answers (see the classes that
/// derive from it); a zone's configuration names the one it uses.
///
/// Shapes   Entities are slots with a position each; slots are dense small numbers.
/// Units    Millimetres. z is kept by the caller: an index is asked about the plane, and a zone of
///          three dimensions filters what it gets.
/// Threads  One at a time for writes; queries may run side by side while nobody writes.
/// Order    None promised. Whoever shows results to a client sorts them by id first.
/// Errors   None. Inserting a slot twice, moving one that is not there, a `from` that is not where
///          the slot is, or a position outside the bounds is a broken promise and asserts.
class Index {
public:
    Index() = default;
    Index(const Index&) = delete;
    Index& operator=(const Index&) = delete;
    virtual ~Index() = default;

    virtual void insert(Slot slot, Position at) = 0;
    virtual void erase(Slot slot, Position at) = 0;
    virtual void move(Slot slot, Position from, Position to) = 0;

    /// Appends exactly the slots inside `area` (both ends inclusive), each once.
    virtual void query(const Rect& area, std::vector<Slot>& out) const = 0;

    /// Calls `visit` for every slot, each once.
    virtual void walk(const std::function<void(Slot, Position)>& visit) const = 0;

    [[nodiscard]] virtual std::size_t size() const = 0;

    /// True: watchers are served cell by cell (InterestCells), and this is asked only about areas.
    /// Else each watcher's candidates are a query of this.
    [[nodiscard]] virtual bool serves_cells() const { return false; }
};

/// The k entities nearest to a point, out of any index: squares around the point, each twice as
/// wide as the one before, until the k-th of those found is as near as the square's edge. What is
/// outside a square is farther away than its edge, so nothing nearer can be missing.
///
///        +-----------+
///        |   +---+   |     k = 2: the small square holds a alone; the large one a, b, c, of which
///        | c | p a   |     a and b are within the circle that fits into it.
///        |   +---+ b |
///        +-----------+
///
/// Order    By distance, then by id: the answer does not depend on the index.
/// Cost     A query for each doubling from 64 mm up (27 for the whole int32 plane), the last of
///          which finds about 16 times what was asked for at most, where density is even;
///          O(found log k).
/// Threads  One at a time: the candidates are kept from search to search, so that none allocates.
class NearestSearch {
public:
    /// Replaces `out` by the ids of the `count` nearest to `from` that are in one of `layers`, or
    /// of all there are.
    void find(const EntityStore& entities, const Index& index, Dimensions dimensions, Position from,
              std::size_t count, LayerMask layers, std::vector<EntityId>& out);

private:
    struct Candidate {
        SquaredDistance distance;
        EntityId id{};

        friend auto operator<=>(const Candidate&, const Candidate&) = default;
    };

    std::vector<Slot> found_;
    std::vector<Candidate> candidates_;
};

/// What any of the indexes may want to know; each takes what concerns it. docs/indexes.md compares
/// them.
struct IndexOptions {
    Rect bounds;  ///< the world; positions outside are a broken promise
    /// grid_cross_list, grid, tower: wanted edge of a cell, about the usual view radius. It grows
    /// until there are no more than `cells_max`, columns * rows.
    std::int32_t cell_mm = 50'000;
    std::size_t cells_max = 1U << 20U;
    Dimensions dimensions = Dimensions::two;  ///< cross_list: a list for z, too
    /// quadtree: a node with more splits. Lower: fewer candidates beside a query's rim, more nodes.
    /// From 1.
    std::uint32_t quadtree_node_capacity = 10;
    /// quadtree: levels below the root, to Quadtree::kDepthMax. A node there never splits: this is
    /// what bounds the tree where everybody stands at one point.
    std::uint32_t quadtree_depth_max = 5;
    /// quadtree: nodes reach over their edges by half their size, so that what stands on an edge
    /// goes as deep as its size allows. For objects with extents; for points it only widens
    /// queries.
    bool quadtree_is_loose = false;
};

/// The names that make_index knows, the default first.
std::span<const std::string_view> index_names();

/// Null when there is no index of that name.
std::unique_ptr<Index> make_index(std::string_view name, const IndexOptions& options);

}  // namespace marchland::engine
