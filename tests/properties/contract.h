#pragma once

#include "tests/properties/history.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace marchland::tests {

/// What the contract needs to know of an entity at the end of one tick.
struct State {
    engine::Position at;
    engine::View view;
    engine::Angle facing = 0;
    engine::NotifyRange notify;
    engine::Layers layers;
    std::map<std::uint8_t, std::int64_t> slots;  ///< those that are not 0
};

/// Of a life that is there in that tick.
State state_at(const Life& life, engine::Tick tick);

/// Everybody who is there in that tick, by id.
std::map<engine::EntityId, State> states_at(const std::vector<Life>& lives, engine::Tick tick);

/// Is `other` in a layer that the watcher sees?
/// Where a client has it, in the plane and in height.
bool is_shown_within(std::int32_t error_mm, engine::Position shown, const State& state);

bool is_in_layer(const State& watcher, const State& other);

/// Is `other` within the watcher's view, or the watcher within the other's notification range: in
/// the leave range when it knows the other, in the enter range when it does not? Bounds are
/// inclusive. Never for a watcher without a view.
bool is_in_range(const State& watcher, const State& other, bool is_known,
                 engine::Dimensions dimensions);

}  // namespace marchland::tests
