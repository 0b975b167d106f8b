#pragma once

#include "engine/ids.h"
#include "engine/visible_set.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace marchland::engine {

/// One that a watcher knows, and where it stood last.
struct Sighting {
    Known known;
    Slot slot{};  ///< may be stale: ask EntityStore::holds
    /// While a move is held back: for how many ticks, up to the watcher's last frame, it has known an
    /// older place. 0: nothing is held back.
    std::uint32_t held_ticks = 0;
};

/// All that a watcher knows, in ascending id. In a crowd that is a thousand, of which a few come and
/// go in a tick, and none of it is in the cache: so what comes and what goes waits in short lists,
/// until there is enough of either to be worth a go through everything.
///
///    known = base - gone + fresh      base    1  4  9  12  20  ...
///                                     fresh   5  11
///                                     gone    9
///
/// Invariants
///  1. base_ and fresh_ are each in strictly ascending id; an id that is in both is in gone_.
///  2. gone_ holds ids of base_, each once.
///
/// Cost     add and forget O(kWaitingMax), and now and then O(known); find O(log known).
class Sightings {
public:
    /// All of them, to be read and rewritten; what the caller leaves behind is in strictly ascending
    /// id. add() makes it move, forget() does not.
    std::vector<Sighting>& all();

    [[nodiscard]] std::size_t size() const { return base_.size() + fresh_.size() - gone_.size(); }

    /// Null when this id is not known. `guess`: at about which place it is; a good guess looks at one
    /// line of memory instead of many.
    Sighting* find(EntityId id, std::size_t guess);

    /// `id` is known.
    void forget(EntityId id);
    /// In strictly ascending id, none of them known.
    void add(std::span<const Sighting> entered);

private:
    /// How many may wait: a quarter of what is known, within these limits.
    static constexpr std::size_t kWaitingMin = 8;
    static constexpr std::size_t kWaitingMax = 128;

    void merge(std::span<const Sighting> entered);

    std::vector<Sighting> base_;
    std::vector<Sighting> fresh_;
    std::vector<EntityId> gone_;
};

}  // namespace marchland::engine
