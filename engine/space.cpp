#include "engine/space.h"

#include "engine/assert.h"

#include <algorithm>
#include <utility>

namespace marchland::engine {
namespace {

/// VisibleSet's first invariant.
bool is_in_order(const std::vector<Known>& members) {
    return std::adjacent_find(members.begin(), members.end(), [](const Known& a, const Known& b) {
               return a.id >= b.id;
           }) == members.end();
}

bool holds(const std::vector<Known>& members, EntityId id) {
    return std::any_of(members.begin(), members.end(),
                       [id](const Known& known) { return known.id == id; });
}

}  // namespace

Space::Space(std::unique_ptr<Index> index, Dimensions dimensions, const CrowdLimits& limits)
    : index_(std::move(index)), dimensions_(dimensions), limits_(limits), sweep_(dimensions) {
    MARCHLAND_ASSERT(flaw_of(limits) == nullptr);
    hands_.push_back(std::make_unique<Sweep::Hand>());
}

void Space::begin_tick(Tick now) {
    MARCHLAND_ASSERT(now > now_);
    sweep_.begin_tick(entities_, now_);
    now_ = now;
}

void Space::slow_rings(std::uint32_t times) {
    MARCHLAND_ASSERT(times >= 1 && times <= kRingSlowdownMax);
    ring_slowdown_ = times;
}

Slot Space::insert(Entity entity) {
    const Position at = entity.position;
    const Slot slot = insert_beside_index(std::move(entity));
    index_.insert(slot, at);
    return slot;
}

void Space::load(std::span<const Entity> entities) {
    std::vector<Placed> placed;
    placed.reserve(entities.size());
    for (const Entity& entity : entities) {
        placed.push_back({insert_beside_index(entity), entity.position});
    }
    index_.load(placed);
}

Slot Space::insert_beside_index(Entity entity) {
    MARCHLAND_ASSERT(flaw_of(entity.view, dimensions_) == nullptr);
    MARCHLAND_ASSERT(is_sound(entity.notify));
    MARCHLAND_ASSERT(entity.moved_tick <= now_);
    const Position at = entity.position;
    const NotifyRange notify = entity.notify;
    const Slot slot = entities_.insert(std::move(entity));
    sweep_.insert(slot, entities_.at(slot));
    news_.attach(slot, entities_.at(slot));
    if (is_beacon(notify)) {
        beacons_.insert(slot, at, notify.leave_radius_mm);
    }
    return slot;
}

Entity Space::erase(Slot slot) {
    if (is_watched(slot)) {
        stop_watching(slot);
    }
    const Entity& entity = entities_.at(slot);
    index_.erase(slot, entity.position);
    sweep_.erase(slot, entities_);
    news_.detach(slot);
    if (is_beacon(entity.notify)) {
        beacons_.erase(slot, entity.position, entity.notify.leave_radius_mm);
    }
    return entities_.erase(slot);
}

void Space::move(Slot slot, Position to) {
    move_to(slot, to, true);
}

void Space::move_late(Slot slot, Position to) {
    move_to(slot, to, false);
}

void Space::move_to(Slot slot, Position to, bool previous_was_told) {
    MARCHLAND_ASSERT(now_ != kNever);
    Entity& entity = entities_.at(slot);
    if (to == entity.position) {
        return;
    }
    index_.move(slot, entity.position);
    sweep_.move(slot, to);
    const bool changes_height_of_flat = dimensions_ == Dimensions::two && to.z != entity.position.z;
    if (!previous_was_told || changes_height_of_flat) {
        sweep_.settle_later(slot);
    }
    if (!beacons_.is_empty() && is_beacon(entity.notify) &&
        beacons_.move(slot, entity.position, to, entity.notify.leave_radius_mm)) {
        sweep_.note_former_beacon(slot, entity);
    }
    if (entity.moved_tick != now_) {
        entity.previous = entity.position;
        entity.moved_tick_before = entity.moved_tick;
        entity.moved_tick = now_;
        entity.previous_was_told = previous_was_told;
    } else if (!previous_was_told) {
        entity.previous_was_told = false;
    }
    entity.position = to;
    if (to == entity.previous && entity.previous_was_told) {
        entity.moved_tick = entity.moved_tick_before;
    }
}

void Space::set_view(Slot slot, View view) {
    MARCHLAND_ASSERT(flaw_of(view, dimensions_) == nullptr);
    Entity& entity = entities_.at(slot);
    entity.view = view;
    look_again(slot);
}

void Space::set_facing(Slot slot, Angle facing) {
    Entity& entity = entities_.at(slot);
    if (entity.view.shape == Shape::sector && facing != entity.facing && is_watched(slot)) {
        sweep_.turn(slot, entity.facing);
    }
    entity.facing = facing;
}

void Space::set_notify(Slot slot, NotifyRange notify) {
    MARCHLAND_ASSERT(is_sound(notify));
    Entity& entity = entities_.at(slot);
    if (is_beacon(entity.notify)) {
        beacons_.erase(slot, entity.position, entity.notify.leave_radius_mm);
    }
    sweep_.set_notify(slot, entity, notify);
    entity.notify = notify;
    if (is_beacon(notify)) {
        beacons_.insert(slot, entity.position, notify.leave_radius_mm);
    }
}

void Space::set_layers(Slot slot, LayerMask layers, LayerMask layers_seen) {
    Entity& entity = entities_.at(slot);
    entity.layers = layers;
    sweep_.set_layers(slot, layers);
    if (layers_seen != entity.layers_seen) {
        entity.layers_seen = layers_seen;
        look_again(slot);
    }
}

/// What it knows is not what its view and layers would have shown it in the last tick.
void Space::look_again(Slot slot) {
    if (is_watched(slot)) {
        watchers_[to_number(slot)].begin_anew();
        sweep_.set_sight(slot, entities_.at(slot));
    }
}

void Space::forget_before(Tick tick) {
    departures_.forget_before(tick);
    news_.forget_before(tick);
    forgotten_here_before_ = std::max(forgotten_here_before_, tick);
}

void Space::watch(Slot slot, const VisibleSet& known) {
    MARCHLAND_ASSERT(!is_watched(slot));
    MARCHLAND_ASSERT(is_in_order(known.members));
    MARCHLAND_ASSERT(!holds(known.members, entities_.at(slot).id));
    MARCHLAND_ASSERT(known.synced_tick <= now_);
    if (watchers_.size() < entities_.slot_count()) {
        watchers_.resize(entities_.slot_count());
        heard_.resize(entities_.slot_count());
    }
    Watcher& watcher = watchers_[to_number(slot)];
    watcher.is_watching = true;
    watcher.place = static_cast<std::uint32_t>(watching_.size());
    watching_.push_back(slot);
    sweep_.watch(slot, entities_.at(slot), watcher);
    watcher.synced_tick = known.synced_tick;
    watcher.keyframe_due = known.keyframe_due;
    heard_[to_number(slot)] = known.heard;
    watcher.framed_tick = kNever;
    watcher.has_band = false;
    watcher.past = Watcher::Past::untold;
    watcher.owed_from =
        std::max(std::max(known.synced_tick, known.told_tick) + 1, entities_.at(slot).birth);
    std::vector<Sighting>& sightings = watcher.known.all();
    sightings.clear();
    // It comes without memory, often with thousands of others: growing step by step asks for it five times.
    sightings.reserve(known.members.size());
    auto held = known.held.begin();
    for (const Known& member : known.members) {
        // Its own slot never holds another id: for one that is not here, as good as any.
        sightings.push_back({member, entities_.find(member.id).value_or(slot)});
        if (held != known.held.end() && held->id == member.id) {
            sightings.back().held_ticks = held->ticks;
            ++held;
        }
    }
    MARCHLAND_ASSERT(held == known.held.end());
}

VisibleSet Space::unwatch(Slot slot) {
    MARCHLAND_ASSERT(is_watched(slot));
    Watcher& watcher = watchers_[to_number(slot)];
    sweep_.catch_up(watcher);
    VisibleSet known;
    known.synced_tick = watcher.synced_tick;
    known.keyframe_due = watcher.keyframe_due;
    known.heard = heard_[to_number(slot)];
    known.told_tick = std::max({watcher.synced_tick, watcher.framed_tick, watcher.owed_from - 1});
    known.members.reserve(watcher.known.size());
    for (const Sighting& sighting : watcher.known.all()) {
        known.members.push_back(sighting.known);
        if (sighting.held_ticks != 0) {
            known.held.push_back({sighting.known.id, sighting.held_ticks});
        }
    }
    stop_watching(slot);
    return known;
}

void Space::stop_watching(Slot slot) {
    Watcher& watcher = watchers_[to_number(slot)];
    watcher.is_watching = false;
    // Given back with the watcher. Or each slot would keep what the best informed of all that ever stood
    // there needed, and a zone would grow for as long as entities cross its borders.
    watcher.known = Sightings();
    watcher.band = std::vector<Slot>();
    heard_[to_number(slot)] = {};
    sweep_.unwatch(slot);
    const Slot last = watching_.back();
    watching_[watcher.place] = last;
    watchers_[to_number(last)].place = watcher.place;
    watching_.pop_back();
}

bool Space::is_watched(Slot slot) const {
    MARCHLAND_ASSERT(entities_.is_live(slot));
    return to_number(slot) < watchers_.size() && watchers_[to_number(slot)].is_watching;
}

void Space::ask_keyframe(Slot slot) {
    MARCHLAND_ASSERT(is_watched(slot));
    watchers_[to_number(slot)].keyframe_due = true;
    sweep_.ask(slot);
}

void Space::build_frames(std::span<const Slot> watchers, bool complete, const FrameSink& sink) {
    OneHand alone;
    build_frames(watchers, complete, alone, {&sink, 1});
}

void Space::build_frames(std::span<const Slot> watchers, bool complete, Crew& crew,
                         std::span<const FrameSink> sinks) {
    build(watchers, complete, crew, sinks, true);
}

void Space::build(std::span<const Slot> watchers, bool complete, Crew& crew,
                  std::span<const FrameSink> sinks, bool are_usual) {
    MARCHLAND_ASSERT(now_ != kNever);
    MARCHLAND_ASSERT(sinks.size() >= crew.hands());
    while (hands_.size() < crew.hands()) {
        hands_.push_back(std::make_unique<Sweep::Hand>());
    }
    while (limits_.is_any_set() && crowd_hands_.size() < hands_.size()) {
        crowd_hands_.push_back(std::make_unique<CrowdFrames>(limits_));
    }
    const Scene scene{entities_, index_,      beacons_, departures_,   news_,
                      heard_,    dimensions_, now_,     ring_slowdown_};
    // Where a crowd has limits nobody is for the sweep, which tells all that is to be told.
    const bool is_swept = !limits_.is_any_set();
    if (is_swept) {
        sweep_.prepare(scene, watchers, are_usual);
    }
    others_.clear();
    has_heard_all_ = has_heard_all_ || complete;
    for (const Slot slot : watchers) {
        MARCHLAND_ASSERT(is_watched(slot));
        Watcher& watcher = watchers_[to_number(slot)];
        // A second frame of one tick would miss what moved between the two.
        MARCHLAND_ASSERT(watcher.framed_tick != now_);
        if (watcher.past != Watcher::Past::known) {
            weigh_what_it_missed(watcher);
        }
        if (!is_swept || watcher.keyframe_due || !sweep_.take(scene, slot, watcher, complete)) {
            sweep_.catch_up(watcher);
            watcher.framed_tick = now_;
            others_.push_back(slot);
        }
    }
    if (!others_.empty()) {
        index_.up_to_date(entities_);  // from here on nothing is written but watchers
    }
    // More parts than hands, for they are not equally long.
    const std::size_t parts_wanted = crew.hands() == 1 ? 1 : 4 * crew.hands();
    const std::size_t swept_parts = sweep_.divide(parts_wanted);
    const std::size_t other_parts = std::min(others_.size(), parts_wanted);
    const auto build = [&](std::size_t part, std::size_t hand) {
        if (part < swept_parts) {
            sweep_.build(scene, watchers_, complete, part, *hands_[hand], sinks[hand]);
        } else {
            build_others(scene, part - swept_parts, other_parts, complete, hand, sinks[hand]);
        }
    };
    // By one reference, or std::function would allocate for all that the work refers to.
    crew.run(swept_parts + other_parts,
             [&build](std::size_t part, std::size_t hand) { build(part, hand); });
    sweep_.end_build(now_);
    if (complete && watchers.size() == watching_.size()) {
        sweep_.note_all_told(now_);
    }
}

/// From its first frame here on it is told all that is known here. But a Space that has not heard from all others
/// may not know yet how much they had forgotten when they told it the rest.
void Space::weigh_what_it_missed(Watcher& watcher) {
    sweep_.catch_up(watcher);
    const bool is_untold = watcher.past == Watcher::Past::untold;
    const Tick before = is_untold ? forgotten_before() : told_forgotten_before_;
    if (std::max(watcher.synced_tick + 1, watcher.owed_from) < before) {
        watcher.past = Watcher::Past::forgotten;
        watcher.keyframe_due = true;
    } else {
        watcher.past = has_heard_all_ ? Watcher::Past::known : Watcher::Past::unsure;
    }
}

void Space::build_others(const Scene& scene, std::size_t part, std::size_t parts, bool complete,
                         std::size_t hand, const FrameSink& sink) {
    const std::size_t end = others_.size() * (part + 1) / parts;
    for (std::size_t i = others_.size() * part / parts; i < end; ++i) {
        const Slot slot = others_[i];
        Watcher& watcher = watchers_[to_number(slot)];
        const Tick told_until = watcher.synced_tick;
        Sweep::Hand& tools = *hands_[hand];
        CrowdFrames* const crowd = crowd_hands_.empty() ? nullptr : crowd_hands_[hand].get();
        Frame frame = tools.general.build(scene, slot, watcher, complete, {},
                                          crowd != nullptr ? crowd->cap() : nullptr);
        if (crowd != nullptr) {
            frame = crowd->keep_nearest(scene, frame, watcher);
        }
        frame = tools.news.add(scene, frame, watcher, told_until, complete, tools.general.gone());
        if (watcher.past == Watcher::Past::forgotten) {
            frame.events_lost = true;
            watcher.past = Watcher::Past::known;
        }
        if (watcher.keyframe_due) {
            frame = tools.keyframe.whole(frame, watcher);
        } else if (crowd != nullptr) {
            frame = crowd->hold_back(scene, frame, watcher, told_until, complete);
        }
        sink(frame);
    }
}

void Space::tell_all(const FrameSink& sink) {
    MARCHLAND_ASSERT(now_ != kNever);
    const Scene scene{entities_, index_,      beacons_, departures_,   news_,
                      heard_,    dimensions_, now_,     ring_slowdown_};
    // With limits there may be something to tell where nothing changed: what was held back.
    const bool may_be_quick = !limits_.is_any_set();
    if (may_be_quick && sweep_.tell_single_move(scene, watchers_, *hands_.front(), sink)) {
        told_by_ = TellWay::by_one_move;
        return;
    }
    const auto concerned =
        may_be_quick ? sweep_.concerned(scene, watchers_, watching_) : std::nullopt;
    told_by_ = concerned ? TellWay::by_changes : TellWay::by_all_frames;
    const FrameSink keep = [&sink](const Frame& frame) {
        if (!frame.is_empty()) {
            sink(frame);
        }
    };
    OneHand alone;
    build(concerned.value_or(watching_), true, alone, {&keep, 1}, !concerned);
    sweep_.note_all_told(now_);
}

}  // namespace marchland::engine
