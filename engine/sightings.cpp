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

}  // namespace

std::vector<Sighting>& Sightings::all() {
    if (!gone_.empty()) {
        std::sort(gone_.begin(), gone_.end());
        auto gone = gone_.cbegin();
        std::erase_if(base_, [&](const Sighting& sighting) {
            gone = std::find_if(gone, gone_.cend(),
                                [&](EntityId id) { return id >= sighting.known.id; });
            return gone != gone_.cend() && *gone == sighting.known.id;
        });
        gone_.clear();
    }
    if (!fresh_.empty()) {
        merge(fresh_);
        fresh_.clear();
    }
    return base_;
}

Sighting* Sightings::find(EntityId id, std::size_t guess) {
    if (const std::size_t place = place_of(fresh_, id, 0);
        place < fresh_.size() && fresh_[place].known.id == id) {
        return &fresh_[place];
    }
    if (std::find(gone_.begin(), gone_.end(), id) != gone_.end()) {
        return nullptr;
    }
    const std::size_t place = place_of(base_, id, guess);
    return place < base_.size() && base_[place].known.id == id ? &base_[place] : nullptr;
}

void Sightings::forget(EntityId id) {
    const std::size_t place = place_of(fresh_, id, 0);
    if (place < fresh_.size() && fresh_[place].known.id == id) {
        fresh_.erase(fresh_.begin() + static_cast<std::ptrdiff_t>(place));
    } else {
        gone_.push_back(id);
    }
}

void Sightings::add(std::span<const Sighting> entered) {
    const std::size_t waiting_max = std::clamp(base_.size() / 4, kWaitingMin, kWaitingMax);
    if (fresh_.size() + entered.size() > waiting_max || gone_.size() > waiting_max) {
        all();
        merge(entered);
        return;
    }
    if (fresh_.capacity() < waiting_max) {
        fresh_.reserve(waiting_max);
        gone_.reserve(2 * waiting_max);
    }
    for (const Sighting& sighting : entered) {
        fresh_.insert(fresh_.begin() + static_cast<std::ptrdiff_t>(
                                           place_of(fresh_, sighting.known.id, fresh_.size())),
                      sighting);
    }
}

/// Into base_, from which none is gone; from the back, in place: std::inplace_merge would allocate.
void Sightings::merge(std::span<const Sighting> entered) {
    MARCHLAND_ASSERT(is_in_order(entered));
    if (const std::size_t size = base_.size() + entered.size(); base_.capacity() < size) {
        // Room for the usual ups and downs, so that few watchers ask for more later.
        base_.reserve(size + size / 2 + kWaitingMin);
    }
    auto stayed = static_cast<std::ptrdiff_t>(base_.size());
    auto left = static_cast<std::ptrdiff_t>(entered.size());
    base_.resize(base_.size() + entered.size());
    const auto into = base_.begin();
    while (left > 0) {
        if (stayed > 0 && into[stayed - 1].known.id > entered.begin()[left - 1].known.id) {
            into[stayed + left - 1] = into[stayed - 1];
            --stayed;
        } else {
            into[stayed + left - 1] = entered.begin()[left - 1];
            --left;
        }
    }
}

}  // namespace marchland::engine
