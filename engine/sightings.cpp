#include "engine/sightings.h"

#include "engine/assert.h"

#include <algorithm>

namespace marchland::engine {
namespace {

/// The first place whose id is not below `id`: steps away from the guess, twice as far each time.
std::size_t place_of(const std::vector<Sighting>& sightings, EntityId id, std::size_t guess) {
    const auto is_before = [&](std::size_t place) { return sightings[place].known.id < id; };
    std::size_t low = 0;
    std::size_t high = sightings.size();
    guess = std::min(guess, high);
    if (guess < high && is_before(guess)) {
        low = guess + 1;
        for (std::size_t step = 1; low < high; step *= 2) {
            const std::size_t probe = std::min(low + step, high) - 1;
            if (!is_before(probe)) {
                high = probe;
                break;
            }
            low = probe + 1;
        }
    } else {
        high = guess;
        for (std::size_t step = 1; low < high; step *= 2) {
            const std::size_t probe = high - std::min(step, high);
            if (is_before(probe)) {
                low = probe + 1;
                break;
            }
            high = probe;
        }
    }
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (is_before(middle)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bool is_in_order(std::span<const Sighting> sightings) {
    return std::adjacent_find(sightings.begin(), sightings.end(),
                              [](const Sighting& a, const Sighting& b) {
                                  return a.known.id >= b.known.id;
                              }) == sightings.end();
}

/// What was added, none of which is in `base`, and both in ascending id; from the back, in place:
/// std::inplace_merge would allocate.
void merge(std::vector<Sighting>& base, std::span<const Sighting> added) {
    if (const std::size_t size = base.size() + added.size(); base.capacity() < size) {
        // Room for the usual ups and downs, so that few watchers ask for more later.
        base.reserve(size + size / 2 + 8);
    }
    std::size_t stayed = base.size();
    std::size_t left = added.size();
    base.resize(stayed + left);
    while (left > 0) {
        const Sighting& next = added[left - 1];
        if (stayed > 0 && base[stayed - 1].known.id > next.known.id) {
            base[stayed + left - 1] = base[stayed - 1];
            --stayed;
        } else {
            base[stayed + left - 1] = next;
            --left;
        }
    }
}

}  // namespace

std::vector<Sighting>& Sightings::all() {
    if (!changes_.empty()) {
        fold();
    }
    return base_;
}

Sighting* Sightings::find(EntityId id, std::size_t guess) {
    for (auto change = changes_.rbegin(); change != changes_.rend(); ++change) {
        if (change->known.id == id) {
            return change->slot == kGone ? nullptr : &*change;
        }
    }
    const std::size_t place = place_of(base_, id, guess);
    return place < base_.size() && base_[place].known.id == id ? &base_[place] : nullptr;
}

void Sightings::forget(EntityId id) {
    note(id, kNever, kGone);
}

void Sightings::add(std::span<const Sighting> entered) {
    MARCHLAND_ASSERT(is_in_order(entered));
    if (size() == 0) {  // as after a jump: what went need not be looked for
        base_.clear();
        changes_.clear();
        added_ = 0;
    }
    const bool may_wait = !base_.empty() || entered.empty();
    if (may_wait && changes_.size() + entered.size() <= changes_max()) {
        for (const Sighting& sighting : entered) {
            note(sighting.known.id, sighting.known.birth, sighting.slot);
        }
        return;
    }
    merge(all(), entered);
    // Who is seen will go, and others come: room for the first few is asked for now, and not in their tick.
    changes_.reserve(kChangesMin + kRoomToGo);
}

void Sightings::note(EntityId id, Tick birth, Slot slot) {
    if (changes_.capacity() == changes_.size()) {
        changes_.reserve(std::max(kChangesMin + kRoomToGo, 2 * changes_.size()));
    }
    changes_.push_back({{id, birth}, slot, static_cast<std::uint32_t>(changes_.size())});
    added_ += slot == kGone ? 0U : 1U;
}

/// The last change of an id says what became of it.
void Sightings::fold() {
    std::sort(changes_.begin(), changes_.end(), [](const Sighting& a, const Sighting& b) {
        return a.known.id != b.known.id ? a.known.id < b.known.id : a.held_ticks > b.held_ticks;
    });
    if (added_ != changes_.size()) {
        const auto last = std::unique(
            changes_.begin(), changes_.end(),
            [](const Sighting& a, const Sighting& b) { return a.known.id == b.known.id; });
        changes_.erase(last, changes_.end());
        drop_changed();
        std::erase_if(changes_, [](const Sighting& change) { return change.slot == kGone; });
    }
    for (Sighting& added : changes_) {
        added.held_ticks = 0;
    }
    merge(base_, changes_);
    changes_.clear();
    added_ = 0;
}

/// Out of base_, all that is among the changes; both are in ascending id.
void Sightings::drop_changed() {
    auto change = changes_.cbegin();
    std::erase_if(base_, [&](const Sighting& sighting) {
        change = std::find_if(change, changes_.cend(),
                              [&](const Sighting& at) { return at.known.id >= sighting.known.id; });
        return change != changes_.cend() && change->known.id == sighting.known.id;
    });
}

}  // namespace marchland::engine
