// States and events: what entities of a Space tell beside where they are.

#include "engine/assert.h"
#include "engine/space.h"

#include <algorithm>
#include <span>
#include <utility>

namespace marchland::engine {
namespace {

bool are_equal(const Blob& a, const Blob& b) {
    return std::ranges::equal(bytes_of(a), bytes_of(b));
}

}  // namespace

bool Space::set_state(Slot slot, Blob state) {
    MARCHLAND_ASSERT(now_ != kNever);
    MARCHLAND_ASSERT(state == nullptr || state->size() <= kBlobBytesMax);
    Entity& entity = entities_.at(slot);
    if (are_equal(entity.blob, state)) {
        return false;
    }
    entity.blob = std::move(state);
    news_.note_state(slot, entity, now_);
    note_change(slot);
    return true;
}

void Space::send_events(Slot slot, std::span<const KeptEvent> events) {
    MARCHLAND_ASSERT(now_ != kNever && !events.empty());
    news_.note_events(slot, entities_.at(slot), events, now_);
    note_change(slot);
}

void Space::hear(const NamedEvent& named) {
    news_.note_named(named);
    for (const EntityId target : *named.to) {
        const std::optional<Slot> slot = entities_.find(target);
        if (slot && is_watched(*slot)) {
            note_change(*slot);
        }
    }
}

void Space::hear(const EntityNews& heard) {
    std::optional<Slot> slot = entities_.find(heard.id);
    if (slot && entities_.at(*slot).birth != heard.birth) {
        slot.reset();
    }
    const bool is_newer = news_.hear(heard, slot, now_);
    if (slot) {
        if (is_newer) {
            entities_.at(*slot).blob = heard.blob;
        }
        note_change(*slot);
    }
}

std::optional<EntityNews> Space::news_of(Slot slot) const {
    const Entity& entity = entities_.at(slot);
    std::optional<EntityNews> news = last_words_of({entity.id, entity.birth});
    if (news) {
        news->blob = entity.blob;
    }
    return news;
}

std::optional<EntityNews> Space::last_words_of(Departure departure) const {
    const Words* const words = news_.find(departure.id, departure.birth);
    if (words == nullptr) {
        return std::nullopt;
    }
    return EntityNews{departure.id, departure.birth, nullptr, *words};
}

}  // namespace marchland::engine
