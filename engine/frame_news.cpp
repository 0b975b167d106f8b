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

void FrameNews::add(const Scene& scene, Frame& frame, Watcher& watcher, const KnownNow& known,
                    bool complete, std::span<const Known> gone) {
    const Tick told_until = watcher.synced_tick;
    const bool is_something_new =
        scene.news.newest_tick() > told_until || scene.news.named().newest_tick() > told_until;
    if (!is_something_new && !watcher.has_heard) {
        return;
    }
    std::vector<Heard>& heard_before = scene.heard[to_number(frame.watcher)];
    states_.clear();
    found_.clear();
    heard_now_.clear();
    lost_ = false;
    heard_ = heard_before;
    if (scene.news.newest_tick() > told_until) {
        look_around(scene, known, told_until);
        for (const Known& source : gone) {
            tell_life(scene, source, told_until);
        }
    }
    if (scene.news.named().newest_tick() > told_until) {
        look_for_own_name(scene, frame.watcher, told_until);
    }
    heard_ = {};
    if (complete) {
        std::vector<Heard>().swap(heard_before);  // with its memory
    } else {
        keep_in_mind(heard_before);
        lost_ = make_room(heard_before) || lost_;
    }
    watcher.has_heard = !heard_before.empty();
    put_into(frame);
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

void FrameNews::look_around(const Scene& scene, const KnownNow& known, Tick told_until) {
    for (std::size_t word = 0; word < (known.slots.size() + 63) / 64; ++word) {
        for (std::uint64_t left = known.now[word]; left != 0; left &= left - 1) {
            const auto bit = static_cast<std::size_t>(std::countr_zero(left));
            const Slot slot = known.slots[64 * word + bit];
            if (scene.news.tick_of(slot) <= told_until) {
                continue;
            }
            const bool enters = (known.was[word] >> bit & 1U) == 0;
            const Entity& entity = scene.entities.at(slot);
            const Words* const words = scene.news.find(entity.id, entity.birth);
            if (words == nullptr) {
                continue;
            }
            if (!enters && words->state_tick > told_until) {
                states_.push_back(slot);
            }
            if (words->log != nullptr) {
                tell_log({entity.id, entity.birth}, *words->log,
                         enters ? scene.now - 1 : told_until);
            }
        }
    }
}

/// An event from before its birth named an earlier life of the id.
void FrameNews::look_for_own_name(const Scene& scene, Slot slot, Tick told_until) {
    const Entity& self = scene.entities.at(slot);
    const Tick after = std::max(told_until, self.birth - 1);
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

void FrameNews::tell_life(const Scene& scene, const Known& source, Tick after) {
    const Words* const words = scene.news.find(source.id, source.birth);
    if (words != nullptr && words->log != nullptr) {
        tell_log(source, *words->log, after);
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
        found_.push_back({{source.id, event->tick, event->bytes()}, source.birth, event->number});
    }
    if (!log.events.empty()) {
        note_heard(source, false, log.events.back());
    }
    lost_ = lost_ || log.lost_tick > std::max(after, heard.first);
}

void FrameNews::tell_named(const Known& source, const KeptEvent& event) {
    if (heard_until(heard_, source, true) < place_of(event)) {
        found_.push_back({{source.id, event.tick, event.bytes()}, source.birth, event.number});
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

void FrameNews::put_into(Frame& frame) {
    if (found_.size() > 1) {
        std::sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) {
            return std::tuple(a.told.tick, a.told.source, a.birth, a.number) <
                   std::tuple(b.told.tick, b.told.source, b.birth, b.number);
        });
    }
    events_.clear();
    for (const Found& found : found_) {
        events_.push_back(found.told);
    }
    frame.states = states_;
    frame.events = events_;
    frame.events_lost = lost_;
}

}  // namespace marchland::engine
