#include "tests/properties/contract.h"

#include <cstdint>

namespace marchland::tests {

namespace {

/// No distance beyond the radius along one axis is squared: so 64 bits hold the sum of three.
bool is_near(engine::Position a, engine::Position b, std::int64_t radius,
             engine::Dimensions dimensions) {
    const std::int64_t dx = std::int64_t{a.x} - b.x;
    const std::int64_t dy = std::int64_t{a.y} - b.y;
    const std::int64_t dz = dimensions == engine::Dimensions::three ? std::int64_t{a.z} - b.z : 0;
    std::uint64_t sum = 0;
    for (const std::int64_t d : {dx, dy, dz}) {
        if (d > radius || d < -radius) {
            return false;
        }
        sum += static_cast<std::uint64_t>(d * d);
    }
    return sum <= static_cast<std::uint64_t>(radius * radius);
}

}  // namespace

State state_at(const Life& life, engine::Tick tick) {
    State state{life.join.at, life.join.view, life.join.layers};
    const auto end = life.asked.upper_bound(tick);
    for (auto asked = life.asked.begin(); asked != end; ++asked) {
        state.at = asked->second.move.value_or(state.at);
        state.view = asked->second.view.value_or(state.view);
        state.layers = asked->second.layers.value_or(state.layers);
    }
    return state;
}

std::map<engine::EntityId, State> states_at(const std::vector<Life>& lives, engine::Tick tick) {
    std::map<engine::EntityId, State> states;
    for (const Life& life : lives) {
        if (life.is_there(tick)) {
            states.emplace(life.id(), state_at(life, tick));
        }
    }
    return states;
}

bool is_in_layer(const State& watcher, const State& other) {
    return (watcher.layers.layers_seen & other.layers.layers) != 0;
}

bool is_in_view(const State& watcher, const State& other, bool is_known,
                engine::Dimensions dimensions) {
    const engine::View& view = watcher.view;
    const std::int32_t radius = is_known ? view.leave_radius_mm : view.radius_mm;
    return view.shape == engine::Shape::circle && is_near(watcher.at, other.at, radius, dimensions);
}

}  // namespace marchland::tests
