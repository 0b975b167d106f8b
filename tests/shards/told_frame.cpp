#include "tests/shards/told_frame.h"

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

ToldEnter enter_of(const engine::Entity& entity) {
    ToldEnter enter{entity.id, entity.kind, entity.position, {}};
    if (entity.blob != nullptr) {
        enter.blob = *entity.blob;
    }
    return enter;
}

ToldMove move_of(const engine::Entity& entity, bool follows) {
    ToldMove move{entity.id, entity.position, std::nullopt};
    if (follows && entity.previous_was_told) {
        move.previous = entity.previous;
    }
    return move;
}

}  // namespace

ToldFrame copy_of(const engine::Frame& frame, const engine::EntityStore& entities,
                  const shards::FrameNotes& notes) {
    ToldFrame told;
    told.tick = frame.tick;
    told.border_stale = notes.border_stale;
    told.is_capped = frame.is_capped;
    told.is_slowed = frame.is_slowed;
    told.is_over_budget = frame.is_over_budget;
    told.is_filling = frame.is_filling;
    told.leaves.assign(frame.leaves.begin(), frame.leaves.end());
    for (const engine::Slot slot : frame.enters) {
        told.enters.push_back(enter_of(entities.at(slot)));
    }
    for (std::size_t place = 0; place < frame.moves.size(); ++place) {
        told.moves.push_back(move_of(entities.at(frame.moves[place]), frame.follows(place)));
    }
    for (const engine::Slot slot : frame.states) {
        told.states.push_back({entities.at(slot).id, enter_of(entities.at(slot)).blob});
    }
    for (const engine::EventTold& event : frame.events) {
        told.events.push_back(
            {event.source, event.tick, {event.payload.begin(), event.payload.end()}});
    }
    told.is_keyframe = frame.is_keyframe;
    told.events_lost = frame.events_lost;
    return told;
}

std::ostream& operator<<(std::ostream& out, const ToldFrame& frame) {
    out << "tick " << frame.tick << ':' << (frame.border_stale ? " [border stale]" : "")
        << (frame.is_capped ? " [capped]" : "") << (frame.is_slowed ? " [slowed]" : "")
        << (frame.is_over_budget ? " [over budget]" : "") << (frame.is_filling ? " [filling]" : "")
        << (frame.is_keyframe ? " [keyframe]" : "") << (frame.events_lost ? " [events lost]" : "");
    for (const engine::Leave& leave : frame.leaves) {
        out << " leave " << to_number(leave.id) << ' ' << name_of(leave.reason) << ';';
    }
    for (const ToldEnter& enter : frame.enters) {
        out << " enter " << to_number(enter.id);
        print(out, enter.position);
        out << " kind " << enter.kind << ", " << enter.blob.size() << " bytes;";
    }
    for (const ToldMove& move : frame.moves) {
        out << " move " << to_number(move.id);
        print(out, move.position);
        if (move.previous) {
            out << " from";
            print(out, *move.previous);
        }
        out << ';';
    }
    for (const ToldState& state : frame.states) {
        out << " state " << to_number(state.id) << ", " << state.blob.size() << " bytes;";
    }
    for (const ToldEvent& event : frame.events) {
        out << " event of " << to_number(event.source) << " in tick " << event.tick << ", "
            << event.payload.size() << " bytes;";
    }
    return out;
}

}  // namespace marchland::tests
