#include "engine/frame/frame_content.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <tuple>
#include <utility>

namespace marchland::engine {
namespace {

/// Stands for all who named a watcher, where it is to be kept in mind that it was told of a loss; and, where
/// nobody is named, for all sources of which no more is kept in mind. It comes before them.
constexpr Known kAnybody{};

/// So many sources are kept in mind for a watcher, however long some shard is late.
constexpr std::size_t kSentEventsMax = 4'096;

auto source_of(const SentEvents& sent_events) {
    return std::tuple(sent_events.source, sent_events.is_named);
}

std::pair<Tick, std::uint32_t> place_of(const KeptEvent& event) {
    return {event.tick, event.number};
}

/// Up to where all sources count as sent.
std::pair<Tick, std::uint32_t> all_sent_until(std::span<const SentEvents> sent_events) {
    const bool is_some =
        !sent_events.empty() && source_of(sent_events.front()) == std::tuple(kAnybody, false);
    return is_some ? std::pair(sent_events.front().tick, sent_events.front().number)
                   : std::pair(kNever, 0U);
}

/// Up to where those of this source were sent; before all events if none was.
std::pair<Tick, std::uint32_t> sent_until(std::span<const SentEvents> sent_events,
                                          const Known& source, bool is_named) {
    const auto found = std::lower_bound(
        sent_events.begin(), sent_events.end(), std::tuple(source, is_named),
        [](const SentEvents& a, const auto& sought) { return source_of(a) < sought; });
    const bool was_sent =
        found != sent_events.end() && source_of(*found) == std::tuple(source, is_named);
    const auto all = all_sent_until(sent_events);
    return was_sent ? std::max(all, std::pair(found->tick, found->number)) : all;
}

/// Beyond kSentEventsMax all but the newest, half as many, give way to one tick up to which everything counts as sent:
/// so nothing is sent twice. True then: what a late shard still has to say of these ticks is lost.
bool make_room(std::vector<SentEvents>& sent_events) {
    if (sent_events.size() <= kSentEventsMax) {
        return false;
    }
    const Tick all = all_sent_until(sent_events).first;
    std::erase_if(sent_events, [all](const SentEvents& each) {
        return each.tick <= all && source_of(each) != std::tuple(kAnybody, false);
    });
    if (sent_events.size() <= kSentEventsMax) {
        return false;
    }
    std::vector<Tick> ticks(sent_events.size());
    std::transform(sent_events.begin(), sent_events.end(), ticks.begin(),
                   [](const SentEvents& each) { return each.tick; });
    const auto last = ticks.end() - static_cast<std::ptrdiff_t>(kSentEventsMax / 2 + 1);
    std::nth_element(ticks.begin(), last, ticks.end());
    std::erase_if(sent_events, [last](const SentEvents& each) { return each.tick <= *last; });
    sent_events.insert(sent_events.begin(),
                       {kAnybody, *last, std::numeric_limits<std::uint32_t>::max(), false});
    return true;
}

}  // namespace

bool FrameContent::goes_before(const Found& a, const Found& b) {
    return std::tuple(a.event->tick, a.source, a.event->number) <
           std::tuple(b.event->tick, b.source, b.event->number);
}

void FrameContent::find(const World& world, const Watcher& watcher, std::span<const Slot> slots,
                        const std::uint64_t* stayed, std::span<const Known> gone) {
    sent_until_ = watcher.synced_tick;
    if (watcher.past == Watcher::Past::forgotten && world.forgotten_before != kNever) {
        // What is left of it by chance is lost like the rest.
        sent_until_ = std::max(sent_until_, world.forgotten_before - 1);
    }
    const bool is_something_new = world.content.newest_tick() > sent_until_ ||
                                  world.content.named().newest_tick() > sent_until_;
    is_idle_ = !is_something_new && !watcher.has_sent_events && !watcher.has_waiting_content;
    if (is_idle_) {
        return;
    }
    states_.clear();
    found_.clear();
    sent_events_now_.clear();
    lost_ = false;
    sent_before_ = world.sent_events[to_number(watcher.slot)];
    if (world.content.newest_tick() > sent_until_) {
        look_around(world, slots, stayed, false);
        for (const Known& source : gone) {
            send_life(world, source);
        }
    }
    if (world.content.named().newest_tick() > sent_until_) {
        look_for_own_name(world, watcher.slot);
    }
    if (watcher.has_waiting_content) {
        find_waiting(world, world.waiting[to_number(watcher.slot)], slots, stayed);
    }
    std::sort(found_.begin(), found_.end(), goes_before);
}

void FrameContent::find_waiting(const World& world, const Waiting& waiting,
                                std::span<const Slot> slots, const std::uint64_t* stayed) {
    for (const Waiting::Event& event : waiting.events) {
        found_.push_back({{event.source, event.birth}, &event.event});
    }
    const auto is_lower = [&world](Slot slot, EntityId id) {
        return world.entities.at(slot).id < id;
    };
    for (const Waiting::State& state : waiting.states) {
        const auto at = std::lower_bound(slots.begin(), slots.end(), state.id, is_lower);
        const auto place = static_cast<std::size_t>(at - slots.begin());
        if (at == slots.end() || world.entities.at(*at).id != state.id ||
            (stayed[place / 64] >> (place % 64) & 1U) == 0) {
            continue;
        }
        const auto found = std::lower_bound(
            states_.begin(), states_.end(), state.id,
            [&](const FoundState& each, EntityId id) { return is_lower(each.slot, id); });
        if (found != states_.end() && found->slot == *at) {
            found->since = state.since;
        } else {
            states_.insert(found, {*at, state.since});
        }
    }
}

void FrameContent::take(const World& world, Room& room) {
    if (is_idle_) {
        return;
    }
    for (Found& found : found_) {
        found.is_sent =
            room.take(FrameCost::kEvent + static_cast<std::int64_t>(found.event->bytes().size()));
    }
    if (!room.is_unlimited()) {
        const auto key = [&](const FoundState& state) {
            return std::pair(state.since, turn_of(world.entities.at(state.slot).id, world.now));
        };
        std::sort(states_.begin(), states_.end(),
                  [&](const FoundState& a, const FoundState& b) { return key(a) < key(b); });
    }
    for (FoundState& state : states_) {
        const Blob& blob = world.entities.at(state.slot).blob;
        state.is_sent =
            room.take(FrameCost::kState + static_cast<std::int64_t>(bytes_of(blob).size()));
    }
}

void FrameContent::take_entered(const World& world, std::span<const Slot> slots,
                                const std::uint64_t* entered, Room& room) {
    if (is_idle_ || world.content.newest_tick() <= sent_until_) {
        return;
    }
    const auto before = static_cast<std::ptrdiff_t>(found_.size());
    look_around(world, slots, entered, true);
    std::sort(found_.begin() + before, found_.end(), goes_before);
    for (auto found = found_.begin() + before; found != found_.end(); ++found) {
        found->is_sent =
            room.take(FrameCost::kEvent + static_cast<std::int64_t>(found->event->bytes().size()));
    }
}

void FrameContent::finish(const World& world, Frame& frame, Watcher& watcher, bool complete) {
    if (is_idle_) {
        return;
    }
    std::vector<SentEvents>& sent_events_before = world.sent_events[to_number(frame.watcher)];
    sent_before_ = {};
    if (complete) {
        std::vector<SentEvents>().swap(sent_events_before);  // with its memory
    } else {
        keep_in_mind(sent_events_before);
        lost_ = make_room(sent_events_before) || lost_;
    }
    watcher.has_sent_events = !sent_events_before.empty();
    std::sort(found_.begin(), found_.end(), goes_before);
    frame_events_.clear();
    for (const Found& found : found_) {
        if (found.is_sent) {
            frame_events_.push_back({found.source.id, found.event->tick, found.event->bytes()});
        }
    }
    std::sort(states_.begin(), states_.end(), [&world](const FoundState& a, const FoundState& b) {
        return world.entities.at(a.slot).id < world.entities.at(b.slot).id;
    });
    frame_states_.clear();
    for (const FoundState& state : states_) {
        if (state.is_sent) {
            frame_states_.push_back(state.slot);
        }
    }
    frame.is_over_budget = frame.is_over_budget || frame_states_.size() < states_.size() ||
                           frame_events_.size() < found_.size();
    if (!world.waiting.empty()) {
        Waiting& waiting = world.waiting[to_number(frame.watcher)];
        keep_waiting(world, waiting, complete);
        watcher.has_waiting_content = !waiting.states.empty() || !waiting.events.empty();
    }
    frame.states = frame_states_;
    frame.events = frame_events_;
    frame.events_lost = lost_;
}

/// Of events no more than Waiting::kEventBytesMax. States that were sent without all shards' batches are sent
/// again, as if there had been no frame; those that did not wait before are found again then.
void FrameContent::keep_waiting(const World& world, Waiting& waiting, bool complete) {
    waited_.clear();
    std::size_t bytes = 0;
    for (auto found = found_.rbegin(); found != found_.rend(); ++found) {
        if (found->is_sent) {
            continue;
        }
        bytes += found->event->cost();
        if (bytes > Waiting::kEventBytesMax) {
            lost_ = true;
            break;
        }
        waited_.push_back({found->source.id, found->source.birth, *found->event});
    }
    std::reverse(waited_.begin(), waited_.end());
    waited_.swap(waiting.events);
    waiting.states.clear();
    for (const FoundState& state : states_) {
        if (complete ? !state.is_sent : state.since < world.now) {
            waiting.states.push_back({world.entities.at(state.slot).id, state.since});
        }
    }
}

/// Of each source the last place; `sent_events_now_` may have several, `sent_events_before` one that was passed.
void FrameContent::keep_in_mind(std::vector<SentEvents>& sent_events_before) const {
    if (sent_events_now_.empty()) {
        return;
    }
    sent_events_before.insert(sent_events_before.end(), sent_events_now_.begin(),
                              sent_events_now_.end());
    std::sort(sent_events_before.begin(), sent_events_before.end(),
              [](const SentEvents& a, const SentEvents& b) {
                  return std::tuple(source_of(a), b.tick, b.number) <
                         std::tuple(source_of(b), a.tick, a.number);
              });
    const auto end = std::unique(
        sent_events_before.begin(), sent_events_before.end(),
        [](const SentEvents& a, const SentEvents& b) { return source_of(a) == source_of(b); });
    sent_events_before.erase(end, sent_events_before.end());
}

void FrameContent::look_around(const World& world, std::span<const Slot> slots,
                               const std::uint64_t* sources, bool are_new) {
    for (std::size_t word = 0; word < (slots.size() + 63) / 64; ++word) {
        for (std::uint64_t left = sources[word]; left != 0; left &= left - 1) {
            const Slot slot = slots[64 * word + static_cast<std::size_t>(std::countr_zero(left))];
            if (world.content.tick_of(slot) <= sent_until_) {
                continue;
            }
            const Entity& entity = world.entities.at(slot);
            const LifeContent* const content = world.content.find(entity.id, entity.birth);
            if (content == nullptr) {
                continue;
            }
            if (!are_new && content->state_tick > sent_until_) {
                states_.push_back({slot, world.now});
            }
            if (content->log != nullptr) {
                add_log({entity.id, entity.birth}, *content->log,
                        are_new ? world.now - 1 : sent_until_);
            }
        }
    }
}

/// An event from before its birth named an earlier life of the id.
void FrameContent::look_for_own_name(const World& world, Slot slot) {
    const Entity& self = world.entities.at(slot);
    const Tick after = std::max(sent_until_, self.birth - 1);
    const NamedEvents::Mailbag* const mail = world.content.named().find(self.id);
    const Tick lost_tick =
        std::max(world.content.named().lost_tick(), mail == nullptr ? kNever : mail->lost_tick);
    if (lost_tick > std::max(after, sent_until(sent_before_, kAnybody, true).first)) {
        lost_ = true;
        sent_events_now_.push_back({kAnybody, lost_tick, 0, true});
    }
    if (mail == nullptr) {
        return;
    }
    for (const NamedEvents::Kept& kept : mail->events) {
        if (kept.event.tick > after) {
            send_named({kept.source, kept.birth}, kept.event);
        }
    }
}

void FrameContent::send_life(const World& world, const Known& source) {
    const LifeContent* const content = world.content.find(source.id, source.birth);
    if (content != nullptr && content->log != nullptr) {
        add_log(source, *content->log, sent_until_);
    }
}

/// What gave way up to a place that was sent was sent, or said to be lost: of the newest tick nothing
/// gives way, so of the tick of that place all was here.
void FrameContent::add_log(const Known& source, const EventLog& log, Tick after) {
    const auto sent_events = sent_until(sent_before_, source, false);
    const auto sent =
        std::max(sent_events, std::pair(after, std::numeric_limits<std::uint32_t>::max()));
    const auto first = std::upper_bound(
        log.events.begin(), log.events.end(), sent,
        [](const auto& place, const KeptEvent& event) { return place < place_of(event); });
    for (auto event = first; event != log.events.end(); ++event) {
        found_.push_back({source, &*event});
    }
    if (!log.events.empty()) {
        note_sent(source, false, log.events.back());
    }
    lost_ = lost_ || log.lost_tick > std::max(after, sent_events.first);
}

void FrameContent::send_named(const Known& source, const KeptEvent& event) {
    if (sent_until(sent_before_, source, true) < place_of(event)) {
        found_.push_back({source, &event});
        note_sent(source, true, event);
    }
}

void FrameContent::note_sent(const Known& source, bool is_named, const KeptEvent& event) {
    if (!sent_events_now_.empty() && sent_events_now_.back().source == source &&
        sent_events_now_.back().is_named == is_named) {
        sent_events_now_.back().tick = event.tick;
        sent_events_now_.back().number = event.number;
    } else {
        sent_events_now_.push_back({source, event.tick, event.number, is_named});
    }
}

}  // namespace marchland::engine
