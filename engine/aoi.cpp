#include "engine/aoi.h"

#include "engine/assert.h"

#include <algorithm>
#include <utility>

namespace marchland::engine {
namespace {

Entity born(const AoiEntity& entity, Tick now) {
    Entity born;
    born.id = entity.id;
    born.birth = now;
    born.position = entity.position;
    born.previous = entity.position;
    born.layers = entity.layers;
    born.layers_seen = entity.layers_seen;
    born.view = entity.view;
    born.facing = entity.facing;
    born.notify = entity.notify;
    born.importance = entity.importance;
    born.blob = entity.state;
    return born;
}

bool is_sound(const Blob& state) {
    return state == nullptr || state->size() <= kBlobBytesMax;
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
                options.crowd) {
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
    const Slot slot = interest_.insert(born(entity, interest_.now()));
    if (entity.view.shape != Shape::none) {
        interest_.watch(slot, {});
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
        born_now.push_back(born(entity, interest_.now()));
    }
    interest_.load(born_now);
    for (const AoiEntity& entity : entities) {
        if (entity.view.shape != Shape::none) {
            interest_.watch(slot_of(entity.id), {});
        }
    }
    return {};
}

AoiStatus Aoi::remove(EntityId id) {
    if (const AoiStatus status = what_is_wrong_with_change(id); !status) {
        return status;
    }
    const Slot slot = slot_of(id);
    if (blinded_.contains(slot)) {
        blinded_.remove(slot);
    }
    if (to_number(slot) < jumped_tick_.size()) {
        jumped_tick_[to_number(slot)] = kNever;  // not that of whoever gets the slot next
    }
    if (shows_state(slot)) {
        former_states_.push_back(interest_.entities().at(slot).blob);
    }
    const Entity entity = interest_.erase(slot);
    interest_.record_departure({id, entity.birth});
    return {};
}

AoiStatus Aoi::move(EntityId id, Position to) {
    if (const AoiStatus status = what_is_wrong_with_move(id, to); !status) {
        return status;
    }
    interest_.move(slot_of(id), to);
    return {};
}

AoiStatus Aoi::teleport(EntityId id, Position to) {
    if (const AoiStatus status = what_is_wrong_with_move(id, to); !status) {
        return status;
    }
    const Slot slot = slot_of(id);
    interest_.move(slot, to);
    if (jumped_tick_.size() <= to_number(slot)) {
        jumped_tick_.resize(2 * std::size_t{to_number(slot)} + 1, kNever);
    }
    jumped_tick_[to_number(slot)] = interest_.now();
    return {};
}

AoiStatus Aoi::set_view(EntityId id, const View& view) {
    if (const AoiStatus status = what_is_wrong_with_change(id); !status) {
        return status;
    }
    if (const char* const flaw = flaw_of(view, interest_.dimensions())) {
        return {AoiError::bad_view, id, 0, flaw};
    }
    const Slot slot = slot_of(id);
    interest_.set_view(slot, view);
    const bool is_blind = view.shape == Shape::none;
    if (!is_blind && !interest_.is_watched(slot)) {
        // It is owed nothing of what happened while it had no view.
        interest_.watch(slot, {.members = {}, .sent_tick = interest_.now() - 1});
    }
    if (is_blind && interest_.is_watched(slot) && !blinded_.contains(slot)) {
        blinded_.add(slot);
    } else if (!is_blind && blinded_.contains(slot)) {
        blinded_.remove(slot);
    }
    return {};
}

AoiStatus Aoi::set_facing(EntityId id, Angle facing) {
    if (const AoiStatus status = what_is_wrong_with_change(id); !status) {
        return status;
    }
    interest_.set_facing(slot_of(id), facing);
    return {};
}

AoiStatus Aoi::set_notify(EntityId id, const NotifyRange& notify) {
    if (const AoiStatus status = what_is_wrong_with_change(id); !status) {
        return status;
    }
    if (!is_sound(notify)) {
        return {AoiError::bad_notify, id};
    }
    interest_.set_notify(slot_of(id), notify);
    return {};
}

AoiStatus Aoi::set_layers(EntityId id, LayerMask layers, LayerMask layers_seen) {
    if (const AoiStatus status = what_is_wrong_with_change(id); !status) {
        return status;
    }
    interest_.set_layers(slot_of(id), layers, layers_seen);
    return {};
}

AoiStatus Aoi::set_state(EntityId id, Blob state) {
    if (const AoiStatus status = what_is_wrong_with_change(id); !status) {
        return status;
    }
    if (!is_sound(state)) {
        return {AoiError::bad_state, id};
    }
    const Slot slot = slot_of(id);
    Blob former = shows_state(slot) ? interest_.entities().at(slot).blob : nullptr;
    if (interest_.set_state(slot, std::move(state)) && former != nullptr) {
        former_states_.push_back(std::move(former));
    }
    return {};
}

/// Is its state one that the last tick may have told of? Not of one that came or changed it since.
bool Aoi::shows_state(Slot slot) const {
    const Entity& entity = interest_.entities().at(slot);
    const std::optional<EntityContent> content = interest_.content_of(slot);
    return entity.blob != nullptr && entity.birth != interest_.now() &&
           !(content && content->words.state_tick == interest_.now());
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
    return slot ? interest_.entities().at(*slot).blob : nullptr;
}

AoiStatus Aoi::what_is_wrong_with(const AoiEntity& entity) const {
    if (contains(entity.id)) {
        return {AoiError::id_in_use, entity.id};
    }
    if (!options_.index.bounds.contains(entity.position)) {
        return {AoiError::outside_bounds, entity.id};
    }
    if (const char* const flaw = flaw_of(entity.view, interest_.dimensions())) {
        return {AoiError::bad_view, entity.id, 0, flaw};
    }
    if (!is_sound(entity.notify)) {
        return {AoiError::bad_notify, entity.id};
    }
    if (!is_sound(entity.state)) {
        return {AoiError::bad_state, entity.id};
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
    return interest_.entities().find(id).value();
}

}  // namespace marchland::engine
