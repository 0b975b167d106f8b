#include "tests/properties/client_view.h"

#include <algorithm>

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

std::optional<std::string> ClientView::apply(const ToldFrame& frame) {
    if (tick_ >= frame.tick) {
        return "ticks do not ascend";
    }
    tick_ = frame.tick;
    if (!is_ascending(frame.leaves) || !is_ascending(frame.enters) || !is_ascending(frame.moves)) {
        return "ids do not ascend";
    }
    // Moves before enters, other than a client does it: one that entered in this very frame is
    // not yet there, and a move of it is a flaw.
    if (auto found = apply_leaves(frame)) {
        return found;
    }
    if (auto found = apply_moves(frame)) {
        return found;
    }
    return apply_enters(frame);
}

std::optional<std::string> ClientView::apply_leaves(const ToldFrame& frame) {
    for (const engine::Leave& leave : frame.leaves) {
        if (known_.erase(leave.id) == 0) {
            return flaw("leave of one that is not there", leave.id);
        }
    }
    return std::nullopt;
}

std::optional<std::string> ClientView::apply_moves(const ToldFrame& frame) {
    for (const ToldMove& move : frame.moves) {
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

std::optional<std::string> ClientView::apply_enters(const ToldFrame& frame) {
    for (const ToldEnter& enter : frame.enters) {
        if (enter.id == self_ || !known_.emplace(enter.id, enter.position).second) {
            return flaw("enter of one that is there already", enter.id);
        }
    }
    return std::nullopt;
}

}  // namespace marchland::tests
