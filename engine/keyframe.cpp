#include "engine/keyframe.h"

namespace marchland::engine {

Frame Keyframe::whole(const Frame& difference, Watcher& watcher) {
    enters_.clear();
    for (Sighting& sighting : watcher.known.all()) {
        enters_.push_back(sighting.slot);
        sighting.held_ticks = 0;  // an enter tells where it is
    }
    watcher.keyframe_due = false;
    Frame told = difference;
    told.enters = enters_;
    told.leaves = {};
    told.moves = {};
    told.were_held = {};
    told.states = {};
    told.is_slowed = false;
    told.is_over_budget = false;
    told.is_keyframe = true;
    return told;
}

}  // namespace marchland::engine
