#pragma once

#include "engine/ids.h"

#include <deque>
#include <unordered_map>

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
    void record(Departure departure, Tick now);
    [[nodiscard]] bool contains(Departure departure) const;
    /// Forgets every departure that was recorded before `tick`.
    void forget_before(Tick tick);
    [[nodiscard]] std::size_t size() const { return in_order_.size(); }

private:
    struct Recorded {
        Departure departure;
        Tick tick;
    };
    std::deque<Recorded> in_order_;  ///< ascending tick
    /// The latest birth that departed, by id. An earlier life of the same id is departed too.
    std::unordered_map<EntityId, Tick> last_birth_;
};

}  // namespace marchland::engine
