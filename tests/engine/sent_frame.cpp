#include "tests/engine/sent_frame.h"

namespace marchland::engine::testing {

SentFrame sent(const Frame& frame, const EntityStore& entities) {
    SentFrame result;
    result.tick = frame.tick;
    result.watcher = entities.at(frame.watcher).id;
    result.leaves.assign(frame.leaves.begin(), frame.leaves.end());
    for (const Slot slot : frame.enters) {
        result.enters.push_back(entities.at(slot).id);
    }
    for (std::size_t i = 0; i < frame.moves.size(); ++i) {
        result.moves.push_back(entities.at(frame.moves[i]).id);
        if (!frame.were_held.empty() && frame.were_held[i] != 0) {
            result.held_moves.push_back(result.moves.back());
        }
    }
    result.follows_last_tick = frame.follows_last_tick;
    result.is_capped = frame.is_capped;
    result.is_slowed = frame.is_slowed;
    result.is_over_budget = frame.is_over_budget;
    result.is_filling = frame.is_filling;
    const auto state_of = [&](Slot slot, StateMask slots) {
        const Entity& entity = entities.at(slot);
        return SentState{entity.id, writes_of(entity.state, slots)};
    };
    for (const StateSent& state : frame.states) {
        result.states.push_back(state_of(state.slot, state.slots));
    }
    for (std::size_t i = 0; i < frame.entered_states.size(); ++i) {
        if (frame.entered_states[i] != 0) {
            result.entered_states.push_back(state_of(frame.enters[i], frame.entered_states[i]));
        }
    }
    for (const DeliveredMessage& message : frame.messages) {
        result.messages.push_back(
            {message.source, message.tick, {message.payload.begin(), message.payload.end()}});
    }
    result.is_keyframe = frame.is_keyframe;
    result.messages_lost = frame.messages_lost;
    return result;
}

const char* name_of(LeaveReason reason) {
    switch (reason) {
        case LeaveReason::gone:
            return "gone";
        case LeaveReason::out_of_range:
            return "out_of_range";
        case LeaveReason::hidden:
            return "hidden";
        case LeaveReason::capped:
            return "capped";
    }
    return "no reason";
}

std::ostream& operator<<(std::ostream& out, const SentFrame& frame) {
    out << "tick " << frame.tick << (frame.follows_last_tick ? " (follows)" : "")
        << (frame.is_capped ? " (capped)" : "") << (frame.is_slowed ? " (slowed)" : "")
        << (frame.is_over_budget ? " (over budget)" : "") << (frame.is_filling ? " (filling)" : "")
        << (frame.is_keyframe ? " (keyframe)" : "")
        << (frame.messages_lost ? " (messages lost)" : "") << ", watcher "
        << to_number(frame.watcher) << ":";
    for (const Leave& leave : frame.leaves) {
        out << " leave " << to_number(leave.id) << ' ' << name_of(leave.reason) << ';';
    }
    for (const EntityId id : frame.enters) {
        out << " enter " << to_number(id) << ';';
    }
    for (const EntityId id : frame.moves) {
        out << " move " << to_number(id) << ';';
    }
    const auto write = [&out](const char* what, const SentState& state) {
        out << what << to_number(state.id);
        for (const StateWrite& slot : state.slots) {
            out << ' ' << int{slot.number};
        }
        out << ';';
    };
    for (const SentState& state : frame.states) {
        write(" state ", state);
    }
    for (const SentState& state : frame.entered_states) {
        write(" with state ", state);
    }
    for (const SentMessage& message : frame.messages) {
        out << " message of " << to_number(message.source) << " in tick " << message.tick << ';';
    }
    return out;
}

}  // namespace marchland::engine::testing
