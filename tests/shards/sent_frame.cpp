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

SentEnter enter_of(const engine::Entity& entity, engine::StateMask slots, engine::Tick tick) {
    return {entity.id, entity.kind, shown_at(entity, tick), engine::writes_of(entity.state, slots),
            entity.velocity};
}

SentMove move_of(const engine::Entity& entity, bool follows, engine::Tick tick) {
    SentMove move{entity.id, shown_at(entity, tick), std::nullopt, entity.velocity};
    if (follows && entity.renewed_by != engine::Entity::kNotSent) {
        const engine::Step& by = entity.renewed_by;
        move.previous = {entity.shown.x - by.x, entity.shown.y - by.y, entity.shown.z - by.z};
    }
    return move;
}

}  // namespace

engine::StateSlots slots_of_all_audiences(std::int32_t near_mm) {
    engine::StateSlots slots(5);
    slots[0].name = "all";
    slots[1].name = "own";
    slots[1].audience = engine::StateAudience::own;
    slots[2].name = "near";
    slots[2].audience = engine::StateAudience::near;
    slots[2].radius_mm = near_mm;
    slots[2].type = engine::StateType::real;
    slots[3].name = "layer";
    slots[3].audience = engine::StateAudience::layer;
    slots[3].layers = 2;
    slots[kFacingSlot].name = "facing";
    slots[kFacingSlot].writer = engine::StateWriter::facing;
    slots[kFacingSlot].facing_step_deg = kFacingStepDeg;
    return slots;
}

engine::StateValue value_in(std::uint8_t slot, std::int64_t number) {
    if (slot == 2) {
        return static_cast<float>(number) / 2;
    }
    return number;
}

std::int64_t number_in(const engine::StateValue& value) {
    const auto* const real = std::get_if<float>(&value);
    return real != nullptr ? static_cast<std::int64_t>(*real * 2) : std::get<std::int64_t>(value);
}

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
    for (std::size_t i = 0; i < frame.enters.size(); ++i) {
        const auto slots =
            frame.entered_states.empty() ? engine::StateMask{0} : frame.entered_states[i];
        sent.enters.push_back(enter_of(entities.at(frame.enters[i]), slots, frame.tick));
    }
    for (std::size_t place = 0; place < frame.moves.size(); ++place) {
        sent.moves.push_back(
            move_of(entities.at(frame.moves[place]), frame.follows(place), frame.tick));
    }
    for (const engine::StateSent& state : frame.states) {
        const engine::Entity& entity = entities.at(state.slot);
        sent.states.push_back({entity.id, engine::writes_of(entity.state, state.slots)});
    }
    for (const engine::DeliveredMessage& message : frame.messages) {
        sent.messages.push_back({message.source,
                                 message.tick,
                                 message.kind,
                                 {message.payload.begin(), message.payload.end()}});
    }
    sent.is_keyframe = frame.is_keyframe;
    sent.messages_lost = frame.messages_lost;
    return sent;
}

std::ostream& operator<<(std::ostream& out, const SentFrame& frame) {
    out << "tick " << frame.tick << ':' << (frame.border_stale ? " [border stale]" : "")
        << (frame.is_capped ? " [capped]" : "") << (frame.is_slowed ? " [slowed]" : "")
        << (frame.is_over_budget ? " [over budget]" : "") << (frame.is_filling ? " [filling]" : "")
        << (frame.is_keyframe ? " [keyframe]" : "")
        << (frame.messages_lost ? " [messages lost]" : "");
    for (const engine::Leave& leave : frame.leaves) {
        out << " leave " << to_number(leave.id) << ' ' << name_of(leave.reason) << ';';
    }
    for (const SentEnter& enter : frame.enters) {
        out << " enter " << to_number(enter.id);
        print(out, enter.position);
        out << " kind " << enter.kind << ", " << enter.state.size() << " slots;";
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
        out << " state " << to_number(state.id) << ", " << state.slots.size() << " slots;";
    }
    for (const SentMessage& message : frame.messages) {
        out << " message of " << to_number(message.source) << " in tick " << message.tick << ", "
            << message.payload.size() << " bytes;";
    }
    return out;
}

}  // namespace marchland::tests
