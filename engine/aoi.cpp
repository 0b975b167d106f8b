#include "engine/aoi.h"

#include "engine/assert.h"
#include "engine/entity.h"
#include "engine/index/quadtree.h"
#include "engine/view_bounds.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace marchland::engine {

std::string_view what_is_wrong_with(const AoiOptions& options) {
    const std::span<const std::string_view> names = index_names();
    const IndexOptions& index = options.index;
    if (std::find(names.begin(), names.end(), options.index_name) == names.end()) {
        return "index_name is none of index_names()";
    }
    if (index.bounds.is_empty() || index.bounds.common_part(kInt32Plane) != index.bounds) {
        return "index.bounds have min <= max, and are within int32";
    }
    if (index.dimensions != Dimensions::two && index.dimensions != Dimensions::three) {
        return "index.dimensions is two or three";
    }
    if (index.cell_mm < 1) {
        return "index.cell_mm is at least 1";
    }
    if (index.cells_max < 1 || index.cells_max > AoiOptions::kCellsMax) {
        return "index.cells_max is from 1 to 2^24";
    }
    if (index.quadtree_node_capacity < 1) {
        return "index.quadtree_node_capacity is at least 1";
    }
    if (index.quadtree_depth_max > Quadtree::kDepthMax) {
        return "index.quadtree_depth_max is at most 16";
    }
    if (options.entities_max < 1 || options.entities_max > AoiOptions::kEntitiesMax) {
        return "entities_max is from 1 to 2^27";
    }
    if (const char* const flaw = flaw_of(options.crowd)) {
        return flaw;
    }
    return {};
}

std::string AoiStatus::text() const {
    const auto of_id = [this](std::string_view what) {
        return "id " + std::to_string(to_number(id)) + std::string(what) + std::string(detail);
    };
    switch (error) {
        case AoiError::none:
            return "ok";
        case AoiError::bad_options:
            return "options: " + std::string(detail);
        case AoiError::bad_area:
            return "the area " + std::string(detail);
        case AoiError::inside_callback:
            return "a callback of tick() may ask, but not change: note the change, and make it "
                   "when tick() has returned";
        case AoiError::unknown_id:
            return of_id(" is not here");
        case AoiError::id_in_use:
            return of_id(" is ");
        case AoiError::outside_bounds:
            return of_id(": the position is outside the bounds");
        case AoiError::bad_view:
            return of_id(": the view ");
        case AoiError::bad_notify:
            return of_id(": a notification range has 0 <= radius_mm <= leave_radius_mm");
        case AoiError::bad_state:
            static_assert(kBlobBytesMax == 1024);
            return of_id(": a state has 1024 bytes at most");
        case AoiError::full:
            return of_id(": there are as many entities as entities_max allows");
    }
    return of_id("");
}

namespace {

/// The library's entities have one slot, for all who see them.
StateSlots one_slot() {
    StateSlot slot;
    slot.type = StateType::bytes;
    slot.bytes_max = kBlobBytesMax;
    return {slot};
}

Blob blob_of(const Entity& entity) {
    const StateValue* const value = value_of(entity.state, 0);
    return value == nullptr ? nullptr : std::get<Blob>(*value);
}

Entity born(const AoiEntity& entity, Tick now) {
    Entity born;
    born.id = entity.id;
    born.birth = now;
    born.position = entity.position;
    born.shown = entity.position;
    born.layers = entity.layers;
    born.layers_seen = entity.layers_seen;
    born.view = entity.view;
    born.facing = entity.facing;
    born.notify = entity.notify;
    born.importance = entity.importance;
    born.state = with(nullptr, std::vector{StateWrite{0, entity.state}}, now);
    return born;
}

/// The place of the first of them whose id one before it has, too.
std::optional<std::size_t> first_id_twice(std::span<const AoiEntity> entities) {
    std::vector<std::pair<EntityId, std::size_t>> ids;
    ids.reserve(entities.size());
    for (std::size_t place = 0; place < entities.size(); ++place) {
        ids.emplace_back(entities[place].id, place);
    }
    std::sort(ids.begin(), ids.end());
    std::optional<std::size_t> first;
    for (std::size_t i = 1; i < ids.size(); ++i) {
        if (ids[i].first == ids[i - 1].first) {
            first = std::min(first.value_or(ids[i].second), ids[i].second);
        }
    }
    return first;
}

}  // namespace

Aoi::Made Aoi::make(const AoiOptions& options) {
    if (const std::string_view wrong = engine::what_is_wrong_with(options); !wrong.empty()) {
        return {nullptr, {.error = AoiError::bad_options, .detail = wrong}};
    }
    return {std::unique_ptr<Aoi>(new Aoi(options)), {}};
}

Aoi::Aoi(const AoiOptions& options)
    : options_(options),
      interest_(make_index(options.index_name, options.index), options.index.dimensions,
                options.crowd, one_slot()) {
    interest_.leave_out_own_states();
    interest_.begin_tick(1);
}

Aoi::~Aoi() {
    MARCHLAND_ASSERT(!is_in_callback_);
}

AoiStatus Aoi::add(const AoiEntity& entity) {
    if (is_in_callback_) {
        return {AoiError::inside_callback, entity.id};
    }
    if (const AoiStatus status = what_is_wrong_with(entity); !status) {
        return status;
    }
    if (size() >= options_.entities_max) {
        return {AoiError::full, entity.id};
    }
    insert(entity);
    return {};
}

/// One that nothing is wrong with.
void Aoi::insert(const AoiEntity& entity) {
    const Slot slot = interest_.insert(born(entity, interest_.now()));
    if (entity.view.shape != Shape::none) {
        interest_.watch(slot, {});
    }
}

AoiStatus Aoi::load(std::span<const AoiEntity> entities) {
    if (is_in_callback_) {
        return {AoiError::inside_callback};
    }
    if (const AoiStatus status = what_is_wrong_with(entities); !status) {
        return status;
    }
    for (const AoiEntity& entity : entities) {
        insert(entity);
    }
    return {};
}

AoiStatus Aoi::remove(EntityId id) {
    return change(id, {}, [&](Slot slot) {
        if (blinded_.contains(slot)) {
            blinded_.remove(slot);
        }
        jumped_tick_.set(slot, kNever);  // not that of whoever gets the slot next
        const Entity entity = interest_.erase(slot);
        interest_.record_departure({id, entity.birth});
    });
}

AoiStatus Aoi::move(EntityId id, Position to) {
    return change(id, what_is_wrong_with(to), [&](Slot slot) { interest_.move(slot, to); });
}

AoiStatus Aoi::teleport(EntityId id, Position to) {
    return change(id, what_is_wrong_with(to), [&](Slot slot) {
        interest_.move(slot, to);
        jumped_tick_.set(slot, interest_.now());
    });
}

AoiStatus Aoi::set_view(EntityId id, const View& view) {
    return change(id, what_is_wrong_with(view), [&](Slot slot) {
        interest_.set_view(slot, view);
        const bool is_blind = view.shape == Shape::none;
        if (!is_blind && !interest_.is_watched(slot)) {
            // It is owed nothing of what happened while it had no view.
            interest_.watch(slot, {.members = {}, .sent_tick = interest_.now() - 1});
        }
        if (is_blind && interest_.is_watched(slot) && !blinded_.contains(slot)) {
            blinded_.add(slot, {});
        } else if (!is_blind && blinded_.contains(slot)) {
            blinded_.remove(slot);
        }
    });
}

AoiStatus Aoi::set_facing(EntityId id, Angle facing) {
    return change(id, {}, [&](Slot slot) { interest_.set_facing(slot, facing); });
}

AoiStatus Aoi::set_notify(EntityId id, const NotifyRange& notify) {
    return change(id, what_is_wrong_with(notify),
                  [&](Slot slot) { interest_.set_notify(slot, notify); });
}

AoiStatus Aoi::set_layers(EntityId id, LayerMask layers, LayerMask layers_seen) {
    return change(id, {}, [&](Slot slot) { interest_.set_layers(slot, layers, layers_seen); });
}

AoiStatus Aoi::set_state(EntityId id, Blob state) {
    return change(id, what_is_wrong_with(state), [&](Slot slot) {
        const std::array writes{StateWrite{0, std::move(state)}};
        interest_.set_state(slot, writes);
    });
}

/// Calls `make` unless something is wrong; `wrong`: what is with the values, if anything.
template <typename Make>
AoiStatus Aoi::change(EntityId id, AoiStatus wrong, Make&& make) {
    if (is_in_callback_) {
        return {AoiError::inside_callback, id};
    }
    const std::optional<Slot> slot = interest_.entities().find(id);
    if (!slot) {
        return {AoiError::unknown_id, id};
    }
    if (!wrong) {
        wrong.id = id;
        return wrong;
    }
    make(*slot);
    return {};
}

bool Aoi::contains(EntityId id) const {
    return interest_.entities().find(id).has_value();
}

std::optional<Position> Aoi::position_of(EntityId id) const {
    const std::optional<Slot> slot = interest_.entities().find(id);
    return slot ? std::optional(interest_.entities().at(*slot).position) : std::nullopt;
}

Blob Aoi::state_of(EntityId id) const {
    const std::optional<Slot> slot = interest_.entities().find(id);
    return slot ? blob_of(interest_.entities().at(*slot)) : nullptr;
}

AoiStatus Aoi::what_is_wrong_with(Position at) const {
    return {options_.index.bounds.contains(at) ? AoiError::none : AoiError::outside_bounds};
}

AoiStatus Aoi::what_is_wrong_with(const View& view) const {
    if (const char* const flaw = flaw_of(view, interest_.dimensions())) {
        return {.error = AoiError::bad_view, .detail = flaw};
    }
    return {};
}

AoiStatus Aoi::what_is_wrong_with(const NotifyRange& notify) {
    return {is_sound(notify) ? AoiError::none : AoiError::bad_notify};
}

AoiStatus Aoi::what_is_wrong_with(const Blob& state) {
    return {bytes_of(state).size() <= kBlobBytesMax ? AoiError::none : AoiError::bad_state};
}

AoiStatus Aoi::what_is_wrong_with(const AoiEntity& entity) const {
    if (contains(entity.id)) {
        return {AoiError::id_in_use, entity.id, 0, "here already"};
    }
    for (AoiStatus wrong : {what_is_wrong_with(entity.position), what_is_wrong_with(entity.view),
                            what_is_wrong_with(entity.notify), what_is_wrong_with(entity.state)}) {
        if (!wrong) {
            wrong.id = entity.id;
            return wrong;
        }
    }
    return {};
}

AoiStatus Aoi::what_is_wrong_with(std::span<const AoiEntity> entities) const {
    const std::size_t room = options_.entities_max - size();
    for (std::size_t place = 0; place < entities.size(); ++place) {
        if (place >= room) {
            return {AoiError::full, entities[place].id, place};
        }
        if (AoiStatus status = what_is_wrong_with(entities[place]); !status) {
            status.place = place;
            return status;
        }
    }
    if (const std::optional<std::size_t> twice = first_id_twice(entities)) {
        return {AoiError::id_in_use, entities[*twice].id, *twice, "twice in the load"};
    }
    return {};
}

namespace {

/// Marks that a callback runs; takes the mark back also after an exception.
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

/// How long limits hold a move back at most, from the tick in which its watcher was sent all.
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
    // Every watcher has been sent them.
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
    shown_states_.clear();
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
    for (const StateSent& sent : frame.states) {
        events_.push_back(with_state(EventKind::state, watcher, entities.at(sent.slot)));
    }
    if (events_.size() > first) {
        stretches_.push_back({watcher, first, events_.size()});
    }
}

/// An event with all that its target sends of itself.
AoiEvent Aoi::with_state(EventKind kind, EntityId watcher, const Entity& target) {
    Blob state = blob_of(target);
    const std::span<const std::byte> bytes = bytes_of(state);
    if (state != nullptr) {
        shown_states_.push_back(std::move(state));
    }
    return {kind, watcher, target.id, target.position, {}, false, bytes};
}

/// An InterestSystem builds frames in an order of its own.
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

/// The frame does not hold when a move that was held back was sent last: it is no longer ago than
/// moves are held back at most.
bool Aoi::has_jumped(Slot slot, bool was_held) const {
    const Tick within_ticks = was_held ? held_ticks_max(options_.crowd) : 1;
    const Tick jumped = jumped_tick_.of(slot);
    return jumped != kNever && interest_.now() - jumped < within_ticks;
}

/// They were sent the leaves of all that they knew; from now on there is nothing to send.
void Aoi::forget_who_lost_its_view() {
    for (const Slot slot : blinded_.slots()) {
        interest_.unwatch(slot);
    }
    blinded_.clear();
}

AoiStatus Aoi::query(const Circle& area, std::vector<EntityId>& out, LayerMask layers) const {
    out.clear();
    if (area.radius_mm < 0) {
        return {.error = AoiError::bad_area, .detail = "has a radius below 0"};
    }
    find(square_around(area.center, area.radius_mm), layers, out, [&](Position at) {
        return is_within(area.center, at, area.radius_mm, interest_.dimensions());
    });
    return {};
}

AoiStatus Aoi::query(const Rect& area, std::vector<EntityId>& out, LayerMask layers) const {
    out.clear();
    if (area.is_empty()) {
        return {.error = AoiError::bad_area, .detail = "has a min above its max"};
    }
    find(area, layers, out, [](Position) { return true; });
    return {};
}

AoiStatus Aoi::query(const Look& look, std::vector<EntityId>& out, LayerMask layers) const {
    out.clear();
    if (const char* const flaw = flaw_of(look.view, interest_.dimensions())) {
        return {.error = AoiError::bad_area, .detail = flaw};
    }
    Entity onlooker;
    onlooker.position = look.from;
    onlooker.view = look.view;
    onlooker.facing = look.facing;
    const ViewBounds view_bounds(onlooker, interest_.dimensions());
    if (!view_bounds.is_blind()) {
        find(view_bounds.enter_bounds(), layers, out,
             [&](Position at) { return view_bounds.begins_at(at); });
    }
    return {};
}

/// Lists those in the area for whose place `holds` is true, in order.
template <typename Holds>
void Aoi::find(const Rect& area, LayerMask layers, std::vector<EntityId>& out,
               Holds&& holds) const {
    found_.clear();
    interest_.index().query(area, found_);
    for (const Slot slot : found_) {
        const Entity& entity = interest_.entities().at(slot);
        if ((entity.layers & layers) != kNoLayers && holds(entity.position)) {
            out.push_back(entity.id);
        }
    }
    std::sort(out.begin(), out.end());
}

void Aoi::nearest(Position from, std::size_t count, std::vector<EntityId>& out,
                  LayerMask layers) const {
    nearest_.find(interest_.entities(), interest_.index(), interest_.dimensions(), from, count,
                  layers, out);
}

}  // namespace marchland::engine
