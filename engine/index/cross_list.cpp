#include "engine/index/cross_list.h"

#include "engine/assert.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace marchland::engine {

/// A walk along one axis, outwards both ways from a place in a span of values, one step to each side
/// at a time, until both ends of the span are passed. Which of several walks is over first shows
/// which axis has the shortest span, at the price of that one.
class OutwardWalk {
public:
    /// The span is min to max, both inclusive. `from` is the first place in it that is walked to the
    /// right; from the one before the walk goes to the left.
    OutwardWalk(const AxisList& list, std::int64_t min, std::int64_t max, AxisList::Place from)
        : list_(&list), min_(min), max_(max), left_(list.previous(from)), right_(from) {}

    /// Steps once to each side that is not over. False when both are.
    bool step() {
        const bool goes_left = left_ != AxisList::kEnd && list_->value_at(left_) >= min_;
        const bool goes_right = right_ != AxisList::kEnd && list_->value_at(right_) <= max_;
        left_ = goes_left ? list_->previous(left_) : left_;
        right_ = goes_right ? list_->next(right_) : right_;
        return goes_left || goes_right;
    }

    /// Calls `visit(Slot)` for all that were passed, in the order of the list.
    template <typename Visit>
    void for_each_passed(Visit&& visit) const {
        for (AxisList::Place at = list_->next(left_); at != right_; at = list_->next(at)) {
            visit(AxisList::slot_at(at));
        }
    }

private:
    const AxisList* list_;
    std::int64_t min_;
    std::int64_t max_;
    AxisList::Place left_;   ///< the next one to the left
    AxisList::Place right_;  ///< the next one to the right
};

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

namespace {

std::int32_t coordinate_of(Position at, std::size_t axis) {
    return axis == 0 ? at.x : axis == 1 ? at.y : at.z;
}

/// All of the map above and below an area.
Box column_over(const Rect& area) {
    return {area, std::numeric_limits<std::int32_t>::min(),
            std::numeric_limits<std::int32_t>::max()};
}

/// From the value `min` on.
OutwardWalk walk_from_min(const AxisList& list, std::int64_t min, std::int64_t max) {
    return {list, min, max, list.first_from(min)};
}

/// Steps all walks in turn until one is over; appends what it passed and is in the box.
void append_shortest(std::span<OutwardWalk> walks, const Box& box, const SlotPositions& positions,
                     std::vector<Slot>& out) {
    for (std::size_t turn = 0;; turn = (turn + 1) % walks.size()) {
        if (walks[turn].step()) {
            continue;
        }
        walks[turn].for_each_passed([&](Slot slot) {
            if (box.contains(positions.at(slot))) {
                out.push_back(slot);
            }
        });
        return;
    }
}

}  // namespace

CrossList::CrossList(const IndexOptions& options)
    : PositionedIndex(options.bounds),
      axis_count_(options.dimensions == Dimensions::three ? 3 : 2) {}

void CrossList::insert(Slot slot, Position at) {
    positions_.insert(slot, at);
    for (std::size_t axis = 0; axis < axis_count_; ++axis) {
        lists_[axis].insert(slot, coordinate_of(at, axis));
    }
}

void CrossList::erase(Slot slot, Position at) {
    positions_.erase(slot, at);
    for (std::size_t axis = 0; axis < axis_count_; ++axis) {
        lists_[axis].erase(slot);
    }
}

void CrossList::move(Slot slot, Position from, Position to) {
    positions_.move(slot, from, to);
    for (std::size_t axis = 0; axis < axis_count_; ++axis) {
        lists_[axis].move(slot, coordinate_of(to, axis));
    }
}

/// Sorts, then merges: one by one would cost a search each.
void CrossList::load(std::span<const Placed> entities) {
    for (const Placed& entity : entities) {
        positions_.insert(entity.slot, entity.at);
    }
    std::vector<AxisList::Entry> entries(entities.size());
    for (std::size_t axis = 0; axis < axis_count_; ++axis) {
        for (std::size_t i = 0; i < entities.size(); ++i) {
            entries[i] = {coordinate_of(entities[i].at, axis), entities[i].slot};
        }
        std::sort(entries.begin(), entries.end());
        lists_[axis].merge(entries);
    }
}

void CrossList::query(const Rect& area, std::vector<Slot>& out) const {
    std::array<OutwardWalk, 2> walks{walk_from_min(lists_[0], area.min_x, area.max_x),
                                     walk_from_min(lists_[1], area.min_y, area.max_y)};
    append_shortest(walks, column_over(area), positions_, out);
}

void CrossList::query_box(const Box& box, std::vector<Slot>& out) const {
    if (axis_count_ == 2) {
        query(box.plane, out);
        return;
    }
    std::array<OutwardWalk, 3> walks{walk_from_min(lists_[0], box.plane.min_x, box.plane.max_x),
                                     walk_from_min(lists_[1], box.plane.min_y, box.plane.max_y),
                                     walk_from_min(lists_[2], box.min_z, box.max_z)};
    append_shortest(walks, box, positions_, out);
}

void CrossList::query_around(Slot slot, HalfExtents half, std::vector<Slot>& out) const {
    MARCHLAND_ASSERT(half.x >= 0 && half.y >= 0 && half.z >= 0);
    const Position at = positions_.at(slot);
    const Rect plane = rect_around(at, half.x, half.y);
    const std::int64_t min_z = std::int64_t{at.z} - half.z;
    const std::int64_t max_z = std::int64_t{at.z} + half.z;
    const auto walk_along = [slot](const AxisList& list, std::int64_t min, std::int64_t max) {
        return OutwardWalk(list, min, max, list.place_of(slot));
    };
    const OutwardWalk in_x = walk_along(lists_[0], plane.min_x, plane.max_x);
    const OutwardWalk in_y = walk_along(lists_[1], plane.min_y, plane.max_y);
    if (axis_count_ == 2) {
        std::array walks{in_x, in_y};
        append_shortest(walks, column_over(plane), positions_, out);
    } else {
        std::array walks{in_x, in_y, walk_along(lists_[2], min_z, max_z)};
        append_shortest(walks, {plane, min_z, max_z}, positions_, out);
    }
}

void CrossList::append_in_order(Axis axis, std::vector<Slot>& out) const {
    const auto number = static_cast<std::size_t>(axis);
    MARCHLAND_ASSERT(number < axis_count_);
    const AxisList& list = lists_[number];
    for (AxisList::Place at = list.next(AxisList::kEnd); at != AxisList::kEnd; at = list.next(at)) {
        out.push_back(AxisList::slot_at(at));
    }
}

std::string CrossList::print(Axis axis, const std::function<std::string(Slot)>& name_of) const {
    std::vector<Slot> slots;
    append_in_order(axis, slots);
    std::string text;
    for (const Slot slot : slots) {
        const Position at = positions_.at(slot);
        text += text.empty() ? "" : " -> ";
        text += name_of(slot) + '(' + std::to_string(at.x) + ',' + std::to_string(at.y);
        text += axis_count_ == 3 ? ',' + std::to_string(at.z) + ')' : ")";
    }
    return text;
}

}  // namespace marchland::engine
