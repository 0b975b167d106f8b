#include "tests/engine/aoi_script.h"

#include "tests/engine/exact_distance.h"
#include "tests/engine/textbook_view.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace marchland::engine::testing {
namespace {

/// Room for a few steps up to the largest int32.
constexpr std::int32_t kBelowMax = std::numeric_limits<std::int32_t>::max() - 8;

/// By docs/visibility.md, not by flaw_of.
bool is_sound_view(const View& view, Dimensions dimensions) {
    const auto is_in_order = [](std::int64_t enter, std::int64_t leave) {
        return 0 <= enter && enter <= leave;
    };
    const auto shape = static_cast<unsigned>(view.shape);
    const auto last =
        static_cast<unsigned>(dimensions == Dimensions::three ? Shape::cylinder : Shape::sector);
    return shape <= last && is_in_order(view.radius_mm, view.leave_radius_mm) &&
           is_in_order(view.half_y_mm, view.leave_half_y_mm) &&
           is_in_order(view.half_z_mm, view.leave_half_z_mm) &&
           is_in_order(view.half_opening, view.leave_half_opening) &&
           view.leave_half_opening <= 32'768;
}

bool is_sound_range(const NotifyRange& notify) {
    return 0 <= notify.radius_mm && notify.radius_mm <= notify.leave_radius_mm;
}

StateSlots one_slot() {
    StateSlots slots(1);
    slots.front().type = StateType::bytes;
    return slots;
}

bool is_sound_state(const Blob& state) {
    return state == nullptr || state->size() <= 1'024;
}

Wide squared(Position a, Position b, Dimensions dimensions) {
    const Wide dx = Wide{a.x} - b.x;
    const Wide dy = Wide{a.y} - b.y;
    const Wide dz = dimensions == Dimensions::three ? Wide{a.z} - b.z : Wide{0};
    return dx * dx + dy * dy + dz * dz;
}

}  // namespace

AoiScript::AoiScript(std::span<const std::uint8_t> bytes)
    : bytes_(bytes),
      options_(bytes_.options()),
      aoi_(Aoi::make(options_).aoi),
      oracle_(options_.index.dimensions, {}, one_slot()) {
    oracle_.begin_tick(1);
}

std::optional<std::string> AoiScript::play() {
    expect(aoi_ != nullptr, "made");
    while (!disagreement_ && !bytes_.is_empty()) {
        play_one();
    }
    if (!disagreement_) {
        tick();
    }
    return disagreement_;
}

void AoiScript::play_one() {
    using Play = void (AoiScript::*)();
    constexpr std::array<Play, 21> kPlays{
        &AoiScript::add,        &AoiScript::add,        &AoiScript::load,
        &AoiScript::remove,     &AoiScript::move,       &AoiScript::move,
        &AoiScript::move,       &AoiScript::move,       &AoiScript::move,
        &AoiScript::teleport,   &AoiScript::set_view,   &AoiScript::set_facing,
        &AoiScript::set_notify, &AoiScript::set_layers, &AoiScript::tick,
        &AoiScript::tick,       &AoiScript::query_look, &AoiScript::query_circle,
        &AoiScript::query_rect, &AoiScript::nearest,    &AoiScript::set_state};
    (this->*kPlays[bytes_.byte() % kPlays.size()])();
    expect(aoi_->size() == alive_.size(), "size");
}

void AoiScript::add() {
    const AoiEntity entity = bytes_.entity();
    const AoiError error =
        alive_.size() >= options_.entities_max && expected_error(entity) == AoiError::none
            ? AoiError::full
            : expected_error(entity);
    if (agree(aoi_->add(entity), error, "add")) {
        admit(entity);
    }
}

/// A crowd of markers and watchers around one place, with ids of its own unless there is a mistake.
void AoiScript::load() {
    const AoiEntity model = bytes_.entity();
    std::uint32_t dice = bytes_.byte();
    const std::size_t count = bytes_.byte() % 128;
    const std::uint64_t first_id = 100 + bytes_.byte();
    std::vector<AoiEntity> entities;

    for (std::size_t place = 0; place < count; ++place) {
        dice = dice * 1'664'525U + 1'013'904'223U;
        AoiEntity entity = model;
        entity.id = EntityId{dice >> 25U == 0 ? first_id : first_id + place};
        const auto step = static_cast<std::int32_t>((dice >> 16U) % 5U);
        entity.position.x = std::min(entity.position.x, kBelowMax) + step;
        entity.view = place % 8 == 0 ? model.view : View{};
        entities.push_back(entity);
    }
    const AoiStatus status = aoi_->load(entities);
    // One by one says what is wrong, the kind of it aside: which of two mistakes is reported is the
    // load's.
    std::set<EntityId> ids;
    bool is_fine = alive_.size() + count <= options_.entities_max;
    for (const AoiEntity& entity : entities) {
        is_fine =
            is_fine && ids.insert(entity.id).second && expected_error(entity) == AoiError::none;
    }
    expect(static_cast<bool>(status) == is_fine, "load");
    if (!is_fine) {
        ++tally_.refusals;
        return;
    }
    for (const AoiEntity& entity : entities) {
        admit(entity);
    }
}

void AoiScript::remove() {
    const EntityId id = bytes_.id();
    if (agree(aoi_->remove(id), if_alive(id, AoiError::none), "remove")) {
        oracle_.record_departure(id);
        oracle_.erase(id);
        alive_.erase(id);
        jumped_.erase(id);
    }
}

void AoiScript::move() {
    const EntityId id = bytes_.id();
    const Position to = bytes_.position();
    if (agree(aoi_->move(id, to), expected_error(id, to), "move")) {
        put(id, to);
    }
}

void AoiScript::teleport() {
    const EntityId id = bytes_.id();
    const Position to = bytes_.position();
    if (agree(aoi_->teleport(id, to), expected_error(id, to), "teleport")) {
        put(id, to);
        jumped_.insert(id);
    }
}

void AoiScript::set_view() {
    const EntityId id = bytes_.id();
    const View view = bytes_.view();
    const AoiError error = if_alive(
        id, is_sound_view(view, options_.index.dimensions) ? AoiError::none : AoiError::bad_view);
    if (agree(aoi_->set_view(id, view), error, "set_view")) {
        oracle_.set_view(id, view);
        alive_.at(id).view = view;
        if (view.shape != Shape::none && !oracle_.is_watched(id)) {
            oracle_.watch(id);
        }
    }
}

void AoiScript::set_facing() {
    const EntityId id = bytes_.id();
    const Angle facing = bytes_.angle();
    if (agree(aoi_->set_facing(id, facing), if_alive(id, AoiError::none), "set_facing")) {
        oracle_.set_facing(id, facing);
        alive_.at(id).facing = facing;
    }
}

void AoiScript::set_notify() {
    const EntityId id = bytes_.id();
    const NotifyRange notify = bytes_.notify();
    const AoiError error =
        if_alive(id, is_sound_range(notify) ? AoiError::none : AoiError::bad_notify);
    if (agree(aoi_->set_notify(id, notify), error, "set_notify")) {
        oracle_.set_notify(id, notify);
        alive_.at(id).notify = notify;
    }
}

void AoiScript::set_layers() {
    const EntityId id = bytes_.id();
    const LayerMask layers = bytes_.mask();
    const LayerMask seen = bytes_.mask();
    if (agree(aoi_->set_layers(id, layers, seen), if_alive(id, AoiError::none), "set_layers")) {
        oracle_.set_layers(id, layers, seen);
        alive_.at(id).layers = layers;
        alive_.at(id).layers_seen = seen;
    }
}

void AoiScript::set_state() {
    const EntityId id = bytes_.id();
    const Blob state = bytes_.state();
    const AoiError error =
        if_alive(id, is_sound_state(state) ? AoiError::none : AoiError::bad_state);
    if (agree(aoi_->set_state(id, state), error, "set_state")) {
        oracle_.set_state(id, {0, state});
        alive_.at(id).state = state;
        expect(std::ranges::equal(bytes_of(aoi_->state_of(id)), bytes_of(state)), "state_of");
    }
}

void AoiScript::tick() {
    const std::vector<AoiEvent> expected = expected_events();
    std::vector<AoiEvent> called;
    const AoiStatus status = aoi_->tick([&](const AoiEvent& event) {
        if (called.empty()) {
            try_changes_inside_a_callback(event.target);
        }
        called.push_back(event);
    });
    agree(status, AoiError::none, "tick");
    expect(called == expected, "events");
    expect(std::equal(called.begin(), called.end(), aoi_->events().begin(), aoi_->events().end()),
           "events()");
    tally_.events += expected.size();
    for (const auto& [id, entity] : alive_) {
        if (entity.view.shape == Shape::none && oracle_.is_watched(id)) {
            oracle_.unwatch(id);
        }
    }
    jumped_.clear();
    const Tick next = oracle_.now() + 1;
    oracle_.begin_tick(next);
    oracle_.forget_before(next);
}

void AoiScript::query_circle() {
    const Circle area{bytes_.position(), bytes_.radius()};
    const LayerMask layers = bytes_.mask();
    std::vector<EntityId> found;
    const AoiError error = area.radius_mm < 0 ? AoiError::bad_area : AoiError::none;
    if (agree(aoi_->query(area, found, layers), error, "circle")) {
        tally_.found += found.size();
        expect(found == all_where(layers,
                                  [&](Position at) {
                                      return is_within_by_the_textbook(area.center, at,
                                                                       area.radius_mm,
                                                                       options_.index.dimensions);
                                  }),
               "circle");
    }
}

void AoiScript::query_rect() {
    const Position corner = bytes_.position();
    const Position other = bytes_.position();
    const Rect area{corner.x, corner.y, other.x, other.y};
    const LayerMask layers = bytes_.mask();
    std::vector<EntityId> found;
    const bool is_none = area.min_x > area.max_x || area.min_y > area.max_y;
    if (agree(aoi_->query(area, found, layers), is_none ? AoiError::bad_area : AoiError::none,
              "rect")) {
        tally_.found += found.size();
        expect(found == all_where(layers,
                                  [&](Position at) {
                                      return area.min_x <= at.x && at.x <= area.max_x &&
                                             area.min_y <= at.y && at.y <= area.max_y;
                                  }),
               "rect");
    }
}

void AoiScript::query_look() {
    const Look look{bytes_.position(), bytes_.view(), bytes_.angle()};
    const LayerMask layers = bytes_.mask();
    const Dimensions dimensions = options_.index.dimensions;
    std::vector<EntityId> found;
    const AoiError error =
        is_sound_view(look.view, dimensions) ? AoiError::none : AoiError::bad_area;
    if (agree(aoi_->query(look, found, layers), error, "look")) {
        tally_.found += found.size();
        expect(found == all_where(layers,
                                  [&](Position at) {
                                      return is_in_view_by_the_textbook(
                                          look.view, false, look.from, look.facing, at, dimensions);
                                  }),
               "look");
    }
}

void AoiScript::nearest() {
    const Position from = bytes_.position();
    const std::size_t count = bytes_.byte() % 16;
    const LayerMask layers = bytes_.mask();
    std::vector<EntityId> found;
    aoi_->nearest(from, count, found, layers);
    std::vector<std::pair<Wide, EntityId>> all;
    for (const EntityId id : all_where(layers, [](Position) { return true; })) {
        all.emplace_back(squared(from, alive_.at(id).position, options_.index.dimensions), id);
    }
    std::sort(all.begin(), all.end());
    std::vector<EntityId> expected;
    for (const auto& [distance, id] : all) {
        if (expected.size() < count) {
            expected.push_back(id);
        }
    }
    tally_.found += expected.size();
    expect(found == expected, "nearest");
}

void AoiScript::try_changes_inside_a_callback(EntityId id) {
    const std::vector<AoiEntity> one{{.id = EntityId{50}}};
    for (const AoiStatus& status :
         {aoi_->add(one[0]), aoi_->load(one), aoi_->remove(id), aoi_->move(id, {0, 0}),
          aoi_->teleport(id, {0, 0}), aoi_->set_view(id, {}), aoi_->set_facing(id, 1),
          aoi_->set_notify(id, {}), aoi_->set_layers(id, 0, 0), aoi_->set_state(id, nullptr),
          aoi_->tick()}) {
        agree(status, AoiError::inside_callback, "inside a callback");
    }
}

/// In the order that Aoi promises: that of the ids here, and of the frame's lists.
std::vector<AoiEvent> AoiScript::expected_events() {
    std::vector<AoiEvent> events;
    for (const EntityId watcher : oracle_.watched_here()) {
        const SentFrame frame = oracle_.build_frame(watcher, true);
        for (const Leave& leave : frame.leaves) {
            events.push_back({EventKind::leave, watcher, leave.id, {}, leave.reason, false});
        }
        for (const EntityId id : frame.enters) {
            events.push_back({EventKind::enter,
                              watcher,
                              id,
                              alive_.at(id).position,
                              {},
                              false,
                              bytes_of(alive_.at(id).state)});
        }
        tally_.states += frame.states.size();
        for (const EntityId id : frame.moves) {
            const bool jumped = jumped_.contains(id);
            tally_.jumps += jumped ? 1U : 0U;
            events.push_back({EventKind::move, watcher, id, alive_.at(id).position, {}, jumped});
        }
        for (const auto& [id, slots] : frame.states) {
            if (id == watcher) {
                continue;  // the library does not tell it
            }
            events.push_back({EventKind::state,
                              watcher,
                              id,
                              alive_.at(id).position,
                              {},
                              false,
                              bytes_of(alive_.at(id).state)});
        }
    }
    return events;
}

AoiError AoiScript::expected_error(const AoiEntity& entity) const {
    if (alive_.contains(entity.id)) {
        return AoiError::id_in_use;
    }
    if (!options_.index.bounds.contains(entity.position)) {
        return AoiError::outside_bounds;
    }
    if (!is_sound_view(entity.view, options_.index.dimensions)) {
        return AoiError::bad_view;
    }
    if (!is_sound_range(entity.notify)) {
        return AoiError::bad_notify;
    }
    return is_sound_state(entity.state) ? AoiError::none : AoiError::bad_state;
}

AoiError AoiScript::expected_error(EntityId id, Position to) const {
    const bool is_outside = !options_.index.bounds.contains(to);
    return if_alive(id, is_outside ? AoiError::outside_bounds : AoiError::none);
}

AoiError AoiScript::if_alive(EntityId id, AoiError error) const {
    return alive_.contains(id) ? error : AoiError::unknown_id;
}

void AoiScript::admit(const AoiEntity& entity) {
    alive_[entity.id] = entity;
    Entity record;
    record.id = entity.id;
    record.birth = oracle_.now();
    record.position = entity.position;
    record.layers = entity.layers;
    record.layers_seen = entity.layers_seen;
    record.view = entity.view;
    record.facing = entity.facing;
    record.notify = entity.notify;
    oracle_.insert(record);
    oracle_.set_state(entity.id, {0, entity.state});
    if (entity.view.shape != Shape::none) {
        oracle_.watch(entity.id);
    }
}

void AoiScript::put(EntityId id, Position to) {
    oracle_.move(id, to);
    alive_.at(id).position = to;
    expect(aoi_->position_of(id) == to, "position_of");
}

template <typename IsInside>
std::vector<EntityId> AoiScript::all_where(LayerMask layers, IsInside&& is_inside) const {
    std::vector<EntityId> ids;
    for (const auto& [id, entity] : alive_) {
        if ((entity.layers & layers) != 0 && is_inside(entity.position)) {
            ids.push_back(id);
        }
    }
    return ids;
}

bool AoiScript::agree(const AoiStatus& status, AoiError expected, const char* what) {
    expect(status.error == expected, what);
    tally_.refusals += status ? 0U : 1U;
    return static_cast<bool>(status) && !disagreement_;
}

void AoiScript::expect(bool is_so, const char* what) {
    if (!is_so && !disagreement_) {
        disagreement_ = std::string(what) + " differs over " + options_.index_name + " in tick " +
                        std::to_string(oracle_.now());
    }
}

}  // namespace marchland::engine::testing
