#include "net/intents_cell.h"

#include <utility>

namespace marchland::net {

void IntentsCell::put_move(std::uint32_t seq, engine::Position position,
                           std::optional<engine::Angle> facing) {
    const std::lock_guard lock(mutex_);
    asked_.move = position;
    if (facing) {
        asked_.facing = facing;
    }
    seq_ = seq;
    has_any_.store(true, std::memory_order_relaxed);
}

void IntentsCell::put_view(const engine::View& view) {
    const std::lock_guard lock(mutex_);
    asked_.view = view;
    has_any_.store(true, std::memory_order_relaxed);
}

void IntentsCell::put_leave() {
    const std::lock_guard lock(mutex_);
    asked_.leave = true;
    has_any_.store(true, std::memory_order_relaxed);
}

std::optional<std::uint32_t> IntentsCell::take(shards::Intents& into) {
    if (!has_any_.load(std::memory_order_relaxed)) {
        return std::nullopt;
    }
    const std::lock_guard lock(mutex_);
    has_any_.store(false, std::memory_order_relaxed);
    into = std::exchange(asked_, {});
    return into.move ? std::optional(seq_) : std::nullopt;
}

}  // namespace marchland::net
