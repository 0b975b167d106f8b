#include "net/pending_inputs.h"

#include <algorithm>
#include <utility>

namespace marchland::net {

namespace {

/// With what it costs beside its payload.
std::size_t bytes_of(const engine::GameMessage& message) {
    constexpr std::size_t kOverhead = 32;
    return kOverhead + (message.payload ? message.payload->size() : 0);
}

}  // namespace

void SaidToClient::add(engine::GameMessage message) {
    bytes_ += bytes_of(message);
    messages_.push_back(std::move(message));
    std::size_t too_many = 0;
    std::size_t bytes = bytes_;
    while (messages_.size() - too_many > kMessagesMax || bytes > kBytesMax) {
        bytes -= bytes_of(messages_[too_many++]);
    }
    if (too_many > 0) {
        erase(too_many);
        is_lost_ = true;
    }
}

std::span<const engine::GameMessage> SaidToClient::next(std::int64_t room) const {
    const std::size_t bytes_max =
        std::min(static_cast<std::size_t>(std::max<std::int64_t>(room, 0)), kFrameBytesMax);
    std::size_t count = 0;
    std::size_t bytes = 0;
    while (count < messages_.size() &&
           (count == 0 || bytes + bytes_of(messages_[count]) <= bytes_max)) {
        bytes += bytes_of(messages_[count++]);
    }
    return std::span(messages_).first(count);
}

std::size_t SaidToClient::erase(std::size_t count) {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < count; ++i) {
        bytes += bytes_of(messages_[i]);
    }
    messages_.erase(messages_.begin(), messages_.begin() + static_cast<std::ptrdiff_t>(count));
    bytes_ -= bytes;
    is_lost_ = false;
    return bytes;
}

void PendingInputs::put_move(ClientMove move) {
    const std::lock_guard lock(mutex_);
    // Numbers go round: how many there are between.
    const bool is_seen = correction_ - move.correction_seen <= correction_ - to_be_seen_;
    if (!is_seen || is_put_) {
        return;
    }
    if (!move.facing && client_move_) {
        move.facing = client_move_->facing;
    }
    client_move_ = move;
    note_asked();
}

void PendingInputs::put_commands(shards::Inputs commands, MoveRules rules) {
    const std::lock_guard lock(mutex_);
    if (rules.speed_percent) {
        rules_.speed_percent = rules.speed_percent;
    }
    if (rules.frames_hz) {
        rules_.frames_hz = rules.frames_hz;
    }
    if (rules.authority != Authority::unchanged) {
        rules_.authority = rules.authority;
    }
    if (commands.move && rules.answers) {
        rules_.answers = rules.answers;
    } else if (commands.move) {
        client_move_.reset();
        is_put_ = true;
    } else if (commands.facing && client_move_) {
        client_move_->facing.reset();
    }
    if (commands.view) {
        newest_view_ = commands.view;
    }
    merge(asked_, std::move(commands));
    note_asked();
}

void PendingInputs::put_place(engine::Position place) {
    const std::lock_guard lock(mutex_);
    client_move_.reset();
    is_put_ = true;
    asked_.move = place;
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

void PendingInputs::put_state(std::vector<engine::StateWrite> state) {
    const std::lock_guard lock(mutex_);
    engine::merge(asked_.state, std::move(state));
    note_asked();
}

bool PendingInputs::put_to_viewers(engine::GameMessage message) {
    const std::lock_guard lock(mutex_);
    if (asked_.messages.size() >= engine::kMessagesPerTickMax) {
        return false;
    }
    asked_.messages.push_back(std::move(message));
    note_asked();
    return true;
}

PendingInputs::Put PendingInputs::put_message(std::uint32_t number, engine::GameMessage message) {
    const std::lock_guard lock(mutex_);
    if (!takes_messages_ || number <= message_number_) {
        return Put::again;
    }
    if (number != message_number_ + 1) {
        return Put::gap;
    }
    if (messages_.size() >= kClientMessagesMax) {
        client_waits_ = true;
        note_asked();
        return Put::no_room;
    }
    message_number_ = number;
    messages_.push_back(std::move(message));
    note_asked();
    return Put::taken;
}

std::uint32_t PendingInputs::end_messages() {
    const std::lock_guard lock(mutex_);
    takes_messages_ = false;
    return message_number_;
}

void PendingInputs::begin_messages(std::uint32_t number) {
    const std::lock_guard lock(mutex_);
    message_number_ = number;
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
    is_to_leave_ = true;
    note_asked();
}

bool PendingInputs::is_to_leave() {
    const std::lock_guard lock(mutex_);
    return is_to_leave_;
}

void PendingInputs::put_transfer(Transfer transfer) {
    const std::lock_guard lock(mutex_);
    if (!transfer_) {
        transfer_ = std::move(transfer);
    }
    asked_.leave = true;
    note_asked();
}

std::optional<Transfer> PendingInputs::transfer() {
    const std::lock_guard lock(mutex_);
    return transfer_;
}

PendingInputs::Taken PendingInputs::take(shards::Inputs& into) {
    if (!has_any_.load(std::memory_order_relaxed)) {
        return {};
    }
    const std::lock_guard lock(mutex_);
    has_any_.store(false, std::memory_order_relaxed);
    into = std::exchange(asked_, {});
    // Only here: a number that refuse_move() gives before it is another one's.
    if (is_put_) {
        to_be_seen_ = ++correction_;
    }
    return {std::exchange(rules_, {}),
            std::exchange(client_move_, {}),
            correction_,
            std::exchange(is_put_, false),
            std::exchange(client_waits_, false),
            std::exchange(messages_, {}),
            message_number_};
}

std::uint32_t PendingInputs::refuse_move() {
    const std::lock_guard lock(mutex_);
    client_move_.reset();
    return to_be_seen_ = ++correction_;
}

std::uint32_t PendingInputs::correct() {
    const std::lock_guard lock(mutex_);
    return ++correction_;
}

}  // namespace marchland::net
