#pragma once

#include "engine/ids.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace marchland::engine {

struct Departure {
    EntityId id{};
    Tick birth = kNever;

    friend bool operator==(const Departure&, const Departure&) = default;
};

/// Who left the zone lately? A watcher that skipped some frames, or that crossed half the map since
/// the last one, asks here whether an entity it can no longer find is gone or merely far away.
///
/// Cost     record and contains O(1); forget_before O(forgotten).
/// Bounds   Holds what departed within the window that the owner keeps by calling forget_before;
///          no watcher may be further behind than that window.
class Departures {
public:
    /// `now` never goes down from one call to the next. One that is remembered is not recorded again: whoever
    /// knew it alive was told no later than before it was recorded first.
    void record(Departure departure, Tick now);
    [[nodiscard]] bool contains(Departure departure) const;
    /// Forgets every departure that was recorded before `tick`. One whose id departed again since
    /// is remembered as long as the later one.
    void forget_before(Tick tick);
    /// All that are remembered, in the order in which they were recorded: every life of an id, once.
    [[nodiscard]] std::vector<Departure> remembered() const;
    [[nodiscard]] std::size_t size() const { return in_order_.size(); }

private:
    struct Recorded {
        Departure departure;
        Tick tick = kNever;
    };
    struct Latest {
        /// The latest birth that departed. An earlier life of the same id is departed too.
        Tick birth = kNever;
        Tick recorded_tick = kNever;
    };
    struct Hash {
        std::size_t operator()(const Departure& departure) const {
            return std::hash<std::uint64_t>{}(to_number(departure.id) * 0x9e3779b97f4a7c15U ^
                                              departure.birth);
        }
    };
    std::deque<Recorded> in_order_;              ///< ascending tick
    std::unordered_set<Departure, Hash> lives_;  ///< the same
    std::unordered_map<EntityId, Latest> latest_;
};

}  // namespace marchland::engine
