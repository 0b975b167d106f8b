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
    if (leaving_count_ != 0) {
        std::erase_if(base_, [](const Sighting& sighting) { return sighting.is_leaving; });
        leaving_count_ = 0;
    }
    if (!fresh_.empty()) {
        merge(fresh_);
        fresh_.clear();
    }
    return base_;
}

Sighting* Sightings::find(EntityId id, std::size_t guess) {
    const std::size_t place = place_of(base_, id, guess);
    if (place < base_.size() && base_[place].known.id == id && !base_[place].is_leaving) {
        return &base_[place];
    }
    const auto fresh = std::find_if(fresh_.begin(), fresh_.end(), [id](const Sighting& sighting) {
        return sighting.known.id == id;
    });
    return fresh == fresh_.end() ? nullptr : &*fresh;
}

void Sightings::prefetch(std::size_t guess) const {
    __builtin_prefetch(base_.data() + std::min(guess, base_.size()));
}

void Sightings::forget(Sighting& sighting) {
    MARCHLAND_ASSERT(!sighting.is_leaving);
    if (!fresh_.empty() && &sighting >= fresh_.data() &&
        &sighting < fresh_.data() + fresh_.size()) {
        fresh_.erase(fresh_.begin() + (&sighting - fresh_.data()));
        return;
    }
    sighting.is_leaving = true;
    ++leaving_count_;
}

void Sightings::add(std::span<const Sighting> entered) {
    if (fresh_.size() + entered.size() > kWaitingMax || leaving_count_ > kWaitingMax) {
        all();
        merge(entered);
        return;
    }
    for (const Sighting& sighting : entered) {
        fresh_.insert(fresh_.begin() + static_cast<std::ptrdiff_t>(
                                           place_of(fresh_, sighting.known.id, fresh_.size())),
                      sighting);
    }
}

/// Into base_, of which none is leaving; from the back, in place: std::inplace_merge would allocate.
void Sightings::merge(std::span<const Sighting> entered) {
    MARCHLAND_ASSERT(is_in_order(entered));
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
