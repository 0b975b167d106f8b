#pragma once

#include "engine/ids.h"
#include "engine/visible_set.h"

#include <algorithm>
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

    /// Asks memory for what forget() and add() write; and where few more fit among the changes, for what will
    /// be sorted in.
    [[gnu::always_inline]] void prefetch() const {
        __builtin_prefetch(changes_.data() + changes_.size());
        if (changes_.size() + 1 >= changes_max()) [[unlikely]] {
            prefetch_lines(changes_.data(), changes_.size() * sizeof(Change));
            prefetch_lines(base_.data(), base_.size() * sizeof(Sighting));
        }
    }

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

    static constexpr std::size_t kPrefetchedBytesMax = 1'024;  ///< the machine goes on

    struct Change {
        Sighting sighting;  ///< its id alone, if it is gone
        bool is_gone = false;
        std::uint32_t number = 0;  ///< its place in changes_
    };

    [[nodiscard]] std::size_t changes_max() const {
        return std::clamp(base_.size() / 4, kChangesMin, kChangesMax);
    }
    [[gnu::always_inline]] static void prefetch_lines(const void* from, std::size_t bytes) {
        constexpr std::size_t kLine = 64;
        for (std::size_t at = 0; at < std::min(bytes, kPrefetchedBytesMax); at += kLine) {
            __builtin_prefetch(static_cast<const char*>(from) + at);
        }
    }
    void note(const Sighting& sighting, bool is_gone);
    void fold();
    void drop_changed();

    std::vector<Sighting> base_;
    std::vector<Change> changes_;
    std::size_t added_ = 0;  ///< of changes_; the others are gone
};

}  // namespace marchland::engine
