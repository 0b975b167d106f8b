#include "engine/axis_order.h"

#include "engine/assert.h"
#include "engine/grid_cells.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace marchland::engine {

void AxisOrder::insert(Slot slot, std::int32_t at, std::int32_t other) {
    const std::uint64_t key = key_of(at, to_number(slot));
    const auto place = static_cast<std::ptrdiff_t>(lower_bound(key));
    keys_.insert(keys_.begin() + place, key);
    others_.insert(others_.begin() + place, other);
}

void AxisOrder::erase(Slot slot, std::int32_t at) {
    const auto place = static_cast<std::ptrdiff_t>(place_of(key_of(at, to_number(slot))));
    keys_.erase(keys_.begin() + place);
    others_.erase(others_.begin() + place);
}

/// Step by step, as in insertion sort: from one tick to the next an entity passes few neighbours.
void AxisOrder::move(Slot slot, std::int32_t from, std::int32_t to, std::int32_t other) {
    std::size_t place = place_of(key_of(from, to_number(slot)));
    const std::uint64_t key = key_of(to, to_number(slot));
    for (; place > 0 && keys_[place - 1] > key; --place) {
        keys_[place] = keys_[place - 1];
        others_[place] = others_[place - 1];
    }
    for (; place + 1 < keys_.size() && keys_[place + 1] < key; ++place) {
        keys_[place] = keys_[place + 1];
        others_[place] = others_[place + 1];
    }
    keys_[place] = key;
    others_[place] = other;
}

/// Sorts what comes, then merges from the back, in place.
void AxisOrder::load(std::span<const Entry> entries) {
    std::vector<std::pair<std::uint64_t, std::int32_t>> incoming;
    incoming.reserve(entries.size());
    for (const Entry& entry : entries) {
        incoming.emplace_back(key_of(entry.at, to_number(entry.slot)), entry.other);
    }
    std::sort(incoming.begin(), incoming.end());
    std::size_t here = keys_.size();
    std::size_t into = here + incoming.size();
    keys_.resize(into);
    others_.resize(into);
    for (std::size_t left = incoming.size(); left > 0;) {
        --into;
        if (here > 0 && keys_[here - 1] > incoming[left - 1].first) {
            --here;
            keys_[into] = keys_[here];
            others_[into] = others_[here];
        } else {
            --left;
            keys_[into] = incoming[left].first;
            others_[into] = incoming[left].second;
        }
    }
}

void AxisOrder::clear() {
    keys_.clear();
    others_.clear();
}

AxisOrder::Span AxisOrder::span(std::int32_t min, std::int32_t max) const {
    const std::uint64_t last_key = key_of(max, std::numeric_limits<std::uint32_t>::max());
    // No slot has the largest number, so the two bounds are one kind of search.
    return {lower_bound(key_of(min, 0)), lower_bound(last_key)};
}

/// Without a branch on what is inside: see SparseCells::append_inside.
void AxisOrder::append_inside(Span span, std::int32_t other_min, std::int32_t other_max,
                              std::vector<Slot>& out) const {
    const std::size_t size_before = out.size();
    out.resize(size_before + span.size());
    Slot* const first = out.data() + size_before;
    std::size_t inside = 0;
    for (std::size_t place = span.first; place < span.last; ++place) {
        first[inside] = slot_at(place);
        inside += MapArea::is_between(others_[place], other_min, other_max) ? 1U : 0U;
    }
    out.resize(size_before + inside);
}

/// std::lower_bound branches on each comparison, and the branch is guessed wrong every other time;
/// here the comparison is a factor.
std::size_t AxisOrder::lower_bound(std::uint64_t key) const {
    const std::uint64_t* const keys = keys_.data();
    std::size_t first = 0;
    std::size_t count = keys_.size();
    while (count > 1) {
        const std::size_t half = count / 2;
        first += half * static_cast<std::size_t>(keys[first + half - 1] < key);
        count -= half;
    }
    return count == 0 ? 0 : first + static_cast<std::size_t>(keys[first] < key);
}

std::size_t AxisOrder::place_of(std::uint64_t key) const {
    const std::size_t place = lower_bound(key);
    MARCHLAND_ASSERT(place < keys_.size() && keys_[place] == key);
    return place;
}

}  // namespace marchland::engine
