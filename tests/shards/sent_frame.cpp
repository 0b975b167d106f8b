#include "tests/shards/sent_frame.h"

#include <ostream>

namespace marchland::tests {

namespace {

const char* name_of(engine::LeaveReason reason) {
    switch (reason) {
        case engine::LeaveReason::gone:
            return "gone";
        case engine::LeaveReason::out_of_range:
            return "out of range";
        case engine::LeaveReason::hidden:
            return "hidden";
        case engine::LeaveReason::capped:
            return "capped";
    }
    return "for no known reason";
}

void print(std::ostream& out, engine::Position at) {
    out << " (" << at.x << ',' << at.y << ',' << at.z << ')';
}

SentEnter enter_of(const engine::Entity& entity) {
    SentEnter enter{entity.id, entity.kind, entity.position, {}};
    if (entity.blob != nullptr) {
        enter.blob = *entity.blob;
    }
    return enter;
}

SentMove move_of(const engine::Entity& entity, bool follows) {
    SentMove move{entity.id, entity.position, std::nullopt};
    if (follows && entity.previous_was_sent) {
        move.previous = entity.previous;
    }
    return move;
}

}  // namespace

SentFrame copy_of(const engine::Frame& frame, const engine::EntityStore& entities,
                  const shards::FrameFlags& flags) {
    SentFrame sent;
    sent.tick = frame.tick;
    sent.border_stale = flags.border_stale;
    sent.is_capped = frame.is_capped;
    sent.is_slowed = frame.is_slowed;
    sent.is_over_budget = frame.is_over_budget;
    sent.is_filling = frame.is_filling;
    sent.leaves.assign(frame.leaves.begin(), frame.leaves.end());
    for (const engine::Slot slot : frame.enters) {
        sent.enters.push_back(enter_of(entities.at(slot)));
    }
    for (std::size_t place = 0; place < frame.moves.size(); ++place) {
        sent.moves.push_back(move_of(entities.at(frame.moves[place]), frame.follows(place)));
    }
    for (const engine::Slot slot : frame.states) {
        sent.states.push_back({entities.at(slot).id, enter_of(entities.at(slot)).blob});
    }
    for (const engine::EventDelivered& event : frame.events) {
        sent.events.push_back(
            {event.source, event.tick, {event.payload.begin(), event.payload.end()}});
    }
    sent.is_keyframe = frame.is_keyframe;
    sent.events_lost = frame.events_lost;
    return sent;
}

std::ostream& operator<<(std::ostream& out, const SentFrame& frame) {
    out << "tick " << frame.tick << ':' << (frame.border_stale ? " [border stale]" : "")
        << (frame.is_capped ? " [capped]" : "") << (frame.is_slowed ? " [slowed]" : "")
        << (frame.is_over_budget ? " [over budget]" : "") << (frame.is_filling ? " [filling]" : "")
        << (frame.is_keyframe ? " [keyframe]" : "") << (frame.events_lost ? " [events lost]" : "");
    for (const engine::Leave& leave : frame.leaves) {
        out << " leave " << to_number(leave.id) << ' ' << name_of(leave.reason) << ';';
    }
    for (const SentEnter& enter : frame.enters) {
        out << " enter " << to_number(enter.id);
        print(out, enter.position);
        out << " kind " << enter.kind << ", " << enter.blob.size() << " bytes;";
    }
    for (const SentMove& move : frame.moves) {
        out << " move " << to_number(move.id);
        print(out, move.position);
        if (move.previous) {
            out << " from";
            print(out, *move.previous);
        }
        out << ';';
    }
    for (const SentState& state : frame.states) {
        out << " state " << to_number(state.id) << ", " << state.blob.size() << " bytes;";
    }
    for (const SentEvent& event : frame.events) {
        out << " event of " << to_number(event.source) << " in tick " << event.tick << ", "
            << event.payload.size() << " bytes;";
    }
    return out;
}

}  // namespace marchland::tests
