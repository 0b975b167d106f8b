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
        if (!frame.leaves.empty() || !frame.moves.empty() || !frame.states.empty()) {
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
    auto found = apply_events(frame);
    may_be_late_ = frame.is_over_budget;
    return found;
}

std::optional<std::string> ClientView::apply_states(const SentFrame& frame) {
    for (const SentState& state : frame.states) {
        if (!known_.contains(state.id)) {
            return flaw("state of one that is not there", state.id);
        }
    }
    return std::nullopt;
}

std::optional<std::string> ClientView::apply_events(const SentFrame& frame) {
    for (const SentEvent& event : frame.events) {
        const std::optional<Utterance> utterance = utterance_of(event.payload);
        // A shard that missed ticks takes what was to be sent in them later.
        if (!utterance || utterance->source != event.source || utterance->tick > event.tick) {
            return flaw("event with another's payload", event.source);
        }
        const auto [last, is_first] = heard_.emplace(event.source, *utterance);
        if (!is_first && std::exchange(last->second, *utterance) >= *utterance) {
            return flaw("event twice, or out of order", event.source);
        }
        if (!may_hear(frame, *utterance)) {
            return flaw("event of one that is not there", event.source);
        }
    }
    return std::nullopt;
}

bool ClientView::may_hear(const SentFrame& frame, const Utterance& utterance) const {
    const bool is_gone = std::ranges::any_of(frame.leaves, [&](const engine::Leave& leave) {
        return leave.id == utterance.source && leave.reason == engine::LeaveReason::gone;
    });
    return may_be_late_ || utterance.is_named || is_gone || known_.contains(utterance.source) ||
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
        if (move.previous && *move.previous != place->second) {
            return flaw("difference to a position that was not told", move.id);
        }
        place->second = move.position;
    }
    return std::nullopt;
}

std::optional<std::string> ClientView::apply_enters(const SentFrame& frame) {
    for (const SentEnter& enter : frame.enters) {
        if (enter.id == self_ || !known_.emplace(enter.id, enter.position).second) {
            return flaw("enter of one that is there already", enter.id);
        }
    }
    return std::nullopt;
}

}  // namespace marchland::tests
