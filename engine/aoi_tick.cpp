#include "engine/aoi.h"

#include <algorithm>

namespace marchland::engine {
namespace {

/// Says that a callback runs, also to one that ends with an exception.
class CallbackScope {
public:
    explicit CallbackScope(bool& is_in_callback) : is_in_callback_(is_in_callback) {
        is_in_callback_ = true;
    }
    ~CallbackScope() { is_in_callback_ = false; }
    CallbackScope(const CallbackScope&) = delete;
    CallbackScope& operator=(const CallbackScope&) = delete;

private:
    bool& is_in_callback_;
};

/// An event that shows all that its target says of itself.
AoiEvent with_state(EventKind kind, EntityId watcher, const Entity& target) {
    return {kind, watcher, target.id, target.position, {}, false, bytes_of(target.blob)};
}

/// How long limits hold a move back at most, from the tick in which its watcher was told all.
Tick held_ticks_max(const CrowdLimits& limits) {
    Tick ticks = limits.has_budget() ? limits.stale_ticks_max : 1;
    for (const UpdateRing& ring : limits.rings) {
        ticks = std::max<Tick>(ticks, ring.every_ticks);
    }
    return ticks;
}

}  // namespace

AoiStatus Aoi::tick(const EventSink& on_event) {
    if (is_in_callback_) {
        return {AoiError::inside_callback};
    }
    collect_events();
    forget_who_lost_its_view();
    const Tick next = interest_.now() + 1;
    interest_.begin_tick(next);
    // Every watcher has been told of them.
    interest_.forget_before(next);
    if (on_event) {
        const CallbackScope scope(is_in_callback_);
        for (const AoiEvent& event : events_) {
            on_event(event);
        }
    }
    return {};
}

void Aoi::collect_events() {
    events_.clear();
    former_states_.clear();
    stretches_.clear();
    interest_.send_all([this](const Frame& frame) { append_events(frame); });
    put_in_order_of_watchers();
}

void Aoi::append_events(const Frame& frame) {
    const EntityStore& entities = interest_.entities();
    const EntityId watcher = entities.at(frame.watcher).id;
    const std::size_t first = events_.size();
    for (const Leave& leave : frame.leaves) {
        events_.push_back({EventKind::leave, watcher, leave.id, {}, leave.reason, false});
    }
    for (const Slot slot : frame.enters) {
        events_.push_back(with_state(EventKind::enter, watcher, entities.at(slot)));
    }
    for (std::size_t place = 0; place < frame.moves.size(); ++place) {
        const Slot slot = frame.moves[place];
        const Entity& target = entities.at(slot);
        const bool was_held = !frame.were_held.empty() && frame.were_held[place] != 0;
        events_.push_back(
            {EventKind::move, watcher, target.id, target.position, {}, has_jumped(slot, was_held)});
    }
    for (const Slot slot : frame.states) {
        events_.push_back(with_state(EventKind::state, watcher, entities.at(slot)));
    }
    if (events_.size() > first) {
        stretches_.push_back({watcher, first, events_.size()});
    }
}

/// A InterestSystem builds frames in an order of its own.
void Aoi::put_in_order_of_watchers() {
    const auto is_before = [](const Stretch& a, const Stretch& b) { return a.watcher < b.watcher; };
    if (std::is_sorted(stretches_.begin(), stretches_.end(), is_before)) {
        return;
    }
    std::sort(stretches_.begin(), stretches_.end(), is_before);
    unordered_events_.swap(events_);
    events_.clear();
    for (const Stretch& stretch : stretches_) {
        const auto begin = unordered_events_.begin();
        events_.insert(events_.end(), begin + static_cast<std::ptrdiff_t>(stretch.first),
                       begin + static_cast<std::ptrdiff_t>(stretch.last));
    }
}

/// When a move that was held back was told last, the frame does not say: it is no longer ago than
/// moves are held back at most.
bool Aoi::has_jumped(Slot slot, bool was_held) const {
    if (to_number(slot) >= jumped_tick_.size() || jumped_tick_[to_number(slot)] == kNever) {
        return false;
    }
    const Tick within_ticks = was_held ? held_ticks_max(options_.crowd) : 1;
    return interest_.now() - jumped_tick_[to_number(slot)] < within_ticks;
}

/// They were told that they lost everybody; from now on there is nothing to tell.
void Aoi::forget_who_lost_its_view() {
    for (const Slot slot : blinded_.slots()) {
        interest_.unwatch(slot);
    }
    blinded_.clear();
}

}  // namespace marchland::engine
