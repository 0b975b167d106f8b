#include "net/pending_inputs.h"

#include <utility>

namespace marchland::net {

void PendingInputs::put_move(ClientMove move, std::uint32_t correction_seen) {
    const std::lock_guard lock(mutex_);
    if (correction_seen != correction_ || asked_.move) {
        return;
    }
    if (!move.facing && client_move_) {
        move.facing = client_move_->facing;
    }
    client_move_ = move;
    note_asked();
}

std::uint32_t PendingInputs::correction() {
    const std::lock_guard lock(mutex_);
    return correction_;
}

void PendingInputs::put_commands(shards::Inputs commands) {
    const std::lock_guard lock(mutex_);
    if (commands.move) {
        client_move_.reset();
        ++correction_;
    } else if (commands.facing && client_move_) {
        client_move_->facing.reset();
    }
    if (commands.view) {
        newest_view_ = commands.view;
    }
    merge(asked_, std::move(commands));
    note_asked();
}

void PendingInputs::put_view(const engine::View& view) {
    const std::lock_guard lock(mutex_);
    asked_.view = view;
    newest_view_ = view;
    note_asked();
}

std::optional<engine::View> PendingInputs::newest_view() {
    const std::lock_guard lock(mutex_);
    return newest_view_;
}

void PendingInputs::put_state(engine::Blob state) {
    const std::lock_guard lock(mutex_);
    asked_.state = std::move(state);
    note_asked();
}

bool PendingInputs::put_event(engine::EntityEvent& event) {
    const std::lock_guard lock(mutex_);
    const std::size_t namings = event.to.size();
    if (client_events_ >= client_events_max_ || client_namings_ + namings > kClientNamingsMax) {
        client_waits_ = true;  // as others are there, the next take() is to find something
        return false;
    }
    ++client_events_;
    client_namings_ += namings;
    asked_.events.push_back(std::move(event));
    note_asked();
    return true;
}

bool PendingInputs::put_service_event(engine::EntityEvent event) {
    const std::lock_guard lock(mutex_);
    const std::size_t of_services = asked_.events.size() - client_events_;
    if (of_services >= engine::kEventsPerTickMax - client_events_max_) {
        return false;
    }
    asked_.events.push_back(std::move(event));
    note_asked();
    return true;
}

void PendingInputs::put_keyframe() {
    const std::lock_guard lock(mutex_);
    asked_.keyframe = true;
    note_asked();
}

bool PendingInputs::put_successor(std::shared_ptr<shards::EntityPort> port) {
    const std::lock_guard lock(mutex_);
    if (is_closed_) {
        return false;
    }
    asked_.successor = std::move(port);
    note_asked();
    return true;
}

std::shared_ptr<shards::EntityPort> PendingInputs::close() {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    return std::move(asked_.successor);
}

void PendingInputs::put_leave() {
    const std::lock_guard lock(mutex_);
    asked_.leave = true;
    note_asked();
}

PendingInputs::Taken PendingInputs::take(shards::Inputs& into) {
    if (!has_any_.load(std::memory_order_relaxed)) {
        return {};
    }
    const std::lock_guard lock(mutex_);
    has_any_.store(false, std::memory_order_relaxed);
    into = std::exchange(asked_, {});
    client_events_ = 0;
    client_namings_ = 0;
    return {std::exchange(client_move_, {}), correction_, into.move.has_value(),
            std::exchange(client_waits_, false)};
}

std::uint32_t PendingInputs::refuse_move() {
    const std::lock_guard lock(mutex_);
    client_move_.reset();
    return ++correction_;
}

}  // namespace marchland::net
