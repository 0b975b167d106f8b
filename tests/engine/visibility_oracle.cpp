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

bool is_first(const StateWrite& write) {
    const auto* const integer = std::get_if<std::int64_t>(&write.value);
    return integer == nullptr ? bytes_of(std::get<Blob>(write.value)).empty() : *integer == 0;
}

/// docs/visibility.md: an integer of these tests takes one byte, and one says which slot it is.
std::int64_t cost_of(const SentState& state) {
    std::int64_t cost = 0;
    for (const StateWrite& write : state.slots) {
        const bool is_integer = std::holds_alternative<std::int64_t>(write.value);
        cost += is_integer
                    ? 2
                    : 3 + static_cast<std::int64_t>(bytes_of(std::get<Blob>(write.value)).size());
    }
    return cost;
}

/// docs/visibility.md: the order of equals.
std::uint64_t written_turn_of(EntityId id, Tick now) {
    return (to_number(id) + now) * 11'400'714'819'323'198'485U;
}

}  // namespace

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

void VisibilityOracle::set_state(EntityId id, const StateWrite& write) {
    auto& state = lives_.at(id).state;
    const auto before = state.find(write.number);
    if (before == state.end() ? !is_first(write) : before->second.first != write) {
        state[write.number] = {write, now_};
    }
}

std::uint32_t VisibilityOracle::say(EntityId id, const Blob& payload) {
    const auto number =
        static_cast<std::uint32_t>(std::count_if(said_.begin(), said_.end(), [&](const Said& said) {
            return said.source == id && said.birth == birth_of(id) && said.tick == now_;
        }));
    said_.push_back({id, birth_of(id), now_, number, bytes_of(payload)});
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

/// One that was never sent all is sent what was said since, however old it is, if it is remembered.
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

SentFrame VisibilityOracle::build_frame(EntityId id, bool complete) {
    const Entity& watcher = lives_.at(id).entity;
    Watch& watch = watches_.at(id);
    SentFrame frame;
    frame.tick = now_;
    frame.watcher = id;
    frame.follows_last_tick = watch.synced_tick == now_ - 1;
    frame.messages_lost = has_missed_what_is_forgotten(id);
    watch.keyframe_due = watch.keyframe_due || frame.messages_lost;
    watch.is_newly_housed = false;
    watch.framed_tick = now_;

    Ids visible;
    for (const auto& [other, life] : lives_) {
        if (other != id && is_visible(watcher, watch, life)) {
            visible[other] = life.entity.birth;
        }
    }
    const Ids candidates = visible;
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
    Ids stayed;
    Ids entering;
    for (const auto& [other, birth] : visible) {
        (has(watch.known, other, birth) ? stayed : entering)[other] = birth;
    }
    frame.is_keyframe =
        std::exchange(watch.keyframe_due, false) ||
        (limits_.frame_bytes_max != 0 && 16 * frame.leaves.size() > limits_.frame_bytes_max);
    std::set<std::size_t> messages;
    const auto found = find_messages(watcher, watch, stayed, visible, false, frame.messages_lost);
    if (frame.is_keyframe) {
        frame.leaves.clear();
        entering = visible;
        stayed.clear();
    }
    Budget budget = budget_for(watch, frame.leaves.size());
    const std::vector<Due> due = find_due(watcher, watch, stayed, frame);
    std::vector<EntityId> moves = send_moves(watcher, watch, due, true, budget, frame);
    std::vector<std::size_t> all_messages(watch.waiting_messages.begin(),
                                          watch.waiting_messages.end());
    all_messages.insert(all_messages.end(), found.begin(), found.end());
    send_messages(all_messages, watch, budget, messages);
    send_states(watcher, stayed, watch, complete, budget, frame);
    send_enters(watcher, entering, watch, budget, frame);
    Ids entered_anew;
    visible = stayed;
    for (const EntityId other : frame.enters) {
        visible[other] = entering.at(other);
        if (!has(watch.known, other, entering.at(other))) {
            entered_anew[other] = entering.at(other);
        }
    }
    send_messages(find_messages(watcher, watch, entered_anew, visible, true, frame.messages_lost),
                  watch, budget, messages);
    const std::vector<EntityId> others = send_moves(watcher, watch, due, false, budget, frame);
    moves.insert(moves.end(), others.begin(), others.end());

    std::map<EntityId, Tick> right_until;
    for (const auto& [other, birth] : visible) {
        const bool is_old = stayed.contains(other);
        const Tick until = is_old ? watch.right_until.at(other) : watch.synced_tick;
        const bool is_right = !is_old || moved_tick(other) <= until;
        const bool is_sent = std::count(moves.begin(), moves.end(), other) != 0;
        right_until[other] = complete && (is_right || is_sent) ? now_ : until;
        if (is_sent) {
            frame.moves.push_back(other);
            if (until != watch.synced_tick) {
                frame.held_moves.push_back(other);
            }
        }
    }
    if (frame.is_keyframe) {
        for (const auto& [other, birth] : visible) {
            right_until[other] = complete ? now_ : watch.synced_tick;
        }
    }
    frame.is_over_budget = frame.is_over_budget || !watch.waiting_messages.empty();
    drop_oldest_messages(watch, frame);
    std::vector<const Said*> sent;
    for (const std::size_t place : messages) {
        sent.push_back(&said_[place]);
    }
    std::sort(sent.begin(), sent.end(), [](const Said* a, const Said* b) {
        return std::tuple(a->tick, a->source, a->birth, a->number) <
               std::tuple(b->tick, b->source, b->birth, b->number);
    });
    for (const Said* said : sent) {
        frame.messages.push_back({said->source, said->tick, said->payload});
    }
    const bool is_empty = frame.leaves.empty() && frame.enters.empty() && frame.moves.empty() &&
                          frame.states.empty() && frame.messages.empty() && !frame.is_keyframe &&
                          !frame.messages_lost;
    watch.credit_bytes -= is_empty ? 0 : budget.used;
    watch.right_until = std::move(right_until);
    watch.known = std::move(visible);
    watch.synced_tick = complete ? now_ : watch.synced_tick;
    return frame;
}

bool VisibilityOracle::Budget::send(std::int64_t cost) {
    if (is_set && used >= bytes) {
        return false;
    }
    used += cost;
    return true;
}

VisibilityOracle::Budget VisibilityOracle::budget_for(Watch& watch, std::size_t leaves) const {
    Budget budget{limits_.frame_bytes_max != 0, limits_.frame_bytes_max};
    if (lower_budget_ != 0) {
        budget.bytes = std::min<std::int64_t>(budget.bytes, lower_budget_);
    }
    if (limits_.watcher_bytes_per_tick != 0) {
        const Tick first = watch.credit_tick == kNever ? now_ : watch.credit_tick + 1;
        for (Tick tick = first; tick <= now_; ++tick) {
            watch.credit_bytes = std::min<std::int64_t>(
                watch.credit_bytes + limits_.watcher_bytes_per_tick, limits_.frame_bytes_max);
        }
        watch.credit_tick = now_;
        budget.bytes = std::min(budget.bytes, watch.credit_bytes);
    }
    budget.used = static_cast<std::int64_t>(64 + 16 * leaves);
    return budget;
}

/// What was for the watcher once is not looked at again.
std::vector<std::size_t> VisibilityOracle::find_messages(const Entity& watcher, Watch& watch,
                                                         const Ids& sources, const Ids& visible,
                                                         bool are_new, bool has_missed) const {
    std::vector<std::size_t> places;
    for (std::size_t place = 0; place < said_.size(); ++place) {
        const Said& said = said_[place];
        const bool is_lost = has_missed && said.tick < forgotten_before_;
        if (said.tick <= watch.synced_tick || is_lost || watch.sent_messages.contains(place)) {
            continue;
        }
        const auto at = sources.find(said.source);
        const bool is_of_source = at != sources.end() && at->second == said.birth;
        const bool is_sent = are_new ? is_of_source && said.tick == now_
                                     : (is_of_source || !visible.contains(said.source) ||
                                        visible.at(said.source) != said.birth) &&
                                           is_for(said, watcher, watch, visible);
        if (is_sent) {
            places.push_back(place);
        }
        if (is_sent || is_of_source) {
            watch.sent_messages.insert(place);  // or it is of before the watcher saw its source
        }
    }
    return places;
}

void VisibilityOracle::send_messages(std::vector<std::size_t> places, Watch& watch, Budget& budget,
                                     std::set<std::size_t>& sent) const {
    std::sort(places.begin(), places.end(), [this](std::size_t a, std::size_t b) {
        const auto key = [this](std::size_t place) {
            const Said& said = said_[place];
            return std::tuple(said.tick, said.source, said.birth, said.number);
        };
        return key(a) < key(b);
    });
    for (const std::size_t place : places) {
        if (budget.send(24 + static_cast<std::int64_t>(said_[place].payload.size()))) {
            sent.insert(place);
            watch.waiting_messages.erase(place);
        } else {
            watch.waiting_messages.insert(place);
        }
    }
}

void VisibilityOracle::drop_oldest_messages(Watch& watch, SentFrame& frame) const {
    const auto cost = [this, &watch]() {
        std::size_t bytes = 0;
        for (const std::size_t place : watch.waiting_messages) {
            bytes += said_[place].payload.size() + 64;
        }
        return bytes;
    };
    while (cost() > 65'536) {
        const auto oldest = std::min_element(
            watch.waiting_messages.begin(), watch.waiting_messages.end(),
            [this](std::size_t a, std::size_t b) {
                const auto key = [this](std::size_t place) {
                    const Said& said = said_[place];
                    return std::tuple(said.tick, said.source, said.birth, said.number);
                };
                return key(a) < key(b);
            });
        watch.waiting_messages.erase(oldest);
        frame.messages_lost = true;
    }
}

/// Its own entity's slots a watcher may have all.
bool VisibilityOracle::may_have(const Entity& watcher, const Entity& entity,
                                std::uint8_t slot) const {
    const StateSlot& declared = slots_.at(slot);
    switch (declared.audience) {
        case StateAudience::all:
            return true;
        case StateAudience::own:
            return watcher.id == entity.id;
        case StateAudience::near:
            return is_within_by_the_textbook(watcher.position, entity.position, declared.radius_mm,
                                             dimensions_);
        case StateAudience::layer:
            return watcher.id == entity.id || (watcher.layers_seen & declared.layers) != 0;
    }
    return false;
}

SentState VisibilityOracle::state_for(const Entity& watcher, EntityId id,
                                      const std::set<std::uint8_t>& slots) const {
    SentState state{id, {}};
    for (const std::uint8_t slot : slots) {
        if (may_have(watcher, lives_.at(id).entity, slot)) {
            state.slots.push_back(lives_.at(id).state.at(slot).first);
        }
    }
    return state;
}

/// Those whose value is not the first one.
std::set<std::uint8_t> VisibilityOracle::set_slots(EntityId id) const {
    std::set<std::uint8_t> slots;
    for (const auto& [number, value] : lives_.at(id).state) {
        if (!is_first(value.first)) {
            slots.insert(number);
        }
    }
    return slots;
}

/// Of those that stayed, and of itself. Those that wait longest first, then by turn.
void VisibilityOracle::send_states(const Entity& watcher, Ids stayed, Watch& watch, bool complete,
                                   Budget& budget, SentFrame& frame) const {
    stayed[watcher.id] = watcher.birth;
    const std::map<EntityId, Lack> before = std::exchange(watch.lacks, {});
    std::vector<std::tuple<Tick, std::uint64_t, EntityId>> due;
    for (const auto& [id, birth] : stayed) {
        Lack& lack = watch.lacks[id];
        if (frame.is_keyframe) {
            lack.slots = set_slots(id);
        } else {
            lack = before.contains(id) ? before.at(id) : Lack{};
            for (const auto& [number, value] : lives_.at(id).state) {
                if (value.second > watch.synced_tick) {
                    lack.slots.insert(number);
                }
            }
        }
        if (!state_for(watcher, id, lack.slots).slots.empty()) {
            due.emplace_back(lack.since == kNever ? now_ : lack.since, written_turn_of(id, now_),
                             id);
        }
    }
    std::sort(due.begin(), due.end());
    for (const auto& [since, turn, id] : due) {
        Lack& lack = watch.lacks.at(id);
        const SentState state = state_for(watcher, id, lack.slots);
        if (!budget.send(8 + cost_of(state))) {
            frame.is_over_budget = true;
            lack.since = since;
            continue;
        }
        frame.states.push_back(state);
        lack.since = kNever;
        for (const StateWrite& slot : state.slots) {
            lack.slots.erase(slot.number);
        }
    }
    // Where changes are missing, what was sent does not count, and is found again if it is new.
    if (!complete && !frame.is_keyframe) {
        watch.lacks = before;
        std::erase_if(watch.lacks, [&](const auto& lack) { return !stayed.contains(lack.first); });
    } else if (!complete) {
        watch.lacks[watcher.id] = {set_slots(watcher.id), kNever};
    }
    std::sort(frame.states.begin(), frame.states.end(),
              [](const SentState& a, const SentState& b) { return a.id < b.id; });
}

void VisibilityOracle::send_enters(const Entity& watcher, Ids& entering, Watch& watch,
                                   Budget& budget, SentFrame& frame) const {
    std::vector<std::pair<Wide, EntityId>> nearest;
    for (const auto& [id, birth] : entering) {
        nearest.emplace_back(square_by_the_textbook(watcher.position, position_of(id), dimensions_),
                             id);
    }
    std::sort(nearest.begin(), nearest.end());
    for (const auto& [square, id] : nearest) {
        if (budget.send(48 + cost_of(state_for(watcher, id, set_slots(id))))) {
            frame.enters.push_back(id);
        }
    }
    frame.is_filling = frame.enters.size() < entering.size();
    std::sort(frame.enters.begin(), frame.enters.end());
    for (const EntityId id : frame.enters) {
        const SentState state = state_for(watcher, id, set_slots(id));
        Lack& lack = watch.lacks[id] = {set_slots(id), kNever};
        for (const StateWrite& slot : state.slots) {
            lack.slots.erase(slot.number);
        }
        if (!state.slots.empty()) {
            frame.entered_states.push_back(state);
        }
    }
}

bool VisibilityOracle::is_for(const Said& said, const Entity& watcher, const Watch& watch,
                              const std::map<EntityId, Tick>& visible) const {
    const auto is_in = [&](const std::map<EntityId, Tick>& set) {
        const auto at = set.find(said.source);
        return at != set.end() && at->second == said.birth;
    };
    if (is_in(visible)) {
        return is_in(watch.known) || said.tick == now_;
    }
    return is_in(watch.known) && reason(watcher, said.source, said.birth) == LeaveReason::gone;
}

std::vector<VisibilityOracle::Due> VisibilityOracle::find_due(const Entity& watcher,
                                                              const Watch& watch, const Ids& stayed,
                                                              SentFrame& frame) const {
    std::vector<Due> due;
    for (const auto& [other, birth] : stayed) {
        const Tick until = watch.right_until.at(other);
        if (moved_tick(other) <= until) {
            continue;
        }
        if (is_due(watcher, other, until)) {
            due.push_back({other, until});
        } else {
            frame.is_slowed = true;
        }
    }
    return due;
}

bool VisibilityOracle::is_stale(Tick right_until) const {
    return limits_.frame_bytes_max != 0 && now_ - right_until >= limits_.stale_ticks_max;
}

/// docs/visibility.md: of those that waited too long the oldest first, of the others by share.
std::vector<EntityId> VisibilityOracle::send_moves(const Entity& watcher, const Watch& watch,
                                                   std::vector<Due> moves, bool are_stale,
                                                   Budget& budget, SentFrame& frame) const {
    std::erase_if(moves, [&](const Due& move) { return is_stale(move.right_until) != are_stale; });
    const auto age_of = [&](const Due& move) {
        return std::min<Tick>(now_ - move.right_until, 65'535);
    };
    const auto share_of = [&](const Due& move) {
        return Wide{age_of(move)} * lives_.at(move.id).entity.importance;
    };
    const auto square_of = [&](const Due& move) {
        return square_by_the_textbook(watcher.position, position_of(move.id), dimensions_) +
               Wide{1'000'000};
    };
    std::sort(moves.begin(), moves.end(), [&](const Due& a, const Due& b) {
        if (are_stale) {
            return age_of(a) != age_of(b)
                       ? age_of(a) > age_of(b)
                       : written_turn_of(a.id, now_) < written_turn_of(b.id, now_);
        }
        const Wide left = share_of(a) * share_of(a) * square_of(b);
        const Wide right = share_of(b) * share_of(b) * square_of(a);
        return left != right ? left > right : a.id < b.id;
    });
    std::vector<EntityId> sent;
    for (const Due& move : moves) {
        const bool is_difference = frame.follows_last_tick && move.right_until == watch.synced_tick;
        if (budget.send(is_difference ? 8 : 16)) {
            sent.push_back(move.id);
        } else {
            frame.is_over_budget = true;
        }
    }
    return sent;
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
