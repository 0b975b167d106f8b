#include "engine/frame_news.h"

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
constexpr std::size_t kHeardMax = 4'096;

auto source_of(const Heard& heard) {
    return std::tuple(heard.source, heard.is_named);
}

std::pair<Tick, std::uint32_t> place_of(const KeptEvent& event) {
    return {event.tick, event.number};
}

/// Up to where all sources count as heard.
std::pair<Tick, std::uint32_t> all_heard_until(std::span<const Heard> heard) {
    const bool is_some = !heard.empty() && source_of(heard.front()) == std::tuple(kAnybody, false);
    return is_some ? std::pair(heard.front().tick, heard.front().number) : std::pair(kNever, 0U);
}

/// Up to where those of this source were heard; before all events if none was.
std::pair<Tick, std::uint32_t> heard_until(std::span<const Heard> heard, const Known& source,
                                           bool is_named) {
    const auto found =
        std::lower_bound(heard.begin(), heard.end(), std::tuple(source, is_named),
                         [](const Heard& a, const auto& sought) { return source_of(a) < sought; });
    const bool was_heard =
        found != heard.end() && source_of(*found) == std::tuple(source, is_named);
    const auto all = all_heard_until(heard);
    return was_heard ? std::max(all, std::pair(found->tick, found->number)) : all;
}

/// Beyond kHeardMax all but the newest, half as many, give way to one tick up to which everything counts as heard:
/// so nothing is told twice. True then: what a late shard still has to say of these ticks is lost.
bool make_room(std::vector<Heard>& heard) {
    if (heard.size() <= kHeardMax) {
        return false;
    }
    const Tick all = all_heard_until(heard).first;
    std::erase_if(heard, [all](const Heard& each) {
        return each.tick <= all && source_of(each) != std::tuple(kAnybody, false);
    });
    if (heard.size() <= kHeardMax) {
        return false;
    }
    std::vector<Tick> ticks(heard.size());
    std::transform(heard.begin(), heard.end(), ticks.begin(),
                   [](const Heard& each) { return each.tick; });
    const auto last = ticks.end() - static_cast<std::ptrdiff_t>(kHeardMax / 2 + 1);
    std::nth_element(ticks.begin(), last, ticks.end());
    std::erase_if(heard, [last](const Heard& each) { return each.tick <= *last; });
    heard.insert(heard.begin(),
                 {kAnybody, *last, std::numeric_limits<std::uint32_t>::max(), false});
    return true;
}

}  // namespace

bool FrameNews::goes_before(const Found& a, const Found& b) {
    return std::tuple(a.event->tick, a.source, a.event->number) <
           std::tuple(b.event->tick, b.source, b.event->number);
}

void FrameNews::find(const Scene& scene, const Watcher& watcher, std::span<const Slot> slots,
                     const std::uint64_t* stayed, std::span<const Known> gone) {
    told_until_ = watcher.synced_tick;
    if (watcher.past == Watcher::Past::forgotten && scene.forgotten_before != kNever) {
        // What is left of it by chance is lost like the rest.
        told_until_ = std::max(told_until_, scene.forgotten_before - 1);
    }
    const bool is_something_new =
        scene.news.newest_tick() > told_until_ || scene.news.named().newest_tick() > told_until_;
    is_idle_ = !is_something_new && !watcher.has_heard && !watcher.has_waiting_news;
    if (is_idle_) {
        return;
    }
    states_.clear();
    found_.clear();
    heard_now_.clear();
    lost_ = false;
    heard_ = scene.heard[to_number(watcher.slot)];
    if (scene.news.newest_tick() > told_until_) {
        look_around(scene, slots, stayed, false);
        for (const Known& source : gone) {
            tell_life(scene, source);
        }
    }
    if (scene.news.named().newest_tick() > told_until_) {
        look_for_own_name(scene, watcher.slot);
    }
    if (watcher.has_waiting_news) {
        find_waiting(scene, scene.waiting[to_number(watcher.slot)], slots, stayed);
    }
    std::sort(found_.begin(), found_.end(), goes_before);
}

void FrameNews::find_waiting(const Scene& scene, const Waiting& waiting,
                             std::span<const Slot> slots, const std::uint64_t* stayed) {
    for (const Waiting::Event& event : waiting.events) {
        found_.push_back({{event.source, event.birth}, &event.event});
    }
    const auto is_lower = [&scene](Slot slot, EntityId id) {
        return scene.entities.at(slot).id < id;
    };
    for (const Waiting::State& state : waiting.states) {
        const auto at = std::lower_bound(slots.begin(), slots.end(), state.id, is_lower);
        const auto place = static_cast<std::size_t>(at - slots.begin());
        if (at == slots.end() || scene.entities.at(*at).id != state.id ||
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

void FrameNews::take(const Scene& scene, Room& room) {
    if (is_idle_) {
        return;
    }
    for (Found& found : found_) {
        found.is_sent =
            room.take(FrameCost::kEvent + static_cast<std::int64_t>(found.event->bytes().size()));
    }
    if (!room.is_unlimited()) {
        const auto key = [&](const FoundState& state) {
            return std::pair(state.since, turn_of(scene.entities.at(state.slot).id, scene.now));
        };
        std::sort(states_.begin(), states_.end(),
                  [&](const FoundState& a, const FoundState& b) { return key(a) < key(b); });
    }
    for (FoundState& state : states_) {
        const Blob& blob = scene.entities.at(state.slot).blob;
        state.is_sent =
            room.take(FrameCost::kState + static_cast<std::int64_t>(bytes_of(blob).size()));
    }
}

void FrameNews::take_entered(const Scene& scene, std::span<const Slot> slots,
                             const std::uint64_t* entered, Room& room) {
    if (is_idle_ || scene.news.newest_tick() <= told_until_) {
        return;
    }
    const auto before = static_cast<std::ptrdiff_t>(found_.size());
    look_around(scene, slots, entered, true);
    std::sort(found_.begin() + before, found_.end(), goes_before);
    for (auto found = found_.begin() + before; found != found_.end(); ++found) {
        found->is_sent =
            room.take(FrameCost::kEvent + static_cast<std::int64_t>(found->event->bytes().size()));
    }
}

void FrameNews::finish(const Scene& scene, Frame& frame, Watcher& watcher, bool complete) {
    if (is_idle_) {
        return;
    }
    std::vector<Heard>& heard_before = scene.heard[to_number(frame.watcher)];
    heard_ = {};
    if (complete) {
        std::vector<Heard>().swap(heard_before);  // with its memory
    } else {
        keep_in_mind(heard_before);
        lost_ = make_room(heard_before) || lost_;
    }
    watcher.has_heard = !heard_before.empty();
    std::sort(found_.begin(), found_.end(), goes_before);
    frame_events_.clear();
    for (const Found& found : found_) {
        if (found.is_sent) {
            frame_events_.push_back({found.source.id, found.event->tick, found.event->bytes()});
        }
    }
    std::sort(states_.begin(), states_.end(), [&scene](const FoundState& a, const FoundState& b) {
        return scene.entities.at(a.slot).id < scene.entities.at(b.slot).id;
    });
    frame_states_.clear();
    for (const FoundState& state : states_) {
        if (state.is_sent) {
            frame_states_.push_back(state.slot);
        }
    }
    frame.is_over_budget = frame.is_over_budget || frame_states_.size() < states_.size() ||
                           frame_events_.size() < found_.size();
    if (!scene.waiting.empty()) {
        Waiting& waiting = scene.waiting[to_number(frame.watcher)];
        keep_waiting(scene, waiting, complete);
        watcher.has_waiting_news = !waiting.states.empty() || !waiting.events.empty();
    }
    frame.states = frame_states_;
    frame.events = frame_events_;
    frame.events_lost = lost_;
}

/// Of events no more than Waiting::kEventBytesMax. States that were sent without all shards' news are sent
/// again, as if there had been no frame; those that did not wait before are found again then.
void FrameNews::keep_waiting(const Scene& scene, Waiting& waiting, bool complete) {
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
        if (complete ? !state.is_sent : state.since < scene.now) {
            waiting.states.push_back({scene.entities.at(state.slot).id, state.since});
        }
    }
}

/// Of each source the last place; `heard_now_` may have several, `heard_before` one that was passed.
void FrameNews::keep_in_mind(std::vector<Heard>& heard_before) const {
    if (heard_now_.empty()) {
        return;
    }
    heard_before.insert(heard_before.end(), heard_now_.begin(), heard_now_.end());
    std::sort(heard_before.begin(), heard_before.end(), [](const Heard& a, const Heard& b) {
        return std::tuple(source_of(a), b.tick, b.number) <
               std::tuple(source_of(b), a.tick, a.number);
    });
    const auto end =
        std::unique(heard_before.begin(), heard_before.end(),
                    [](const Heard& a, const Heard& b) { return source_of(a) == source_of(b); });
    heard_before.erase(end, heard_before.end());
}

void FrameNews::look_around(const Scene& scene, std::span<const Slot> slots,
                            const std::uint64_t* sources, bool are_new) {
    for (std::size_t word = 0; word < (slots.size() + 63) / 64; ++word) {
        for (std::uint64_t left = sources[word]; left != 0; left &= left - 1) {
            const Slot slot = slots[64 * word + static_cast<std::size_t>(std::countr_zero(left))];
            if (scene.news.tick_of(slot) <= told_until_) {
                continue;
            }
            const Entity& entity = scene.entities.at(slot);
            const Words* const words = scene.news.find(entity.id, entity.birth);
            if (words == nullptr) {
                continue;
            }
            if (!are_new && words->state_tick > told_until_) {
                states_.push_back({slot, scene.now});
            }
            if (words->log != nullptr) {
                tell_log({entity.id, entity.birth}, *words->log,
                         are_new ? scene.now - 1 : told_until_);
            }
        }
    }
}

/// An event from before its birth named an earlier life of the id.
void FrameNews::look_for_own_name(const Scene& scene, Slot slot) {
    const Entity& self = scene.entities.at(slot);
    const Tick after = std::max(told_until_, self.birth - 1);
    const NamedEvents::Mailbag* const mail = scene.news.named().find(self.id);
    const Tick lost_tick =
        std::max(scene.news.named().lost_tick(), mail == nullptr ? kNever : mail->lost_tick);
    if (lost_tick > std::max(after, heard_until(heard_, kAnybody, true).first)) {
        lost_ = true;
        heard_now_.push_back({kAnybody, lost_tick, 0, true});
    }
    if (mail == nullptr) {
        return;
    }
    for (const NamedEvents::Kept& kept : mail->events) {
        if (kept.event.tick > after) {
            tell_named({kept.source, kept.birth}, kept.event);
        }
    }
}

void FrameNews::tell_life(const Scene& scene, const Known& source) {
    const Words* const words = scene.news.find(source.id, source.birth);
    if (words != nullptr && words->log != nullptr) {
        tell_log(source, *words->log, told_until_);
    }
}

/// What gave way up to a place that was heard was heard, or told to be lost: of the newest tick nothing
/// gives way, so of the tick of that place all was here.
void FrameNews::tell_log(const Known& source, const EventLog& log, Tick after) {
    const auto heard = heard_until(heard_, source, false);
    const auto told = std::max(heard, std::pair(after, std::numeric_limits<std::uint32_t>::max()));
    const auto first = std::upper_bound(
        log.events.begin(), log.events.end(), told,
        [](const auto& place, const KeptEvent& event) { return place < place_of(event); });
    for (auto event = first; event != log.events.end(); ++event) {
        found_.push_back({source, &*event});
    }
    if (!log.events.empty()) {
        note_heard(source, false, log.events.back());
    }
    lost_ = lost_ || log.lost_tick > std::max(after, heard.first);
}

void FrameNews::tell_named(const Known& source, const KeptEvent& event) {
    if (heard_until(heard_, source, true) < place_of(event)) {
        found_.push_back({source, &event});
        note_heard(source, true, event);
    }
}

void FrameNews::note_heard(const Known& source, bool is_named, const KeptEvent& event) {
    if (!heard_now_.empty() && heard_now_.back().source == source &&
        heard_now_.back().is_named == is_named) {
        heard_now_.back().tick = event.tick;
        heard_now_.back().number = event.number;
    } else {
        heard_now_.push_back({source, event.tick, event.number, is_named});
    }
}

}  // namespace marchland::engine
