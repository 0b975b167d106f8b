#include "engine/crowd_frames.h"

#include <algorithm>
#include <iterator>

namespace marchland::engine {

Frame CrowdFrames::limit(const Scene& scene, const Frame& whole, Watcher& watcher) {
    std::vector<Sighting>& known = watcher.known.all();
    if (!limits_.has_cap() || known.size() <= limits_.visible_max) {
        return whole;
    }
    leave_out(whole, known, cap_.left_out(scene, whole.watcher, known, whole.enters));
    Frame told = whole;
    told.leaves = leaves_;
    told.enters = enters_;
    told.moves = moves_;
    told.is_capped = true;
    return told;
}

/// `known` and the lists of the frame are in ascending id, and so go by side by side.
void CrowdFrames::leave_out(const Frame& whole, std::vector<Sighting>& known,
                            std::span<const std::size_t> left_out) {
    capped_.clear();
    enters_.clear();
    moves_.clear();
    auto enter = whole.enters.begin();
    auto move = whole.moves.begin();
    auto out = left_out.begin();
    std::size_t kept = 0;
    for (std::size_t place = 0; place < known.size(); ++place) {
        const Slot slot = known[place].slot;
        const bool enters = enter != whole.enters.end() && *enter == slot;
        const bool moves = move != whole.moves.end() && *move == slot;
        enter += enters ? 1 : 0;
        move += moves ? 1 : 0;
        if (out != left_out.end() && *out == place) {
            ++out;
            if (!enters) {
                capped_.push_back({known[place].known.id, LeaveReason::capped});
            }
            continue;
        }
        if (enters) {
            enters_.push_back(slot);
        }
        if (moves) {
            moves_.push_back(slot);
        }
        known[kept++] = known[place];
    }
    known.resize(kept);
    leaves_.clear();
    std::merge(whole.leaves.begin(), whole.leaves.end(), capped_.begin(), capped_.end(),
               std::back_inserter(leaves_),
               [](const Leave& a, const Leave& b) { return a.id < b.id; });
}

}  // namespace marchland::engine
