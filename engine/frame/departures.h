#pragma once

#include "engine/ids.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <memory_resource>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace marchland::engine {

/// A life that left the zone, and the tick in which that was recorded somewhere.
struct RecordedDeparture {
    Life life;
    Tick tick = kNever;

    friend bool operator==(const RecordedDeparture&, const RecordedDeparture&) = default;
};

/// Who left the zone lately? A watcher that skipped some frames, or that crossed half the map since
/// the last one, asks here whether an entity it can no longer find is gone or merely far away.
///
/// Cost     record O(log ticks in the window), contains O(1); forget_before O(forgotten).
/// Bounds   Holds what departed within the window that the owner keeps by calling forget_before;
///          no watcher may be further behind than that window. What a crowd took is given back.
class Departures {
public:
    /// `tick`: now, or of whoever recorded it and sends it later. One that is remembered is not
    /// recorded again: whoever knows it alive was sent that before it was recorded first.
    void record(const Life& life, Tick tick);
    [[nodiscard]] bool contains(const Life& life) const;
    /// Did any life of this id depart?
    [[nodiscard]] bool contains(EntityId id) const {
        return !tables_->latest.empty() && tables_->latest.contains(id);
    }
    /// Forgets every departure that was recorded before `tick`. One whose id departed again since
    /// is remembered as long as the later one.
    void forget_before(Tick tick);
    /// All that are remembered, in the order of their ticks: every life of an id, once.
    [[nodiscard]] std::vector<RecordedDeparture> remembered() const;
    [[nodiscard]] std::size_t size() const { return tables_->lives.size(); }

private:
    void begin_anew();

    struct Latest {
        /// The latest birth that departed. An earlier life of the same id is departed too.
        Tick birth = kNever;
        Tick recorded_tick = kNever;
    };
    /// In blocks of their own: they stay for minutes, and would else keep each page of what was
    /// freed around them.
    struct Tables {
        std::pmr::unsynchronized_pool_resource blocks;
        std::pmr::map<Tick, std::pmr::vector<Life>> by_tick{
            &blocks};                                            ///< in which each was recorded
        std::pmr::unordered_set<Life, LifeHash> lives{&blocks};  ///< the same
        std::pmr::unordered_map<EntityId, Latest> latest{&blocks};
    };

    std::unique_ptr<Tables> tables_ = std::make_unique<Tables>();
    std::size_t most_ = 0;  ///< lives since the tables were new
};

}  // namespace marchland::engine
