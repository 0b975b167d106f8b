#include "engine/index/axis_list.h"

#include "engine/assert.h"

#include <algorithm>

namespace marchland::engine {
namespace {

constexpr std::size_t kAnySteps = std::numeric_limits<std::size_t>::max();

}  // namespace

void AxisList::insert(Slot slot, std::int32_t value) {
    make_room_for(slot);
    const Entry entry{value, slot};
    link_after(last_before(entry), entry);
}

void AxisList::erase(Slot slot) {
    unlink(place_of(slot));
}

/// A step passes few neighbours: walk from where it was. A teleport would pass half the map: after
/// as many steps as a search costs, search.
void AxisList::move(Slot slot, std::int32_t value) {
    const Place place = place_of(slot);
    const Place start = previous(place);
    unlink(place);
    const Entry entry{value, slot};
    Place before = walk_before(entry, start, stride_);
    if (!is_between(entry, before, next(before))) {
        before = last_before(entry);
    }
    link_after(before, entry);
}

/// Each walk goes on from the entry before: one walk over the list in all.
void AxisList::merge(std::span<const Entry> entries) {
    Place before = entries.empty() ? kEnd : last_before(entries.front());
    for (const Entry& entry : entries) {
        make_room_for(entry.slot);
        before = walk_before(entry, before, kAnySteps);
        link_after(before, entry);
        before = place_of(entry.slot);
    }
}

AxisList::Place AxisList::first_from(std::int64_t min) const {
    if (min > std::numeric_limits<std::int32_t>::max()) {
        return kEnd;
    }
    const auto from = std::max<std::int64_t>(min, std::numeric_limits<std::int32_t>::min());
    return next(last_before({static_cast<std::int32_t>(from), Slot{0}}));
}

AxisList::Place AxisList::place_of(Slot slot) const {
    const Place place = to_number(slot) + 1;
    MARCHLAND_ASSERT(place != kEnd && is_linked(place));
    return place;
}

bool AxisList::is_between(const Entry& entry, Place before, Place after) const {
    return (before == kEnd || entry_at(before) < entry) &&
           (after == kEnd || entry < entry_at(after));
}

/// The last one before `entry` among every stride-th of the array. Where the samples begin depends on
/// the entry, so that no choice of slots is bad for all of them.
AxisList::Place AxisList::sample_before(const Entry& entry) const {
    const std::size_t first = 1 + static_cast<std::uint32_t>(entry.value) % stride_;
    Place best = kEnd;
    for (std::size_t at = first; at < nodes_.size(); at += stride_) {
        const auto place = static_cast<Place>(at);
        if (is_linked(place) && entry_at(place) < entry &&
            (best == kEnd || entry_at(best) < entry_at(place))) {
            best = place;
        }
    }
    return best;
}

/// The last place before `entry`, or as near to it as steps_max steps from `start` lead.
AxisList::Place AxisList::walk_before(const Entry& entry, Place start,
                                      std::size_t steps_max) const {
    Place place = start;
    std::size_t steps = 0;
    for (; place != kEnd && !(entry_at(place) < entry) && steps < steps_max; ++steps) {
        place = previous(place);
    }
    for (; steps < steps_max; ++steps) {
        const Place ahead = next(place);
        if (ahead == kEnd || !(entry_at(ahead) < entry)) {
            break;
        }
        place = ahead;
    }
    return place;
}

AxisList::Place AxisList::last_before(const Entry& entry) const {
    return walk_before(entry, sample_before(entry), kAnySteps);
}

void AxisList::make_room_for(Slot slot) {
    const std::size_t place = std::size_t{to_number(slot)} + 1;
    MARCHLAND_ASSERT(place < kUnlinked);
    if (place >= nodes_.size()) {
        nodes_.resize(place + 1);
        while (stride_ * stride_ < nodes_.size()) {
            ++stride_;
        }
    }
}

void AxisList::link_after(Place before, const Entry& entry) {
    const Place place = to_number(entry.slot) + 1;
    MARCHLAND_ASSERT(!is_linked(place));
    const Place after = next(before);
    nodes_[place] = {entry.value, after, before};
    nodes_[before].next = place;
    nodes_[after].previous = place;
}

void AxisList::unlink(Place place) {
    Node& node = nodes_[place];
    nodes_[node.previous].next = node.next;
    nodes_[node.next].previous = node.previous;
    node.next = kUnlinked;
}

}  // namespace marchland::engine
