#include "engine/cap.h"

#include "engine/assert.h"
#include "engine/squared_distance.h"

#include <algorithm>
#include <optional>

namespace marchland::engine {

WeightedSquare weighted_square(Position watcher, Position entity, bool is_seen,
                               const CrowdLimits& limits, Dimensions dimensions) {
    const SquaredDistance square = squared_distance(watcher, entity, dimensions);
    const std::uint32_t weight = is_seen ? 100U - limits.sticky_percent : 100U;
    const auto whole = (static_cast<WeightedSquare>(square.overflow) << 64U) + square.rest;
    return whole * (weight * weight);
}

void Cap::admit(const Scene& scene, Slot watcher, std::span<const Sighting> staying,
                std::vector<Sighting>& entering) {
    is_exceeded_ = staying.size() + entering.size() > limits_.visible_max;
    if (!is_exceeded_) {
        return;
    }
    const Position from = scene.entities.at(watcher).position;
    const auto distance_of = [&](const Sighting& sighting, bool is_seen) {
        return weighted_square(from, scene.entities.at(sighting.slot).position, is_seen, limits_,
                               scene.dimensions);
    };
    // Who is no nearer than all of those that stay has no chance where they fill every place.
    std::optional<WeightedSquare> furthest;
    if (staying.size() >= limits_.visible_max) {
        furthest = 0;
        for (const Sighting& sighting : staying) {
            furthest = std::max(*furthest, distance_of(sighting, true));
        }
    }
    applicants_.clear();
    for (const Sighting& sighting : entering) {
        const WeightedSquare distance = distance_of(sighting, false);
        if (!furthest || distance < *furthest) {
            applicants_.push_back({distance, sighting});
        }
    }
    if (applicants_.size() > limits_.visible_max) {
        const auto end = applicants_.begin() + static_cast<std::ptrdiff_t>(limits_.visible_max);
        std::nth_element(applicants_.begin(), end, applicants_.end(),
                         [](const Applicant& a, const Applicant& b) {
                             return a.distance != b.distance
                                        ? a.distance < b.distance
                                        : a.sighting.known.id < b.sighting.known.id;
                         });
        applicants_.erase(end, applicants_.end());
    }
    entering.clear();
    for (const Applicant& applicant : applicants_) {
        entering.push_back(applicant.sighting);
    }
}

std::span<const std::size_t> Cap::left_out(const Scene& scene, Slot watcher,
                                           std::span<const Sighting> candidates,
                                           std::span<const Slot> entered) {
    MARCHLAND_ASSERT(candidates.size() > limits_.visible_max);
    const Position from = scene.entities.at(watcher).position;
    ranks_.clear();
    std::size_t entered_before = 0;
    for (std::size_t place = 0; place < candidates.size(); ++place) {
        const Slot slot = candidates[place].slot;
        const bool is_new = entered_before < entered.size() && entered[entered_before] == slot;
        entered_before += is_new ? 1U : 0U;
        ranks_.push_back({weighted_square(from, scene.entities.at(slot).position, !is_new, limits_,
                                          scene.dimensions),
                          is_new, place});
    }
    const auto first_out = ranks_.begin() + static_cast<std::ptrdiff_t>(limits_.visible_max);
    std::nth_element(ranks_.begin(), first_out, ranks_.end());
    left_out_.clear();
    for (auto rank = first_out; rank != ranks_.end(); ++rank) {
        left_out_.push_back(rank->place);
    }
    std::sort(left_out_.begin(), left_out_.end());
    return left_out_;
}

}  // namespace marchland::engine
