#pragma once

#include "engine/ids.h"
#include "engine/visible_set.h"

#include <cstddef>
#include <span>
#include <vector>

namespace marchland::engine {

/// One that a watcher knows, and where it stood last.
struct Sighting {
    Known known;
    Slot slot{};  ///< may be stale: ask EntityStore::holds
    /// Told to leave, and soon to be forgotten.
    bool is_leaving = false;
};

/// All that a watcher knows, in ascending id. In a crowd that is a thousand, of which a few come and
/// go in a tick: so what comes waits in a short list of its own, and what goes is only marked, until
/// there is enough of either to be worth a go through everything.
///
///    base    1  4  x  9  12  x  20 ...     x: leaving
///    fresh   5  11
///
/// Invariants
///  1. base_ and fresh_ are each in strictly ascending id; an id that is in both is leaving in base_.
///  2. leaving_count_ is how many in base_ are leaving; none in fresh_ is.
///
/// Cost     find O(log known), forget and add O(kWaitingMax) and now and then O(known), all O(1)
///          unless something waits.
class Sightings {
public:
    /// All of them, to be read and rewritten: nothing waits and none is leaving. What the caller
    /// leaves behind is in strictly ascending id.
    std::vector<Sighting>& all();

    [[nodiscard]] std::size_t size() const { return base_.size() - leaving_count_ + fresh_.size(); }

    /// Null when this id is not known. `guess`: at about which place it is; what is known is rarely in
    /// the cache, and a good guess looks at one line of it.
    Sighting* find(EntityId id, std::size_t guess);
    /// Asks the memory for the line that find() will look at.
    void prefetch(std::size_t guess) const;

    /// `sighting` is from find() or all(), with nothing changed since; it may be gone afterwards.
    void forget(Sighting& sighting);
    /// In strictly ascending id, none of them known.
    void add(std::span<const Sighting> entered);

private:
    static constexpr std::size_t kWaitingMax = 32;

    void merge(std::span<const Sighting> entered);

    std::vector<Sighting> base_;
    std::vector<Sighting> fresh_;
    std::size_t leaving_count_ = 0;
};

}  // namespace marchland::engine
