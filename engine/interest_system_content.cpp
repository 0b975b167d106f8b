// States and events: what entities of an InterestSystem tell beside where they are.

#include "engine/assert.h"
#include "engine/interest_system.h"

#include <algorithm>
#include <span>
#include <utility>

namespace marchland::engine {
namespace {

bool are_equal(const Blob& a, const Blob& b) {
    return std::ranges::equal(bytes_of(a), bytes_of(b));
}

}  // namespace

bool InterestSystem::set_state(Slot slot, Blob state) {
    MARCHLAND_ASSERT(now_ != kNever);
    MARCHLAND_ASSERT(state == nullptr || state->size() <= kBlobBytesMax);
    Entity& entity = entities_.at(slot);
    if (are_equal(entity.blob, state)) {
        return false;
    }
    entity.blob = std::move(state);
    content_.note_state(slot, entity, now_);
    note_change(slot);
    return true;
}

void InterestSystem::send_events(Slot slot, std::span<const KeptEvent> events) {
    MARCHLAND_ASSERT(now_ != kNever && !events.empty());
    content_.note_events(slot, entities_.at(slot), events, now_);
    note_change(slot);
}

void InterestSystem::absorb(const NamedEvent& named) {
    content_.note_named(named);
    for (const EntityId target : *named.to) {
        const std::optional<Slot> slot = entities_.find(target);
        if (slot && is_watched(*slot)) {
            note_change(*slot);
        }
    }
}

void InterestSystem::absorb(const EntityContent& received) {
    std::optional<Slot> slot = entities_.find(received.id);
    if (slot && entities_.at(*slot).birth != received.birth) {
        slot.reset();
    }
    const bool is_newer = content_.absorb(received, slot, now_);
    if (slot) {
        if (is_newer) {
            entities_.at(*slot).blob = received.blob;
        }
        note_change(*slot);
    }
}

std::optional<EntityContent> InterestSystem::content_of(Slot slot) const {
    const Entity& entity = entities_.at(slot);
    std::optional<EntityContent> content = last_content_of({entity.id, entity.birth});
    if (content) {
        content->blob = entity.blob;
    }
    return content;
}

std::optional<EntityContent> InterestSystem::last_content_of(Departure departure) const {
    const LifeContent* const content = content_.find(departure.id, departure.birth);
    if (content == nullptr) {
        return std::nullopt;
    }
    return EntityContent{departure.id, departure.birth, nullptr, *content};
}

}  // namespace marchland::engine
