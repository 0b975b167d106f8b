#include "engine/frame/event_log.h"

#include <cstddef>

namespace marchland::engine {
namespace {

/// The place of the oldest that is kept.
std::size_t first_kept(std::span<const KeptEvent> events) {
    std::size_t first = events.size();
    std::size_t cost = 0;
    while (first > 0) {
        const KeptEvent& event = events[first - 1];
        cost += event.cost();
        if (cost > EventLog::kBytesMax && event.tick != events.back().tick) {
            break;
        }
        --first;
    }
    return first;
}

}  // namespace

EventLogPtr with(const EventLogPtr& log, std::span<const KeptEvent> events) {
    auto longer = std::make_shared<EventLog>();
    if (log != nullptr) {
        *longer = *log;
    }
    std::vector<KeptEvent>& all = longer->events;
    all.insert(all.end(), events.begin(), events.end());
    const std::size_t first = first_kept(all);
    if (first > 0) {
        longer->lost_tick = all[first - 1].tick;
        all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(first));
    }
    return longer;
}

}  // namespace marchland::engine
