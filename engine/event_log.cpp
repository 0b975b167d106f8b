#include "engine/event_log.h"

#include <utility>

namespace marchland::engine {

EventLogPtr with(const EventLogPtr& log, KeptEvent event) {
    auto longer = log == nullptr ? std::make_shared<EventLog>() : std::make_shared<EventLog>(*log);
    std::vector<KeptEvent>& events = longer->events;
    events.push_back(std::move(event));
    std::size_t cost = 0;
    auto first = events.end();
    while (first != events.begin() && cost + (first - 1)->cost() <= EventLog::kBytesMax) {
        cost += (--first)->cost();
    }
    if (first != events.begin()) {
        longer->lost_tick = (first - 1)->tick;
        events.erase(events.begin(), first);
    }
    return longer;
}

}  // namespace marchland::engine
