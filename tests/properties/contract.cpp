#include "tests/properties/contract.h"

#include "tests/engine/exact_distance.h"
#include "tests/engine/textbook_view.h"
#include "tests/shards/sent_frame.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace marchland::tests {

State state_at(const Life& life, engine::Tick tick) {
    State state{life.join.at,     life.join.view,   life.join.facing,
                life.join.notify, life.join.layers, {}};
    const auto set_facing_slot = [&state](std::int64_t facing) {
        state.slots[kFacingSlot] = facing;
        if (facing == 0) {
            state.slots.erase(kFacingSlot);
        }
    };
    const auto set = [&state](const std::vector<engine::StateWrite>& writes) {
        for (const engine::StateWrite& write : writes) {
            const std::int64_t value = number_in(write.value);
            state.slots[write.number] = value;
            if (value == 0) {
                state.slots.erase(write.number);
            }
        }
    };
    set(first_state_of(life));
    set_facing_slot(state.facing);
    const auto end = life.asked.upper_bound(tick);
    for (auto asked = life.asked.begin(); asked != end; ++asked) {
        state.at = asked->second.move.value_or(state.at);
        state.view = asked->second.view.value_or(state.view);
        state.facing = asked->second.facing.value_or(state.facing);
        const auto said = state.slots.find(kFacingSlot);
        const std::int64_t way =
            std::abs(state.facing - (said == state.slots.end() ? 0 : said->second));
        if (static_cast<double>(std::min(way, 65'536 - way)) > 65'536.0 / 360 * kFacingStepDeg) {
            set_facing_slot(state.facing);
        }
        state.notify = asked->second.notify.value_or(state.notify);
        state.layers = asked->second.layers.value_or(state.layers);
        set(asked->second.state);
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

bool is_shown_within(std::int32_t error_mm, engine::Position shown, const State& state) {
    return engine::testing::is_within_by_the_textbook(shown, state.at, error_mm,
                                                      engine::Dimensions::three);
}

bool is_in_layer(const State& watcher, const State& other) {
    return (watcher.layers.layers_seen & other.layers.layers) != 0;
}

bool is_in_range(const State& watcher, const State& other, bool is_known,
                 engine::Dimensions dimensions) {
    if (watcher.view.shape == engine::Shape::none) {
        return false;
    }
    const std::int32_t notify_mm = is_known ? other.notify.leave_radius_mm : other.notify.radius_mm;
    return engine::testing::is_within_by_the_textbook(watcher.at, other.at, notify_mm,
                                                      dimensions) ||
           engine::testing::is_in_view_by_the_textbook(watcher.view, is_known, watcher.at,
                                                       watcher.facing, other.at, dimensions);
}

}  // namespace marchland::tests
