#pragma once

#include "engine/geometry.h"
#include "engine/ids.h"

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace marchland::engine {

/// An entity and where it is, for a bulk load.
struct Placed {
    Slot slot{};
    Position at;
};

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

    /// Inserts all of these, in whatever order they come. Overridden where one by one costs more.
    virtual void load(std::span<const Placed> entities) {
        for (const Placed& entity : entities) {
            insert(entity.slot, entity.at);
        }
    }

    /// Appends exactly the slots inside `area` (both ends inclusive), each once.
    virtual void query(const Rect& area, std::vector<Slot>& out) const = 0;

    /// Calls `visit` for every slot, each once.
    virtual void walk(const std::function<void(Slot, Position)>& visit) const = 0;

    [[nodiscard]] virtual std::size_t size() const = 0;

    /// True: watchers are served cell by cell (InterestCells), and this is asked only about areas. Else each
    /// watcher's candidates are a query of this.
    [[nodiscard]] virtual bool serves_cells() const { return false; }
};

}  // namespace marchland::engine
