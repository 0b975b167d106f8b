#include "engine/aoi.h"

#include "engine/assert.h"

#include <algorithm>
#include <utility>

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

bool is_in_order(const View& view) {
    return view.shape == Shape::none || (view.shape == Shape::circle && view.radius_mm >= 0 &&
                                         view.radius_mm <= view.leave_radius_mm);
}

Entity born(const AoiEntity& entity, Tick now) {
    Entity born;
    born.id = entity.id;
    born.birth = now;
    born.position = entity.position;
    born.previous = entity.position;
    born.layers = entity.layers;
    born.layers_seen = entity.layers_seen;
    born.view = entity.view;
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
      space_(make_index(options.index_name, options.index), options.index.dimensions) {
    space_.begin_tick(1);
}

Aoi::~Aoi() {
    MARCHLAND_ASSERT(!is_in_callback_);
}

AoiStatus Aoi::add(const AoiEntity& entity) {
    if (is_in_callback_) {
        return {AoiError::inside_callback, entity.id};
    }
    if (const AoiError error = what_is_wrong_with(entity); error != AoiError::none) {
        return {error, entity.id};
    }
    if (size() >= options_.entities_max) {
        return {AoiError::full, entity.id};
    }
    const Slot slot = space_.insert(born(entity, space_.now()));
    if (entity.view.shape != Shape::none) {
        begin_to_watch(entity.id, slot);
    }
    return {};
}

AoiStatus Aoi::load(std::span<const AoiEntity> entities) {
    if (is_in_callback_) {
        return {AoiError::inside_callback};
    }
    if (const AoiStatus status = what_is_wrong_with(entities); !status) {
        return status;
    }
    std::vector<Entity> born_now;
    born_now.reserve(entities.size());
    for (const AoiEntity& entity : entities) {
        born_now.push_back(born(entity, space_.now()));
    }
    space_.load(born_now);
    for (const AoiEntity& entity : entities) {
        if (entity.view.shape != Shape::none) {
            begin_to_watch(entity.id, slot_of(entity.id));
        }
    }
    return {};
}

AoiStatus Aoi::remove(EntityId id) {
    if (const AoiStatus status = what_is_wrong_with_change(id); !status) {
        return status;
    }
    const Entity entity = space_.erase(slot_of(id));
    space_.record_departure({id, entity.birth});
    watchers_.erase(id);
    return {};
}

AoiStatus Aoi::move(EntityId id, Position to) {
    if (const AoiStatus status = what_is_wrong_with_move(id, to); !status) {
        return status;
    }
    space_.move(slot_of(id), to);
    return {};
}

AoiStatus Aoi::teleport(EntityId id, Position to) {
    if (const AoiStatus status = what_is_wrong_with_move(id, to); !status) {
        return status;
    }
    space_.move(slot_of(id), to);
    jumped_.push_back(id);
    return {};
}

AoiStatus Aoi::set_view(EntityId id, const View& view) {
    if (const AoiStatus status = what_is_wrong_with_change(id); !status) {
        return status;
    }
    if (!is_in_order(view)) {
        return {AoiError::bad_view, id};
    }
    const Slot slot = slot_of(id);
    space_.set_view(slot, view);
    if (view.shape != Shape::none && !watchers_.contains(id)) {
        begin_to_watch(id, slot);
    }
    return {};
}

AoiStatus Aoi::set_layers(EntityId id, LayerMask layers, LayerMask layers_seen) {
    if (const AoiStatus status = what_is_wrong_with_change(id); !status) {
        return status;
    }
    space_.set_layers(slot_of(id), layers, layers_seen);
    return {};
}

AoiStatus Aoi::tick(const EventSink& on_event) {
    if (is_in_callback_) {
        return {AoiError::inside_callback};
    }
    collect_events();
    forget_who_lost_its_view();
    jumped_.clear();
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

bool Aoi::contains(EntityId id) const {
    return space_.entities().find(id).has_value();
}

std::optional<Position> Aoi::position_of(EntityId id) const {
    const std::optional<Slot> slot = space_.entities().find(id);
    return slot ? std::optional(space_.entities().at(*slot).position) : std::nullopt;
}

AoiStatus Aoi::query(const Circle& area, std::vector<EntityId>& out, LayerMask layers) const {
    out.clear();
    if (area.radius_mm < 0) {
        return {AoiError::bad_area};
    }
    found_.clear();
    space_.index().query(square_around(area.center, area.radius_mm), found_);
    std::erase_if(found_, [&](Slot slot) {
        return !is_within(area.center, space_.entities().at(slot).position, area.radius_mm,
                          space_.dimensions());
    });
    keep_found_in_order(layers, out);
    return {};
}

AoiStatus Aoi::query(const Rect& area, std::vector<EntityId>& out, LayerMask layers) const {
    out.clear();
    if (area.min_x > area.max_x || area.min_y > area.max_y) {
        return {AoiError::bad_area};
    }
    found_.clear();
    space_.index().query(area, found_);
    keep_found_in_order(layers, out);
    return {};
}

void Aoi::nearest(Position from, std::size_t count, std::vector<EntityId>& out,
                  LayerMask layers) const {
    nearest_.find(space_.entities(), space_.index(), space_.dimensions(), from, count, layers, out);
}

AoiError Aoi::what_is_wrong_with(const AoiEntity& entity) const {
    if (contains(entity.id)) {
        return AoiError::id_in_use;
    }
    if (!options_.index.bounds.contains(entity.position)) {
        return AoiError::outside_bounds;
    }
    return is_in_order(entity.view) ? AoiError::none : AoiError::bad_view;
}

AoiStatus Aoi::what_is_wrong_with(std::span<const AoiEntity> entities) const {
    const std::size_t room = options_.entities_max - size();
    for (std::size_t place = 0; place < entities.size(); ++place) {
        const AoiError error = place >= room ? AoiError::full : what_is_wrong_with(entities[place]);
        if (error != AoiError::none) {
            return {error, entities[place].id, place};
        }
    }
    if (const std::optional<std::size_t> twice = first_id_twice(entities)) {
        return {AoiError::id_in_use, entities[*twice].id, *twice};
    }
    return {};
}

AoiStatus Aoi::what_is_wrong_with_move(EntityId id, Position to) const {
    if (const AoiStatus status = what_is_wrong_with_change(id); !status) {
        return status;
    }
    if (!options_.index.bounds.contains(to)) {
        return {AoiError::outside_bounds, id};
    }
    return {};
}

AoiStatus Aoi::what_is_wrong_with_change(EntityId id) const {
    if (is_in_callback_) {
        return {AoiError::inside_callback, id};
    }
    if (!contains(id)) {
        return {AoiError::unknown_id, id};
    }
    return {};
}

Slot Aoi::slot_of(EntityId id) const {
    return space_.entities().find(id).value();
}

void Aoi::begin_to_watch(EntityId id, Slot slot) {
    space_.watch(slot, {});
    watchers_.emplace(id, slot);
}

void Aoi::collect_events() {
    events_.clear();
    std::sort(jumped_.begin(), jumped_.end());
    watcher_slots_.clear();
    for (const auto& [id, slot] : watchers_) {
        watcher_slots_.push_back(slot);
    }
    stretches_.clear();
    space_.build_frames(watcher_slots_, true, [this](const Frame& frame) { append_events(frame); });
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
        const bool jumped = std::binary_search(jumped_.begin(), jumped_.end(), target.id);
        events_.push_back({EventKind::move, watcher, target.id, target.position, {}, jumped});
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

/// It was told that it lost everybody; from now on there is nothing to tell.
void Aoi::forget_who_lost_its_view() {
    std::erase_if(watchers_, [this](const auto& watcher) {
        const Slot slot = watcher.second;
        if (space_.entities().at(slot).view.shape != Shape::none) {
            return false;
        }
        space_.unwatch(slot);
        return true;
    });
}

void Aoi::keep_found_in_order(LayerMask layers, std::vector<EntityId>& out) const {
    for (const Slot slot : found_) {
        const Entity& entity = space_.entities().at(slot);
        if ((entity.layers & layers) != kNoLayers) {
            out.push_back(entity.id);
        }
    }
    std::sort(out.begin(), out.end());
}

}  // namespace marchland::engine
