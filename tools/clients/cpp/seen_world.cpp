#include "tools/clients/cpp/seen_world.h"

#include "net/packed_moves.h"

#include <fmt/format.h>

#include <utility>

namespace marchland::client {
namespace {

std::string not_seen(engine::EntityId id, const char* what) {
    return fmt::format("entity {} {}, and is not seen", to_number(id), what);
}

}  // namespace

std::optional<std::string> SeenWorld::apply(net::FrameMessage& frame) {
    if (frame.tick <= tick_) {
        return fmt::format("a frame of tick {} after that of {}", frame.tick, tick_);
    }
    if (frame.is_keyframe) {
        seen_before_ = std::exchange(seen_, {});
        own_state_before_ = std::exchange(own_state_, {});
    }
    go_on(frame.tick);
    for (const auto step : {&SeenWorld::leave, &SeenWorld::enter}) {
        if (auto problem = (this->*step)(frame)) {
            return problem;
        }
    }
    if (!net::name_by_id(frame, seen_, [](const auto& one) { return one.first; })) {
        return "a rank moves that nobody has";
    }
    for (const auto step : {&SeenWorld::move, &SeenWorld::change}) {
        if (auto problem = (this->*step)(frame)) {
            return problem;
        }
    }
    tick_ = frame.tick;
    return std::nullopt;
}

void SeenWorld::go_on(engine::Tick tick) {
    for (auto& [id, seen] : seen_) {
        seen.position = engine::after_steps(seen.position, seen.velocity, tick - tick_);
    }
}

SeenWorld::Problem SeenWorld::leave(const net::FrameMessage& frame) {
    for (const engine::Leave& left : frame.leaves) {
        if (seen_.erase(left.id) == 0) {
            return not_seen(left.id, "leaves");
        }
    }
    return std::nullopt;
}

SeenWorld::Problem SeenWorld::enter(const net::FrameMessage& frame) {
    for (const net::Entered& entered : frame.enters) {
        Seen seen{entered.kind, entered.position, entered.state, frame.tick, entered.velocity};
        if (!seen_.emplace(entered.entity, std::move(seen)).second) {
            return fmt::format("entity {} enters, and is seen already", to_number(entered.entity));
        }
    }
    return std::nullopt;
}

SeenWorld::Problem SeenWorld::move(const net::FrameMessage& frame) {
    for (const net::Moved& moved : frame.moves) {
        const auto found = seen_.find(moved.entity);
        if (found == seen_.end()) {
            return not_seen(moved.entity, "moves");
        }
        const auto quantum_mm = static_cast<std::int32_t>(quantum_mm_);
        const auto position = net::position_after(moved, found->second.position, quantum_mm);
        const auto velocity = net::velocity_after(moved, quantum_mm);
        if (!position || !velocity) {
            return fmt::format("entity {} moves out of any world", to_number(moved.entity));
        }
        found->second.position = *position;
        found->second.velocity = *velocity;
        found->second.moved_tick = frame.tick;
    }
    return std::nullopt;
}

SeenWorld::Problem SeenWorld::change(const net::FrameMessage& frame) {
    for (const net::StateChanged& changed : frame.states) {
        const auto found = seen_.find(changed.entity);
        if (found == seen_.end() && changed.entity != self_) {
            return not_seen(changed.entity, "changes its state");
        }
        engine::merge(changed.entity == self_ ? own_state_ : found->second.state, changed.state);
    }
    return std::nullopt;
}

}  // namespace marchland::client
