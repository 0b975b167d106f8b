#pragma once

#include "engine/beacons.h"
#include "engine/entity.h"
#include "engine/geometry.h"
#include "engine/ids.h"
#include "engine/slot_list.h"

#include <cstddef>
#include <vector>

namespace marchland::engine {

/// Entities that showed themselves from afar when the last tick ended, and since went, came near somebody
/// else, or show themselves otherwise: watchers near where they were may know them, and find them nowhere.
///
/// Threads  As Beacons.
/// Cost     note O(1); a visit as of Beacons; clear O(noted).
class FormerBeacons {
public:
    /// `entity` is as it was. Of those at one slot the first is enough: whoever took its place in this
    /// tick is known to nobody yet.
    void note(Slot slot, const Entity& entity);
    void clear();

    [[nodiscard]] bool is_empty() const { return formers_.empty(); }

    /// As Beacons::visit_around, with ids.
    template <typename Visit>
    void visit_around(const Rect& square, Visit&& visit) const {
        beacons_.visit_around(square, [&](Slot number) { visit(formers_[to_number(number)].id); });
    }

private:
    struct Former {
        EntityId id{};
        Position at;
        std::int32_t leave_radius_mm = 0;
    };

    SlotList noted_;
    std::vector<Former> formers_;
    Beacons beacons_;  ///< in place of slots numbers in formers_
};

}  // namespace marchland::engine
