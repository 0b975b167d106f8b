#include "tests/engine/visibility_oracle.h"

#include "tests/engine/exact_distance.h"
#include "tests/engine/textbook_view.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace marchland::engine::testing {

void VisibilityOracle::begin_tick(Tick now) {
    for (auto& [id, life] : lives_) {
        if (life.entity.position != life.began_at) {
            life.moved_ticks.push_back(now_);
            life.began_at = life.entity.position;
        }
    }
    now_ = now;
}

void VisibilityOracle::insert(const Entity& entity) {
    lives_[entity.id] = {entity, entity.position, {}, false};
}

void VisibilityOracle::erase(EntityId id) {
    lives_.erase(id);
    watches_.erase(id);
}

void VisibilityOracle::set_layers(EntityId id, LayerMask layers, LayerMask layers_seen) {
    lives_.at(id).entity.layers = layers;
    lives_.at(id).entity.layers_seen = layers_seen;
}

void VisibilityOracle::record_departure(EntityId id) {
    departures_.push_back({{id, birth_of(id)}, now_});
}

void VisibilityOracle::forget_departures_before(Tick tick) {
    std::erase_if(departures_, [tick](const auto& recorded) { return recorded.second < tick; });
}

Tick VisibilityOracle::moved_tick(EntityId id) const {
    const Life& life = lives_.at(id);
    if (life.entity.position != life.began_at) {
        return now_;
    }
    return life.moved_ticks.empty() ? kNever : life.moved_ticks.back();
}

std::vector<EntityId> VisibilityOracle::watched_here() const {
    std::vector<EntityId> ids;
    for (const auto& [id, watch] : watches_) {
        if (!is_away(id)) {
            ids.push_back(id);
        }
    }
    return ids;
}

ToldFrame VisibilityOracle::build_frame(EntityId id, bool complete) {
    const Entity& watcher = lives_.at(id).entity;
    Watch& watch = watches_.at(id);
    ToldFrame frame;
    frame.tick = now_;
    frame.watcher = id;
    frame.follows_last_tick = watch.synced_tick == now_ - 1;

    std::map<EntityId, Tick> visible;
    for (const auto& [other, life] : lives_) {
        if (other != id && is_visible(watcher, watch, life)) {
            visible[other] = life.entity.birth;
        }
    }
    const std::map<EntityId, Tick> candidates = visible;
    cap(watcher, watch, visible);
    frame.is_capped = visible.size() < candidates.size();
    const auto has = [](const std::map<EntityId, Tick>& set, EntityId other, Tick birth) {
        const auto at = set.find(other);
        return at != set.end() && at->second == birth;
    };
    for (const auto& [other, birth] : watch.known) {
        if (!has(visible, other, birth)) {
            frame.leaves.push_back({other, has(candidates, other, birth)
                                               ? LeaveReason::capped
                                               : reason(watcher, other, birth)});
        }
    }
    for (const auto& [other, birth] : visible) {
        const auto known = watch.known.find(other);
        if (known == watch.known.end() || known->second != birth) {
            frame.enters.push_back(other);
        } else if (moved_tick(other) > watch.synced_tick) {
            frame.moves.push_back(other);
        }
    }
    watch.known = std::move(visible);
    watch.synced_tick = complete ? now_ : watch.synced_tick;
    return frame;
}

bool VisibilityOracle::is_in_view(EntityId watcher, EntityId other) const {
    const Entity& from = lives_.at(watcher).entity;
    return is_in_view_by_the_textbook(from.view, false, from.position, from.facing,
                                      position_of(other), dimensions_);
}

bool VisibilityOracle::is_in_range(const Entity& watcher, const Entity& entity, bool leave) const {
    if (watcher.view.shape == Shape::none) {
        return false;
    }
    const std::int32_t shown_mm = leave ? entity.notify.leave_radius_mm : entity.notify.radius_mm;
    return is_within_by_the_textbook(watcher.position, entity.position, shown_mm, dimensions_) ||
           is_in_view_by_the_textbook(watcher.view, leave, watcher.position, watcher.facing,
                                      entity.position, dimensions_);
}

bool VisibilityOracle::is_visible(const Entity& watcher, const Watch& watch,
                                  const Life& life) const {
    const Entity& entity = life.entity;
    if (life.is_away || (watcher.layers_seen & entity.layers) == 0) {
        return false;
    }
    const auto known = watch.known.find(entity.id);
    const bool was_visible = known != watch.known.end() && known->second == entity.birth;
    return is_in_range(watcher, entity, false) ||
           (was_visible && is_in_range(watcher, entity, true));
}

LeaveReason VisibilityOracle::reason(const Entity& watcher, EntityId id, Tick birth) const {
    const auto life = lives_.find(id);
    const bool is_present = life != lives_.end() && !life->second.is_away;
    if (has_departed(id, birth) || (is_present && life->second.entity.birth != birth)) {
        return LeaveReason::gone;
    }
    if (!is_present || !is_in_range(watcher, life->second.entity, true)) {
        return LeaveReason::out_of_range;
    }
    return LeaveReason::hidden;
}

void VisibilityOracle::cap(const Entity& watcher, const Watch& watch,
                           std::map<EntityId, Tick>& visible) const {
    if (limits_.visible_max == 0) {
        return;
    }
    std::vector<std::tuple<Wide, int, EntityId>> ranks;
    for (const auto& [other, birth] : visible) {
        const auto known = watch.known.find(other);
        const bool is_new = known == watch.known.end() || known->second != birth;
        const Wide percent = is_new ? 100 : 100 - Wide{limits_.sticky_percent};
        const Wide square =
            square_by_the_textbook(watcher.position, position_of(other), dimensions_);
        ranks.emplace_back(square * percent * percent, is_new ? 1 : 0, other);
    }
    std::sort(ranks.begin(), ranks.end());
    for (std::size_t i = limits_.visible_max; i < ranks.size(); ++i) {
        visible.erase(std::get<EntityId>(ranks[i]));
    }
}

bool VisibilityOracle::has_departed(EntityId id, Tick birth) const {
    return std::any_of(departures_.begin(), departures_.end(), [&](const auto& recorded) {
        return recorded.first.id == id && recorded.first.birth >= birth;
    });
}

}  // namespace marchland::engine::testing
