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
/// go in a tick, and none of it is in the cache: so who comes and who goes is written at the end of a
/// short list, until there is enough of that to be worth a go through everything.
///
///    known = base, then what changed      base    1  4  9  12  20  ...
///                                         changes +5  -9  +11  -5
///
/// Invariants
///  1. base_ is in strictly ascending id.
///  2. One after another, changes_ add ids that are not known and take away ids that are.
///
/// Cost     add and forget O(1), and now and then O(known); find O(kChangesMax + log known).
class Sightings {
public:
    /// All of them, to be read and rewritten; what the caller leaves behind is in strictly ascending
    /// id. add() makes it move, forget() does not.
    std::vector<Sighting>& all();

    [[nodiscard]] std::size_t size() const {
        return base_.size() + added_ - (changes_.size() - added_);
    }

    /// Asks memory for what forget() and add() write.
    void prefetch() const { __builtin_prefetch(changes_.data() + changes_.size()); }

    /// Null when this id is not known. `guess`: at about which place it is; a good guess looks at one
    /// line of memory instead of many.
    Sighting* find(EntityId id, std::size_t guess);

    /// `id` is known.
    void forget(EntityId id);
    /// In strictly ascending id, none of them known.
    void add(std::span<const Sighting> entered);

private:
    /// How many may wait: a quarter of what is known, within these limits.
    static constexpr std::size_t kChangesMin = 8;
    static constexpr std::size_t kChangesMax = 128;

    struct Change {
        Sighting sighting;  ///< its id alone, if it is gone
        bool is_gone = false;
        std::uint32_t number = 0;  ///< its place in changes_
    };

    void note(const Sighting& sighting, bool is_gone);
    void fold();
    void drop_changed();

    std::vector<Sighting> base_;
    std::vector<Change> changes_;
    std::size_t added_ = 0;  ///< of changes_; the others are gone
};

}  // namespace marchland::engine
