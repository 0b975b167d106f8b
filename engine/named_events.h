#pragma once

#include "engine/entity.h"
#include "engine/event_log.h"
#include "engine/ids.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace marchland::engine {

/// An event to some by name.
struct NamedEvent {
    EntityId source{};
    Tick birth = kNever;  ///< of the source
    KeptEvent event;
    std::shared_ptr<const std::vector<EntityId>> to;
};

/// Events by whom they name, for those that take no frame in every tick. Whoever is named may be
/// anywhere in the zone, and go anywhere before it takes a frame: so every shard keeps all of them.
///
/// Bounds   For each id that is named, events of EventLog::kBytesMax: older ones give way, in an
///          order that does not depend on who hears what first.
/// Cost     add O(events kept for that id), find O(1).
class NamedEvents {
public:
    struct Kept {
        EntityId source{};
        Tick birth = kNever;
        KeptEvent event;
    };
    struct Mailbag {
        std::vector<Kept> events;  ///< by tick, source, birth and number, each once
        Tick lost_tick = kNever;   ///< of the newest that gave way
    };

    /// One that is here already is not added again. `now` never goes down.
    void add(const NamedEvent& named, Tick now);
    /// Null: nothing is kept for it.
    [[nodiscard]] const Mailbag* find(EntityId target) const;
    /// Of the newest event ever added.
    [[nodiscard]] Tick newest_tick() const { return newest_tick_; }
    /// Forgets what was added before `tick`.
    void forget_before(Tick tick);
    /// All that are kept, in the order in which they were added.
    [[nodiscard]] std::vector<NamedEvent> remembered() const;

private:
    using Key = std::pair<std::pair<Tick, EntityId>, std::pair<Tick, std::uint32_t>>;

    struct Bag {
        Mailbag mail;
        Key lost{};  ///< the newest that gave way
    };
    static Key key_of(const Kept& kept) {
        return {{kept.event.tick, kept.source}, {kept.birth, kept.event.number}};
    }
    static void put(Bag& bag, const Kept& kept);

    std::unordered_map<EntityId, Bag> bags_;
    std::deque<std::pair<Tick, NamedEvent>> in_order_;  ///< ascending tick
    Tick newest_tick_ = kNever;
};

}  // namespace marchland::engine
