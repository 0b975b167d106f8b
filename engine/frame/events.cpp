#include "engine/frame/events.h"

#include <algorithm>
#include <cstddef>
#include <utility>

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

NamedEvents::Key NamedEvents::key_of(const NamedEvent& named) {
    return {{named.event.tick, named.source}, {named.birth, named.event.number}};
}

NamedEvents::Key NamedEvents::key_of(const Kept& kept) {
    return {{kept.event.tick, kept.source}, {kept.birth, kept.event.number}};
}

void NamedEvents::add(const NamedEvent& named) {
    if (named.kind == NamedEvent::Kind::gave_way) {
        return let_go(named);
    }
    const Key key = key_of(named);
    newest_tick_ = std::max(newest_tick_, named.event.tick);
    if (named.event.tick < forgotten_before_ || key <= lost_ ||
        !said_.emplace(key, named.to).second) {
        return;
    }
    namings_ += named.to->size();
    const bool is_told = named.kind == NamedEvent::Kind::sent;
    if (is_told) {
        for (const EntityId target : *named.to) {
            put(bags_[target], {named.source, named.birth, named.event});
        }
    }
    make_room();
}

/// What gave way stays away, also if it is older than what gives way later: or it would matter who
/// was received first.
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
    bag.cost += kept.event.cost();
    if (const std::size_t first = first_kept(bag); first > 0) {
        let_go(bag, key_of(events[first - 1]));
    }
}

/// The place of the oldest for which there is room.
std::size_t NamedEvents::first_kept(const Bag& bag) {
    const std::vector<Kept>& events = bag.mail.events;
    std::size_t first = 0;
    for (std::size_t cost = bag.cost;
         cost > EventLog::kBytesMax && events[first].event.tick < events.back().event.tick;) {
        cost -= events[first++].event.cost();
    }
    return first;
}

void NamedEvents::let_go(Bag& bag, const Key& key) {
    bag.lost = std::max(bag.lost, key);
    bag.mail.lost_tick = tick_of(bag.lost);
    drop_up_to(bag, bag.lost);
}

void NamedEvents::drop_up_to(Bag& bag, const Key& key) {
    std::vector<Kept>& events = bag.mail.events;
    auto end = events.begin();
    for (; end != events.end() && key_of(*end) <= key; ++end) {
        bag.cost -= end->event.cost();
    }
    events.erase(events.begin(), end);
}

void NamedEvents::let_go(const NamedEvent& named) {
    const Key key = key_of(named);
    newest_tick_ = std::max(newest_tick_, tick_of(key));
    for (const EntityId target : *named.to) {
        Bag& bag = bags_[target];
        let_go(bag, key);
        if (bag.mail.events.empty()) {
            emptied_tick_ = std::max(emptied_tick_, tick_of(bag.lost));
        }
    }
    if (named.to->empty()) {
        lost_ = std::max(lost_, key);
        while (!said_.empty() && said_.begin()->first <= lost_) {
            namings_ -= said_.begin()->second->size();
            drop_up_to(said_.begin()->first, said_.begin()->second);
            said_.erase(said_.begin());
        }
    }
}

/// Frames of the newest tick are built from what is here. So nothing of it gives way: whoever was sent
/// all until then misses nothing, and need not be told that something was lost.
void NamedEvents::make_room() {
    auto end = said_.begin();
    for (; namings_ > namings_max_ && tick_of(end->first) < newest_tick_; ++end) {
        lost_ = end->first;
        namings_ -= end->second->size();
    }
    for (auto said = said_.begin(); said != end; ++said) {
        drop_up_to(lost_, said->second);
    }
    said_.erase(said_.begin(), end);
}

void NamedEvents::drop_up_to(const Key& key, const Targets& targets) {
    for (const EntityId target : *targets) {
        const auto bag = bags_.find(target);
        if (bag == bags_.end()) {
            continue;
        }
        drop_up_to(bag->second, key);
        if (bag->second.mail.events.empty()) {
            bags_.erase(bag);
        }
    }
}

const NamedEvents::Mailbag* NamedEvents::find(EntityId target) const {
    const auto bag = bags_.find(target);
    return bag == bags_.end() ? nullptr : &bag->second.mail;
}

/// Nobody is told of a loss from before, either. So it makes no difference that what was said then counts
/// no longer: those after it give way only where they are too many by themselves.
void NamedEvents::forget_before(Tick tick) {
    auto end = said_.begin();
    for (; end != said_.end() && tick_of(end->first) < tick; ++end) {
        namings_ -= end->second->size();
        drop_up_to(end->first, end->second);
    }
    said_.erase(said_.begin(), end);
    if (emptied_tick_ != kNever && emptied_tick_ < tick) {
        std::erase_if(bags_, [](const auto& bag) { return bag.second.mail.events.empty(); });
        emptied_tick_ = kNever;
    }
    forgotten_before_ = std::max(forgotten_before_, tick);
}

NamedEvent NamedEvents::with_key(const Key& key, Targets to, NamedEvent::Kind kind) {
    return {key.first.second,
            key.second.first,
            {key.first.first, key.second.second, nullptr},
            std::move(to),
            kind};
}

/// First what gave way: then no event is put where it was refused here.
std::vector<NamedEvent> NamedEvents::remembered(const IsAsked& is_asked) const {
    using Kind = NamedEvent::Kind;
    const auto only = [](std::vector<EntityId> targets) {
        return std::make_shared<const std::vector<EntityId>>(std::move(targets));
    };
    std::vector<NamedEvent> all;
    if (lost_ != Key{}) {
        all.push_back(with_key(lost_, only({}), Kind::gave_way));
    }
    for (const auto& [target, bag] : bags_) {
        if (bag.lost != Key{} && tick_of(bag.lost) >= forgotten_before_) {
            all.push_back(with_key(bag.lost, only({target}), Kind::gave_way));
        }
    }
    for (const auto& [key, targets] : said_) {
        if (is_asked && !is_asked(key.first.second, key.second.first)) {
            continue;
        }
        const Kept* const kept = find_kept(key, targets);
        all.push_back(with_key(key, targets, kept != nullptr ? Kind::sent : Kind::counted));
        if (kept != nullptr) {
            all.back().event.payload = kept->event.payload;
        }
    }
    return all;
}

/// Null for one that gave way wherever it was.
const NamedEvents::Kept* NamedEvents::find_kept(const Key& key, const Targets& targets) const {
    for (const EntityId target : *targets) {
        const auto bag = bags_.find(target);
        if (bag == bags_.end()) {
            continue;
        }
        const std::vector<Kept>& events = bag->second.mail.events;
        const auto kept = std::lower_bound(
            events.begin(), events.end(), key,
            [](const Kept& other, const Key& sought) { return key_of(other) < sought; });
        if (kept != events.end() && key_of(*kept) == key) {
            return &*kept;
        }
    }
    return nullptr;
}

}  // namespace marchland::engine
