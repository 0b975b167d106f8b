#include "engine/event_log.h"

namespace marchland::engine {
namespace {

/// Of these, the newest: as many as there is room for. Takes from the room what they cost.
std::span<const KeptEvent> newest(std::span<const KeptEvent> events, std::size_t& room) {
    std::size_t first = events.size();
    while (first > 0 && events[first - 1].cost() <= room) {
        room -= events[--first].cost();
    }
    return events.subspan(first);
}

}  // namespace

EventLogPtr with(const EventLogPtr& log, std::span<const KeptEvent> events) {
    const std::span<const KeptEvent> old =
        log == nullptr ? std::span<const KeptEvent>{} : log->events;
    auto longer = std::make_shared<EventLog>();
    longer->lost_tick = log == nullptr ? kNever : log->lost_tick;
    std::size_t room = EventLog::kBytesMax;
    const std::span<const KeptEvent> added = newest(events, room);
    // One that has no place takes those before it along.
    const std::span<const KeptEvent> kept =
        added.size() == events.size() ? newest(old, room) : std::span<const KeptEvent>{};
    if (added.size() < events.size()) {
        longer->lost_tick = events[events.size() - added.size() - 1].tick;
    } else if (kept.size() < old.size()) {
        longer->lost_tick = old[old.size() - kept.size() - 1].tick;
    }
    longer->events.reserve(kept.size() + added.size());
    longer->events.assign(kept.begin(), kept.end());
    longer->events.insert(longer->events.end(), added.begin(), added.end());
    return longer;
}

}  // namespace marchland::engine
