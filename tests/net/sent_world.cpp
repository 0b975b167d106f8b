#include "tests/net/sent_world.h"

#include "net/packed_moves.h"

#include <stdexcept>
#include <string>

namespace marchland::tests {

namespace {

void demand(bool holds, const char* what, engine::EntityId id) {
    if (!holds) {
        throw std::runtime_error(std::string(what) + ": entity " + std::to_string(to_number(id)));
    }
}

}  // namespace

void SentWorld::apply(net::FrameMessage frame) {
    if (frame.tick <= tick_) {
        throw std::runtime_error("ticks do not ascend");
    }
    tick_ = frame.tick;
    if (frame.is_keyframe) {
        positions_.clear();
        states_.clear();
        demand(frame.leaves.empty() && frame.moves.empty(), "a difference in a keyframe", {});
    }
    for (const engine::Leave& leave : frame.leaves) {
        demand(positions_.erase(leave.id) == 1, "a leave of what is not known", leave.id);
        states_.erase(leave.id);
    }
    for (const net::Entered& entered : frame.enters) {
        demand(positions_.emplace(entered.entity, entered.position).second,
               "an enter of what is known", entered.entity);
        states_.emplace(entered.entity, entered.state);
    }
    demand(net::name_by_id(frame, positions_, [](const auto& one) { return one.first; }),
           "a rank that nobody has", {});
    for (const net::Moved& moved : frame.moves) {
        const auto known = positions_.find(moved.entity);
        demand(known != positions_.end(), "a move of what is not known", moved.entity);
        const auto now = net::position_after(moved, known->second);
        demand(now.has_value(), "a move to nowhere", moved.entity);
        known->second = *now;
    }
    for (const net::StateChanged& changed : frame.states) {
        demand(positions_.contains(changed.entity), "a state of what is not known", changed.entity);
        engine::merge(states_[changed.entity], changed.state);
    }
}

}  // namespace marchland::tests
