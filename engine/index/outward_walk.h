#pragma once

#include "engine/index/axis_list.h"

#include <cstdint>

namespace marchland::engine {

/// A walk along one axis, outwards both ways from a place in a span of values, one step to each side
/// at a time, until both ends of the span are passed. Which of several walks is over first tells
/// which axis has the shortest span, at the price of that one.
class OutwardWalk {
public:
    /// The span is min to max, both inclusive. `before` and `from` are neighbours; all between min
    /// and `before` and all between `from` and max are yet to be walked.
    OutwardWalk(const AxisList& list, std::int64_t min, std::int64_t max, AxisList::Place before,
                AxisList::Place from)
        : list_(&list), min_(min), max_(max), left_(before), right_(from) {}

    /// From the value `min` on.
    static OutwardWalk from_min(const AxisList& list, std::int64_t min, std::int64_t max) {
        const AxisList::Place first = list.first_from(min);
        return {list, min, max, list.previous(first), first};
    }
    /// From an entity inside the span.
    static OutwardWalk around(const AxisList& list, std::int64_t min, std::int64_t max,
                              AxisList::Place middle) {
        return {list, min, max, list.previous(middle), middle};
    }

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

}  // namespace marchland::engine
