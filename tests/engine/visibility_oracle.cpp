#include "tests/engine/visibility_oracle.h"

#include "tests/engine/exact_distance.h"
#include "tests/engine/textbook_view.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace marchland::engine::testing {
namespace {

std::vector<std::byte> bytes_of(const Blob& blob) {
    return blob == nullptr ? std::vector<std::byte>{} : *blob;
}

}  // namespace

void VisibilityOracle::begin_tick(Tick now) {
    for (auto& [id, life] : lives_) {
        if (life.entity.position != life.began_at) {
            life.moved_ticks.push_back(now_);
            life.began_at = life.entity.position;
        }
    }
    ended_now_.clear();
    now_ = now;
}

void VisibilityOracle::insert(const Entity& entity) {
    // Born again in the tick of its birth it is the same life, and its state did change.
    const auto ended = ended_now_.find({entity.id, entity.birth});
    const Tick state_tick = ended == ended_now_.end() ? kNever : ended->second;
    lives_[entity.id] = {entity, entity.position, {}, false, state_tick};
}

void VisibilityOracle::erase(EntityId id) {
    ended_now_[{id, birth_of(id)}] = lives_.at(id).state_tick;
    lives_.erase(id);
    watches_.erase(id);
}

void VisibilityOracle::set_layers(EntityId id, LayerMask layers, LayerMask layers_seen) {
    lives_.at(id).entity.layers = layers;
    lives_.at(id).entity.layers_seen = layers_seen;
}

void VisibilityOracle::set_state(EntityId id, const Blob& state) {
    Life& life = lives_.at(id);
    if (bytes_of(life.entity.blob) != bytes_of(state)) {
        life.entity.blob = state;
        life.state_tick = now_;
    }
}

std::uint32_t VisibilityOracle::say(EntityId id, const Blob& payload,
                                    const std::vector<EntityId>& to) {
    const auto number =
        static_cast<std::uint32_t>(std::count_if(said_.begin(), said_.end(), [&](const Said& said) {
            return said.source == id && said.birth == birth_of(id) && said.tick == now_;
        }));
    said_.push_back({id, birth_of(id), now_, number, bytes_of(payload), to});
    return number;
}

void VisibilityOracle::record_departure(EntityId id) {
    departures_.push_back({{id, birth_of(id)}, now_});
}

void VisibilityOracle::forget_before(Tick tick) {
    std::erase_if(departures_, [tick](const auto& recorded) { return recorded.second < tick; });
    forgotten_before_ = std::max(forgotten_before_, tick);
}

Tick VisibilityOracle::owed_from(EntityId id) const {
    const Watch& watch = watches_.at(id);
    return std::max(std::max(watch.synced_tick, watch.framed_tick) + 1, birth_of(id));
}

/// One that was never told all is told of its known ones' states again, however old they are, if they are remembered.
Tick VisibilityOracle::needed_from() const {
    Tick from = now_;
    for (const auto& [id, watch] : watches_) {
        if (watch.synced_tick == kNever && !watch.known.empty()) {
            from = kNever;
        } else if (!is_away(id) && !watch.is_newly_housed) {
            from = std::min(from, std::max(watch.synced_tick + 1, birth_of(id)));
        }
    }
    return from;
}

void VisibilityOracle::house_anew(EntityId id) {
    if (is_watched(id)) {
        watches_.at(id).is_newly_housed = true;
    }
}

bool VisibilityOracle::has_missed_what_is_forgotten(EntityId id) const {
    return watches_.at(id).is_newly_housed && owed_from(id) < forgotten_before_;
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
    frame.events_lost = has_missed_what_is_forgotten(id);
    watch.keyframe_due = watch.keyframe_due || frame.events_lost;
    watch.is_newly_housed = false;
    watch.framed_tick = now_;

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
        }
    }
    tell_news(watcher, watch, visible, frame);
    tell_moves(watcher, watch, visible, complete, frame);
    watch.known = std::move(visible);
    watch.synced_tick = complete ? now_ : watch.synced_tick;
    if (std::exchange(watch.keyframe_due, false)) {
        tell_all_of(watch.known, watch, frame);
    }
    return frame;
}

void VisibilityOracle::tell_all_of(const std::map<EntityId, Tick>& visible, Watch& watch,
                                   ToldFrame& frame) {
    frame.is_keyframe = true;
    frame.is_slowed = false;
    frame.is_over_budget = false;
    frame.leaves.clear();
    frame.enters.clear();
    frame.moves.clear();
    frame.held_moves.clear();
    frame.states.clear();
    for (const auto& [id, birth] : visible) {
        frame.enters.push_back(id);
        watch.right_until[id] = watch.synced_tick;
    }
}

/// docs/visibility.md, States and Events. What was for the watcher once is not looked at again.
void VisibilityOracle::tell_news(const Entity& watcher, Watch& watch,
                                 const std::map<EntityId, Tick>& visible, ToldFrame& frame) const {
    for (const auto& [id, birth] : visible) {
        const bool enters = std::count(frame.enters.begin(), frame.enters.end(), id) != 0;
        if (!enters && lives_.at(id).state_tick > watch.synced_tick) {
            frame.states.push_back(id);
        }
    }
    std::vector<const Said*> told;
    for (std::size_t place = 0; place < said_.size(); ++place) {
        const Said& said = said_[place];
        if (said.tick <= watch.synced_tick || watch.heard.contains(place)) {
            continue;
        }
        if (is_for(said, watcher, watch, visible)) {
            told.push_back(&said);
            watch.heard.insert(place);
        } else if (said.to.empty() && visible.contains(said.source) &&
                   visible.at(said.source) == said.birth) {
            watch.heard.insert(place);  // it is of before the watcher saw its source
        }
    }
    std::sort(told.begin(), told.end(), [](const Said* a, const Said* b) {
        return std::tuple(a->tick, a->source, a->birth, a->number) <
               std::tuple(b->tick, b->source, b->birth, b->number);
    });
    for (const Said* said : told) {
        frame.events.push_back({said->source, said->tick, said->payload});
    }
}

bool VisibilityOracle::is_for(const Said& said, const Entity& watcher, const Watch& watch,
                              const std::map<EntityId, Tick>& visible) const {
    if (!said.to.empty()) {
        return said.tick >= std::max(watcher.birth, forgotten_before_) &&
               std::count(said.to.begin(), said.to.end(), watcher.id) != 0;
    }
    const auto is_in = [&](const std::map<EntityId, Tick>& set) {
        const auto at = set.find(said.source);
        return at != set.end() && at->second == said.birth;
    };
    if (is_in(visible)) {
        return is_in(watch.known) || said.tick == now_;
    }
    return is_in(watch.known) && reason(watcher, said.source, said.birth) == LeaveReason::gone;
}

void VisibilityOracle::tell_moves(const Entity& watcher, Watch& watch,
                                  const std::map<EntityId, Tick>& visible, bool complete,
                                  ToldFrame& frame) const {
    std::map<EntityId, Tick> right_until;
    std::vector<Due> due;
    for (const auto& [other, birth] : visible) {
        const bool enters = std::count(frame.enters.begin(), frame.enters.end(), other) != 0;
        const Tick until = enters ? watch.synced_tick : watch.right_until.at(other);
        const bool is_right = enters || moved_tick(other) <= until;
        right_until[other] = complete && is_right ? now_ : until;
        if (is_right) {
            continue;
        }
        if (is_due(watcher, other, until)) {
            due.push_back({other, until});
        } else {
            frame.is_slowed = true;
        }
    }
    const std::size_t due_count = due.size();
    keep_what_fits(watcher, watch, frame, due);
    frame.is_over_budget = due.size() < due_count;
    std::sort(due.begin(), due.end(), [](const Due& a, const Due& b) { return a.id < b.id; });
    for (const Due& told : due) {
        frame.moves.push_back(told.id);
        if (told.right_until != watch.synced_tick) {
            frame.held_moves.push_back(told.id);
        }
        right_until[told.id] = complete ? now_ : told.right_until;
    }
    watch.right_until = std::move(right_until);
}

bool VisibilityOracle::is_stale(Tick right_until) const {
    return limits_.frame_bytes_max != 0 && now_ - right_until >= limits_.stale_ticks_max;
}

/// docs/visibility.md: first those that waited too long, then by share, until one does not fit.
void VisibilityOracle::keep_what_fits(const Entity& watcher, const Watch& watch,
                                      const ToldFrame& frame, std::vector<Due>& due) const {
    if (limits_.frame_bytes_max == 0) {
        return;
    }
    const auto cost_of = [&](const Due& move) {
        const bool is_difference = frame.follows_last_tick && move.right_until == watch.synced_tick;
        return is_difference ? 8 : 16;
    };
    const auto age_of = [&](const Due& move) {
        return Wide{std::min<Tick>(now_ - move.right_until, 65'535)} *
               lives_.at(move.id).entity.importance;
    };
    const auto square_of = [&](const Due& move) {
        return square_by_the_textbook(watcher.position, position_of(move.id), dimensions_) +
               Wide{1'000'000};
    };
    std::sort(due.begin(), due.end(), [&](const Due& a, const Due& b) {
        if (is_stale(a.right_until) != is_stale(b.right_until)) {
            return is_stale(a.right_until);
        }
        const Wide left = age_of(a) * age_of(a) * square_of(b);
        const Wide right = age_of(b) * age_of(b) * square_of(a);
        return left != right ? left > right : a.id < b.id;
    });
    std::int64_t room = limits_.frame_bytes_max;
    room -= static_cast<std::int64_t>(64 + 16 * frame.leaves.size());
    for (const EntityId id : frame.enters) {
        const Blob& blob = lives_.at(id).entity.blob;
        room -= 48 + static_cast<std::int64_t>(blob == nullptr ? 0 : blob->size());
    }
    for (const EntityId id : frame.states) {
        room -= 16 + static_cast<std::int64_t>(bytes_of(lives_.at(id).entity.blob).size());
    }
    for (const ToldEvent& event : frame.events) {
        room -= 24 + static_cast<std::int64_t>(event.payload.size());
    }
    std::int64_t all = 0;
    for (const Due& move : due) {
        all += cost_of(move);
    }
    if (all <= room) {
        return;
    }
    std::size_t kept = 0;
    while (kept < due.size() && (is_stale(due[kept].right_until) || cost_of(due[kept]) <= room)) {
        room -= cost_of(due[kept]);
        ++kept;
    }
    due.resize(kept);
}

/// Some tick after the last in which w was right is a slot.
bool VisibilityOracle::is_due(const Entity& watcher, EntityId other, Tick right_until) const {
    Tick every = 1;
    for (const UpdateRing& ring : limits_.rings) {
        if (ring.every_ticks != 0 &&
            !is_within_by_the_textbook(watcher.position, position_of(other), ring.beyond_mm,
                                       dimensions_)) {
            every = ring.every_ticks * ring_slowdown_;
        }
    }
    if (limits_.frame_bytes_max != 0 && every > limits_.stale_ticks_max) {
        every = limits_.stale_ticks_max;
    }
    for (Tick tick = right_until + 1; tick <= now_; ++tick) {
        if ((Wide{tick} + Wide{to_number(other)}) % Wide{every} == 0) {
            return true;
        }
    }
    return false;
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
