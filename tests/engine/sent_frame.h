#pragma once

#include "engine/entity_store.h"
#include "engine/frame/frame.h"
#include "engine/ids.h"

#include <cstddef>
#include <ostream>
#include <vector>

namespace marchland::engine::testing {

struct SentMessage {
    EntityId source{};
    Tick tick = kNever;
    std::vector<std::byte> payload;

    friend bool operator==(const SentMessage&, const SentMessage&) = default;
};

struct SentState {
    EntityId id{};
    std::vector<StateWrite> slots;  ///< by number

    friend bool operator==(const SentState&, const SentState&) = default;
};

/// A frame by value, with ids in place of slots: what two frames are compared by.
struct SentFrame {
    Tick tick = kNever;
    EntityId watcher{};
    std::vector<Leave> leaves;
    std::vector<EntityId> enters;
    std::vector<EntityId> moves;
    bool follows_last_tick = false;
    bool is_capped = false;
    bool is_slowed = false;
    bool is_over_budget = false;
    bool is_filling = false;
    std::vector<EntityId> held_moves;  ///< those of `moves` that were held back before
    std::vector<SentState> states = {};
    std::vector<SentState> entered_states = {};  ///< of those of `enters` that have some
    std::vector<SentMessage> messages = {};
    bool is_keyframe = false;
    bool messages_lost = false;

    [[nodiscard]] bool is_empty() const {
        return leaves.empty() && enters.empty() && moves.empty() && states.empty() &&
               messages.empty() && !is_keyframe && !messages_lost;
    }

    friend bool operator==(const SentFrame&, const SentFrame&) = default;
};

SentFrame sent(const Frame& frame, const EntityStore& entities);

const char* name_of(LeaveReason reason);

std::ostream& operator<<(std::ostream& out, const SentFrame& frame);

}  // namespace marchland::engine::testing
