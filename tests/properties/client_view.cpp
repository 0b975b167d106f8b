#include "tests/properties/client_view.h"

#include <algorithm>
#include <utility>

namespace marchland::tests {

namespace {

std::string flaw(const char* what, engine::EntityId id) {
    return std::string(what) + ": entity " + std::to_string(to_number(id));
}

template <typename List>
bool is_ascending(const List& list) {
    return std::ranges::adjacent_find(
               list, [](const auto& a, const auto& b) { return a.id >= b.id; }) == list.end();
}

}  // namespace

engine::Position ClientView::Place::at_tick(engine::Tick later) const {
    const auto along = [&](std::int64_t from, std::int64_t each) {
        return static_cast<std::int32_t>(std::clamp<std::int64_t>(
            from + each * static_cast<std::int64_t>(later - tick), INT32_MIN, INT32_MAX));
    };
    return {along(at.x, velocity.x), along(at.y, velocity.y), along(at.z, velocity.z)};
}

std::optional<std::string> ClientView::apply(const SentFrame& frame) {
    if (tick_ >= frame.tick) {
        return "ticks do not ascend";
    }
    tick_ = frame.tick;
    if (!is_ascending(frame.leaves) || !is_ascending(frame.enters) || !is_ascending(frame.moves) ||
        !is_ascending(frame.states)) {
        return "ids do not ascend";
    }
    if (frame.is_keyframe) {
        const bool has_states = std::ranges::any_of(
            frame.states, [this](const SentState& state) { return state.id != self_; });
        if (!frame.leaves.empty() || !frame.moves.empty() || has_states) {
            return "a keyframe tells a difference";
        }
        known_before_keyframe_ = std::exchange(known_, {});
    }
    // Moves before enters, other than a client does it: one that entered in this very frame is
    // not yet there, and a move of it is a flaw.
    if (auto found = apply_leaves(frame)) {
        return found;
    }
    if (auto found = apply_moves(frame)) {
        return found;
    }
    if (auto found = apply_states(frame)) {
        return found;
    }
    if (auto found = apply_enters(frame)) {
        return found;
    }
    auto found = apply_messages(frame);
    may_be_late_ = frame.is_over_budget;
    return found;
}

std::optional<std::string> ClientView::apply_states(const SentFrame& frame) {
    for (const SentState& state : frame.states) {
        if (state.id != self_ && !known_.contains(state.id)) {
            return flaw("state of one that is not there", state.id);
        }
    }
    return std::nullopt;
}

std::optional<std::string> ClientView::apply_messages(const SentFrame& frame) {
    for (const SentMessage& message : frame.messages) {
        const std::optional<Utterance> utterance = utterance_of(message.payload);
        // A shard that missed ticks takes what was to be sent in them later.
        if (!utterance || utterance->source != message.source || utterance->tick > message.tick) {
            return flaw("message with another's payload", message.source);
        }
        const auto [last, is_first] = received_.emplace(message.source, *utterance);
        if (!is_first && std::exchange(last->second, *utterance) >= *utterance) {
            return flaw("message twice, or out of order", message.source);
        }
        if (!may_receive(frame, *utterance)) {
            return flaw("message of one that is not there", message.source);
        }
    }
    return std::nullopt;
}

bool ClientView::may_receive(const SentFrame& frame, const Utterance& utterance) const {
    const bool is_gone = std::ranges::any_of(frame.leaves, [&](const engine::Leave& leave) {
        return leave.id == utterance.source && leave.reason == engine::LeaveReason::gone;
    });
    return may_be_late_ || is_gone || known_.contains(utterance.source) ||
           (frame.is_keyframe && known_before_keyframe_.contains(utterance.source));
}

std::optional<std::string> ClientView::apply_leaves(const SentFrame& frame) {
    for (const engine::Leave& leave : frame.leaves) {
        if (known_.erase(leave.id) == 0) {
            return flaw("leave of one that is not there", leave.id);
        }
    }
    return std::nullopt;
}

std::optional<std::string> ClientView::apply_moves(const SentFrame& frame) {
    for (const SentMove& move : frame.moves) {
        const auto place = known_.find(move.id);
        if (place == known_.end()) {
            return flaw("move of one that is not there", move.id);
        }
        if (move.previous && *move.previous != place->second.at_tick(frame.tick)) {
            return flaw("difference to a position that was not sent", move.id);
        }
        place->second = {move.position, move.velocity, frame.tick};
    }
    return std::nullopt;
}

std::optional<std::string> ClientView::apply_enters(const SentFrame& frame) {
    for (const SentEnter& enter : frame.enters) {
        if (enter.id == self_ ||
            !known_.emplace(enter.id, Place{enter.position, enter.velocity, frame.tick}).second) {
            return flaw("enter of one that is there already", enter.id);
        }
    }
    return std::nullopt;
}

}  // namespace marchland::tests
