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

}  // namespace

AoiStatus Aoi::tick(const EventSink& on_event) {
    if (is_in_callback_) {
        return {AoiError::inside_callback};
    }
    collect_events();
    forget_who_lost_its_view();
    const Tick next = space_.now() + 1;
    space_.begin_tick(next);
    // Every watcher has been told of them.
    space_.forget_departures_before(next);
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
    stretches_.clear();
    space_.tell_all([this](const Frame& frame) { append_events(frame); });
    put_in_order_of_watchers();
}

void Aoi::append_events(const Frame& frame) {
    const EntityStore& entities = space_.entities();
    const EntityId watcher = entities.at(frame.watcher).id;
    const std::size_t first = events_.size();
    for (const Leave& leave : frame.leaves) {
        events_.push_back({EventKind::leave, watcher, leave.id, {}, leave.reason, false});
    }
    for (const Slot slot : frame.enters) {
        const Entity& target = entities.at(slot);
        events_.push_back({EventKind::enter, watcher, target.id, target.position, {}, false});
    }
    for (const Slot slot : frame.moves) {
        const Entity& target = entities.at(slot);
        events_.push_back(
            {EventKind::move, watcher, target.id, target.position, {}, has_jumped(slot)});
    }
    if (events_.size() > first) {
        stretches_.push_back({watcher, first, events_.size()});
    }
}

/// A Space builds frames in an order of its own.
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

bool Aoi::has_jumped(Slot slot) const {
    return to_number(slot) < jumped_tick_.size() && jumped_tick_[to_number(slot)] == space_.now();
}

/// They were told that they lost everybody; from now on there is nothing to tell.
void Aoi::forget_who_lost_its_view() {
    for (const Slot slot : blinded_.slots()) {
        space_.unwatch(slot);
    }
    blinded_.clear();
}

}  // namespace marchland::engine
