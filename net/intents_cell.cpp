#include "net/intents_cell.h"

#include <utility>

namespace marchland::net {

void IntentsCell::put_move(std::uint32_t seq, engine::Position position,
                           std::optional<engine::Angle> facing, std::uint32_t correction_seen) {
    const std::lock_guard lock(mutex_);
    if (correction_seen != correction_) {
        return;
    }
    asked_.move = position;
    if (facing) {
        asked_.facing = facing;
    }
    seq_ = seq;
    has_any_.store(true, std::memory_order_relaxed);
}

std::uint32_t IntentsCell::correction() {
    const std::lock_guard lock(mutex_);
    return correction_;
}

void IntentsCell::put_correction(engine::Position position) {
    const std::lock_guard lock(mutex_);
    asked_.move = position;
    is_corrected_ = true;
    ++correction_;
    has_any_.store(true, std::memory_order_relaxed);
}

void IntentsCell::put_view(const engine::View& view) {
    const std::lock_guard lock(mutex_);
    asked_.view = view;
    has_any_.store(true, std::memory_order_relaxed);
}

void IntentsCell::put_state(engine::Blob state) {
    const std::lock_guard lock(mutex_);
    asked_.state = std::move(state);
    has_any_.store(true, std::memory_order_relaxed);
}

bool IntentsCell::put_event(engine::EntityEvent event) {
    const std::lock_guard lock(mutex_);
    if (asked_.events.size() >= engine::kEventsPerTickMax) {
        return false;
    }
    asked_.events.push_back(std::move(event));
    has_any_.store(true, std::memory_order_relaxed);
    return true;
}

void IntentsCell::put_keyframe() {
    const std::lock_guard lock(mutex_);
    asked_.keyframe = true;
    has_any_.store(true, std::memory_order_relaxed);
}

bool IntentsCell::put_successor(std::shared_ptr<shards::EntityPort> port) {
    const std::lock_guard lock(mutex_);
    if (is_closed_) {
        return false;
    }
    asked_.successor = std::move(port);
    has_any_.store(true, std::memory_order_relaxed);
    return true;
}

std::shared_ptr<shards::EntityPort> IntentsCell::close() {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    return std::move(asked_.successor);
}

void IntentsCell::put_leave() {
    const std::lock_guard lock(mutex_);
    asked_.leave = true;
    has_any_.store(true, std::memory_order_relaxed);
}

IntentsCell::Taken IntentsCell::take(shards::Intents& into) {
    if (!has_any_.load(std::memory_order_relaxed)) {
        return {};
    }
    const std::lock_guard lock(mutex_);
    has_any_.store(false, std::memory_order_relaxed);
    into = std::exchange(asked_, {});
    Taken taken{{}, correction_, std::exchange(is_corrected_, false)};
    if (into.move && !taken.is_corrected) {
        taken.seq = seq_;
    }
    return taken;
}

std::uint32_t IntentsCell::refuse_move() {
    const std::lock_guard lock(mutex_);
    if (!is_corrected_) {
        asked_.move.reset();
    }
    return ++correction_;
}

}  // namespace marchland::net
