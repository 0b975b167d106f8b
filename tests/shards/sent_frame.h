#pragma once

#include "engine/entity_store.h"
#include "engine/frame/frame.h"
#include "shards/entity_port.h"

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <vector>

namespace marchland::tests {

struct SentEnter {
    engine::EntityId id{};
    std::uint16_t kind = 0;
    engine::Position position;
    std::vector<engine::StateWrite> state;
    engine::Step velocity = {};

    friend bool operator==(const SentEnter&, const SentEnter&) = default;
};

struct SentMove {
    engine::EntityId id{};
    engine::Position position;
    /// Where the client believes it to be by now, when the move may be sent as the difference to
    /// that.
    std::optional<engine::Position> previous;
    engine::Step velocity = {};

    friend bool operator==(const SentMove&, const SentMove&) = default;
};

struct SentState {
    engine::EntityId id{};
    std::vector<engine::StateWrite> slots;

    friend bool operator==(const SentState&, const SentState&) = default;
};

struct SentMessage {
    engine::EntityId source{};
    engine::Tick tick = engine::kNever;
    std::uint16_t kind = 0;
    std::vector<std::byte> payload;

    friend bool operator==(const SentMessage&, const SentMessage&) = default;
};

/// A frame as plain values: everything that a client's bytes can depend on, and nothing else. Two
/// frames are equal exactly when every writer that is a function of its frame writes equal bytes.
struct SentFrame {
    engine::Tick tick = engine::kNever;
    bool border_stale = false;
    std::vector<engine::Leave> leaves;
    std::vector<SentEnter> enters;
    std::vector<SentMove> moves;
    bool is_capped = false;
    bool is_slowed = false;
    bool is_over_budget = false;
    bool is_filling = false;
    std::vector<SentState> states = {};
    std::vector<SentMessage> messages = {};
    bool is_keyframe = false;
    bool messages_lost = false;

    [[nodiscard]] bool is_empty() const {
        return leaves.empty() && enters.empty() && moves.empty() && states.empty() &&
               messages.empty() && !is_keyframe && !messages_lost;
    }

    friend bool operator==(const SentFrame&, const SentFrame&) = default;
};

/// By number: for all, for itself, within a radius, for who sees layer 2; and the facing, for all.
inline constexpr std::uint8_t kFacingSlot = 4;
inline constexpr std::uint16_t kFacingStepDeg = 60;
engine::StateSlots slots_of_all_audiences(std::int32_t near_mm);
/// What their slot has for a number: the same, but halves in the slot that is a float; and back.
engine::StateValue value_in(std::uint8_t slot, std::int64_t number);
std::int64_t number_in(const engine::StateValue& value);

SentFrame copy_of(const engine::Frame& frame, const engine::EntityStore& entities,
                  const shards::FrameFlags& flags);

/// One line: `tick 7: leave 3 gone; enter 4 (10,20,0); move 5 (1,1,0)`.
std::ostream& operator<<(std::ostream& out, const SentFrame& frame);

}  // namespace marchland::tests
