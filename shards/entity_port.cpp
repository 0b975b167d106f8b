#include "shards/entity_port.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace marchland::shards {

void merge(Inputs& into, Inputs later) {
    const auto take = [](auto& old, auto& newer) {
        if (newer) {
            old = std::move(newer);
        }
    };
    take(into.move, later.move);
    take(into.move_arrived, later.move_arrived);
    take(into.view, later.view);
    take(into.facing, later.facing);
    take(into.layers, later.layers);
    take(into.notify, later.notify);
    take(into.port_state, later.port_state);
    take(into.successor, later.successor);
    engine::merge(into.state, std::move(later.state));
    std::ranges::move(later.messages, std::back_inserter(into.messages));
    into.keyframe = into.keyframe || later.keyframe;
    into.leave = into.leave || later.leave;
}

}  // namespace marchland::shards
