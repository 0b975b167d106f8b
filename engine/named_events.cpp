#include "engine/named_events.h"

#include "engine/assert.h"

#include <algorithm>

namespace marchland::engine {

void NamedEvents::add(const NamedEvent& named, Tick now) {
    MARCHLAND_ASSERT(in_order_.empty() || in_order_.back().first <= now);
    for (const EntityId target : *named.to) {
        put(bags_[target], {named.source, named.birth, named.event});
    }
    in_order_.emplace_back(now, named);
    newest_tick_ = std::max(newest_tick_, named.event.tick);
}

/// What gave way stays away, also if it is older than what gives way later: or it would matter who
/// was heard first.
void NamedEvents::put(Bag& bag, const Kept& kept) {
    std::vector<Kept>& events = bag.mail.events;
    const Key key = key_of(kept);
    const auto place = std::lower_bound(
        events.begin(), events.end(), key,
        [](const Kept& other, const Key& sought) { return key_of(other) < sought; });
    if (key <= bag.lost || (place != events.end() && key_of(*place) == key)) {
        return;
    }
    events.insert(place, kept);
    std::size_t cost = 0;
    auto first = events.end();
    while (first != events.begin() && cost + (first - 1)->event.cost() <= EventLog::kBytesMax) {
        cost += (--first)->event.cost();
    }
    if (first != events.begin()) {
        bag.lost = std::max(bag.lost, key_of(*(first - 1)));
        bag.mail.lost_tick = bag.lost.first.first;
        events.erase(events.begin(), first);
    }
}

const NamedEvents::Mailbag* NamedEvents::find(EntityId target) const {
    const auto bag = bags_.find(target);
    return bag == bags_.end() ? nullptr : &bag->second.mail;
}

void NamedEvents::forget_before(Tick tick) {
    while (!in_order_.empty() && in_order_.front().first < tick) {
        for (const EntityId target : *in_order_.front().second.to) {
            const auto bag = bags_.find(target);
            if (bag == bags_.end()) {
                continue;
            }
            std::erase_if(bag->second.mail.events,
                          [tick](const Kept& kept) { return kept.event.tick < tick; });
            if (bag->second.mail.events.empty()) {
                bags_.erase(bag);
            }
        }
        in_order_.pop_front();
    }
}

std::vector<NamedEvent> NamedEvents::remembered() const {
    std::vector<NamedEvent> all;
    all.reserve(in_order_.size());
    for (const auto& [tick, named] : in_order_) {
        all.push_back(named);
    }
    return all;
}

}  // namespace marchland::engine
