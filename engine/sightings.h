#pragma once

#include "engine/ids.h"
#include "engine/visible_set.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
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
/// Cost     add and forget O(1), and now and then O(known); find O(kChangesMax + log known). Allocates
///          where more are known than ever, or more go in one frame.
class Sightings {
public:
    /// All of them, to be read and rewritten; what the caller leaves behind is in strictly ascending
    /// id. add() makes it move, forget() does not.
    std::vector<Sighting>& all();

    [[nodiscard]] std::size_t size() const {
        return base_.size() + added_ - (changes_.size() - added_);
    }

    /// Asks memory for what forget() and add() write: before each forget(), and before the first that add() is
    /// given. Where one more fits among the changes, or none, also for what will be sorted in; where
    /// there are more already, that was asked for.
    [[gnu::always_inline]] void prefetch() const {
        __builtin_prefetch(changes_.data() + changes_.size());
        const std::size_t max = changes_max();
        if (changes_.size() + 1 == max || changes_.size() == max) [[unlikely]] {
            prefetch_lines(changes_);
            prefetch_lines(base_);
        }
    }

    /// Null when this id is not known. `guess`: at about which place it is; a good guess looks at one
    /// line of memory instead of many. Its held_ticks are of no meaning: ask all().
    Sighting* find(EntityId id, std::size_t guess);

    /// `id` is known.
    void forget(EntityId id);
    /// In strictly ascending id, none of them known.
    void add(std::span<const Sighting> entered);

private:
    /// How many may wait: a quarter of what is known, within these limits.
    static constexpr std::size_t kChangesMin = 16;
    static constexpr std::size_t kChangesMax = 176;
    /// Beyond these, for those that go before anything is added.
    static constexpr std::size_t kRoomToGo = 8;
    /// In place of a slot: the id is gone.
    static constexpr Slot kGone{std::numeric_limits<std::uint32_t>::max()};

    /// What is behind, the machine asks for itself.
    static constexpr std::size_t kPrefetchedBytesMax = 1'024;

    [[nodiscard]] std::size_t changes_max() const {
        return std::clamp(base_.size() / 4, kChangesMin, kChangesMax);
    }
    [[gnu::always_inline]] static void prefetch_lines(const std::vector<Sighting>& sightings) {
        constexpr std::size_t kLine = 64;
        const std::size_t bytes = sightings.size() * sizeof(Sighting);
        for (std::size_t at = 0; at < std::min(bytes, kPrefetchedBytesMax); at += kLine) {
            __builtin_prefetch(reinterpret_cast<const char*>(sightings.data()) + at);
        }
    }
    void note(EntityId id, Tick birth, Slot slot);
    void fold();
    void drop_changed();

    std::vector<Sighting> base_;
    /// In place of held_ticks, which nobody has who came just now, each has its place in this list.
    std::vector<Sighting> changes_;
    std::size_t added_ = 0;  ///< of changes_; the others are gone
};

}  // namespace marchland::engine
