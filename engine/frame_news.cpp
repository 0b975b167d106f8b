#include "engine/frame_news.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace marchland::engine {

Frame FrameNews::add(const Scene& scene, const Frame& built, Watcher& watcher, Tick told_until,
                     bool complete, std::span<const Known> gone) {
    begin();
    std::vector<Heard>& heard_before = scene.heard[to_number(built.watcher)];
    heard_ = heard_before;
    if (scene.news.newest_tick() > told_until) {
        look_around(scene, built, watcher, told_until);
        for (const Known& known : gone) {
            tell_life(scene, known, told_until);
        }
    }
    if (scene.news.named().newest_tick() > told_until) {
        look_for_own_name(scene, built.watcher, told_until);
    }
    heard_ = {};
    if (complete) {
        heard_before.clear();
    } else {
        keep_in_mind(heard_before);
    }
    Frame told = built;
    put_into(told);
    return told;
}

void FrameNews::keep_in_mind(std::vector<Heard>& heard_before) const {
    for (const Heard& heard : heard_now_) {
        const auto same =
            std::find_if(heard_before.begin(), heard_before.end(), [&](const Heard& other) {
                return other.source == heard.source && other.is_named == heard.is_named;
            });
        (same == heard_before.end() ? heard_before.emplace_back() : *same) = heard;
    }
}

/// `built.enters` is in the order of what is known.
void FrameNews::look_around(const Scene& scene, const Frame& built, Watcher& watcher,
                            Tick told_until) {
    auto enter = built.enters.begin();
    for (const Sighting& sighting : watcher.known.all()) {
        const bool enters = enter != built.enters.end() && *enter == sighting.slot;
        enter += enters ? 1 : 0;
        if (scene.news.tick_of(sighting.slot) <= told_until) {
            continue;
        }
        const Words* const words = scene.news.find(sighting.known.id, sighting.known.birth);
        if (words == nullptr) {
            continue;
        }
        if (!enters && words->state_tick > told_until) {
            states_.push_back(sighting.slot);
        }
        if (words->log != nullptr) {
            tell_log(sighting.known, *words->log, enters ? scene.now - 1 : told_until);
        }
    }
}

/// An event from before its birth named an earlier life of the id.
void FrameNews::look_for_own_name(const Scene& scene, Slot slot, Tick told_until) {
    const Entity& self = scene.entities.at(slot);
    const Tick after = std::max(told_until, self.birth - 1);
    lost_ = lost_ || scene.news.named().lost_tick() > after;
    const NamedEvents::Mailbag* const mail = scene.news.named().find(self.id);
    if (mail == nullptr) {
        return;
    }
    for (const NamedEvents::Kept& kept : mail->events) {
        if (kept.event.tick > after) {
            tell({kept.source, kept.birth}, true, kept.event);
        }
    }
    lost_ = lost_ || mail->lost_tick > after;
}

void FrameNews::begin() {
    states_.clear();
    found_.clear();
    heard_now_.clear();
    lost_ = false;
}

void FrameNews::stays(const Scene& scene, Slot slot) {
    if (scene.news.tick_of(slot) != scene.now) {
        return;
    }
    const Entity& entity = scene.entities.at(slot);
    const Words& words = *scene.news.find(entity.id, entity.birth);
    if (words.state_tick == scene.now) {
        states_.push_back(slot);
    }
    if (words.log != nullptr) {
        tell_log({entity.id, entity.birth}, *words.log, scene.now - 1);
    }
}

void FrameNews::enters(const Scene& scene, Slot slot) {
    if (scene.news.tick_of(slot) == scene.now) {
        const Entity& entity = scene.entities.at(slot);
        tell_life(scene, {entity.id, entity.birth}, scene.now - 1);
    }
}

void FrameNews::is_gone(const Scene& scene, const Known& known) {
    if (scene.news.newest_tick() == scene.now) {
        tell_life(scene, known, scene.now - 1);
    }
}

void FrameNews::tell_life(const Scene& scene, const Known& source, Tick after) {
    const Words* const words = scene.news.find(source.id, source.birth);
    if (words != nullptr && words->log != nullptr) {
        tell_log(source, *words->log, after);
    }
}

void FrameNews::tell_log(const Known& source, const EventLog& log, Tick after) {
    for (const KeptEvent& event : log.events) {
        if (event.tick > after) {
            tell(source, false, event);
        }
    }
    if (!log.events.empty()) {
        note_heard(source, false, log.events.back());
    }
    lost_ = lost_ || log.lost_tick > after;
}

void FrameNews::tell(const Known& source, bool is_named, const KeptEvent& event) {
    if (!was_heard(source, is_named, event)) {
        found_.push_back({{source.id, event.tick, event.bytes()}, source.birth, event.number});
        if (is_named) {
            note_heard(source, true, event);
        }
    }
}

bool FrameNews::was_heard(const Known& source, bool is_named, const KeptEvent& event) const {
    return std::any_of(heard_.begin(), heard_.end(), [&](const Heard& heard) {
        return heard.source == source && heard.is_named == is_named &&
               std::pair{event.tick, event.number} <= std::pair{heard.tick, heard.number};
    });
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
