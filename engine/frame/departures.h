#pragma once

#include "engine/ids.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <memory_resource>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace marchland::engine {

struct Departure {
    EntityId id{};
    Tick birth = kNever;

    friend bool operator==(const Departure&, const Departure&) = default;
};

/// And the tick in which it was recorded somewhere.
struct RecordedDeparture {
    Departure departure;
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
    /// `tick`: now, or of whoever recorded it and sends it later. One that is remembered is not recorded
    /// again: whoever knows it alive was sent that before it was recorded first.
    void record(Departure departure, Tick tick);
    [[nodiscard]] bool contains(Departure departure) const;
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
    struct Hash {
        std::size_t operator()(const Departure& departure) const {
            return std::hash<std::uint64_t>{}(to_number(departure.id) * 0x9e3779b97f4a7c15U ^
                                              departure.birth);
        }
    };
    /// In blocks of their own: they stay for minutes, and would else keep each page of what was freed around them.
    struct Tables {
        std::pmr::unsynchronized_pool_resource blocks;
        std::pmr::map<Tick, std::pmr::vector<Departure>> by_tick{
            &blocks};                                             ///< in which each was recorded
        std::pmr::unordered_set<Departure, Hash> lives{&blocks};  ///< the same
        std::pmr::unordered_map<EntityId, Latest> latest{&blocks};
    };

    std::unique_ptr<Tables> tables_ = std::make_unique<Tables>();
    std::size_t most_ = 0;  ///< lives since the tables were new
};

}  // namespace marchland::engine
