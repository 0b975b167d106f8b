// States and messages: what entities of an InterestSystem send beside their positions.

#include "engine/assert.h"
#include "engine/interest_system.h"

#include <span>
#include <utility>

namespace marchland::engine {

bool InterestSystem::set_state(Slot slot, std::span<const StateWrite> writes) {
    MARCHLAND_ASSERT(now_ != kNever);
    MARCHLAND_ASSERT(writes.empty() || writes.back().number < audiences_.count());
    Entity& entity = entities_.at(slot);
    StatePtr changed = with(entity.state, writes, now_);
    if (changed == entity.state) {
        return false;
    }
    entity.state = std::move(changed);
    note_state(slot);
    note_change(slot);
    return true;
}

void InterestSystem::absorb_state(Slot slot, StatePtr state) {
    Entity& entity = entities_.at(slot);
    if (state->newest_tick > state_ticks_.of(slot)) {
        entity.state = std::move(state);
        note_state(slot);
        note_change(slot);
    }
}

void InterestSystem::note_state(Slot slot) {
    const StatePtr& state = entities_.at(slot).state;
    MARCHLAND_ASSERT(state == nullptr || state->set >> audiences_.count() == 0);
    state_ticks_.set(slot, state == nullptr ? kNever : state->newest_tick);
}

void InterestSystem::send_messages(Slot slot, std::span<const KeptMessage> messages) {
    MARCHLAND_ASSERT(now_ != kNever && !messages.empty());
    content_.note_messages(slot, entities_.at(slot), messages, now_);
    note_change(slot);
}

void InterestSystem::absorb(const EntityContent& received) {
    std::optional<Slot> slot = entities_.find(received.life.id);
    if (slot && entities_.at(*slot).birth != received.life.birth) {
        slot.reset();
    }
    content_.absorb(received, slot, now_);
    if (slot) {
        note_change(*slot);
    }
}

std::optional<EntityContent> InterestSystem::content_of(const Life& life) const {
    const MessageLogPtr* const log = content_.find(life);
    return log == nullptr ? std::nullopt : std::optional(EntityContent{life, *log});
}

}  // namespace marchland::engine
