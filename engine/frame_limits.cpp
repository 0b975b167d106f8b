#include "engine/frame_limits.h"

#include "engine/assert.h"
#include "engine/squared_distance.h"

#include <algorithm>
#include <bit>
#include <tuple>

namespace marchland::engine {
namespace {

__extension__ using Wide = unsigned __int128;

/// Of a metre, so that whoever stands in the very same place has no more than a large share.
constexpr std::uint64_t kMetreSquare = 1'000'000;
/// Whoever has waited so long is due by any measure; more need not be counted.
constexpr Tick kAgeTicksMax = 65'535;
/// As a share, more than floats are off: those that are so near to the cut are told apart in integers.
constexpr float kUnsure = 1.0F / (1 << 16);

template <typename Visit>
void for_each_place(const std::uint64_t* bits, std::size_t words, Visit&& visit) {
    for (std::size_t word = 0; word < words; ++word) {
        for (std::uint64_t left = bits[word]; left != 0; left &= left - 1) {
            visit(static_cast<std::uint32_t>(64 * word) +
                  static_cast<std::uint32_t>(std::countr_zero(left)));
        }
    }
}

bool is_set(const std::uint64_t* bits, std::uint32_t place) {
    return (bits[place / 64] >> (place % 64) & 1U) != 0;
}

/// Was one of the last `age_ticks` ticks (`now` is the newest of them) a turn of the entity: one with
/// (tick + id) divisible by every_ticks? So the turns of a crowd are spread over the ticks, and one
/// that passed while the watcher took no frame is made up for in the next.
bool had_turn(Tick now, EntityId id, std::uint32_t every_ticks, std::uint64_t age_ticks) {
    return (now % every_ticks + to_number(id) % every_ticks) % every_ticks < age_ticks;
}

}  // namespace

WeightedSquare weighted_square(Position watcher, Position entity, bool is_known,
                               const CrowdLimits& limits, Dimensions dimensions) {
    const SquaredDistance square = squared_distance(watcher, entity, dimensions);
    const std::uint32_t weight = is_known ? 100U - limits.sticky_percent : 100U;
    const auto whole = (WeightedSquare{square.overflow} << 64U) + square.rest;
    return whole * (weight * weight);
}

bool FrameLimits::keep_nearest(const Scene& scene, Watcher& watcher, const Candidates& candidates,
                               std::span<const Slot> slots, const std::uint64_t* was,
                               std::uint64_t* now) {
    const std::size_t words = candidates.words();
    const std::size_t wanted = limits_.visible_max;
    std::size_t count = 0;
    for (std::size_t word = 0; word < words; ++word) {
        count += static_cast<std::size_t>(std::popcount(now[word]));
    }
    if (count <= wanted) {
        return false;
    }
    const std::uint32_t weight = 100U - limits_.sticky_percent;
    const float known_share = static_cast<float>(weight * weight) / 10'000.0F;
    const Position from = scene.entities.at(watcher.slot).position;
    keys_.clear();
    places_.clear();
    float most = 0;
    for_each_place(now, words, [&](std::uint32_t place) {
        const float square = candidates.squared_distance(place, from);
        keys_.push_back(is_set(was, place) ? square * known_share : square);
        places_.push_back(place);
        most = std::max(most, keys_.back());
    });
    float above = 0;
    const float below = cut_between(most, wanted, watcher.cap_hint, above);
    const float in_for_sure = candidates.are_floats_sure() ? below * (1 - kUnsure) : -1;
    const float out_for_sure = candidates.are_floats_sure() ? above * (1 + kUnsure) : most;
    ranks_.clear();
    std::size_t kept = 0;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
        const std::uint32_t place = places_[i];
        if (keys_[i] <= in_for_sure) {
            ++kept;
            continue;
        }
        now[place / 64] &= ~(std::uint64_t{1} << (place % 64));
        if (keys_[i] <= out_for_sure) {
            const bool is_new = !is_set(was, place);
            const Position at = scene.entities.at(slots[place]).position;
            ranks_.push_back(
                {weighted_square(from, at, !is_new, limits_, scene.dimensions), is_new, place});
        }
    }
    MARCHLAND_ASSERT(kept <= wanted && kept + ranks_.size() >= wanted);
    const auto end = ranks_.begin() + static_cast<std::ptrdiff_t>(wanted - kept);
    if (end != ranks_.end()) {
        std::nth_element(ranks_.begin(), end, ranks_.end(), [](const Rank& a, const Rank& b) {
            return std::tie(a.distance, a.is_new, a.place) <
                   std::tie(b.distance, b.is_new, b.place);
        });
    }
    for (auto rank = ranks_.begin(); rank != end; ++rank) {
        now[rank->place / 64] |= std::uint64_t{1} << (rank->place % 64);
    }
    return true;
}

/// Two keys between which the last of the nearest lies: fewer than `wanted` are up to the one that is
/// returned, at least as many up to `above`. Found by counting, from where it was last.
float FrameLimits::cut_between(float most, std::size_t wanted, float& hint, float& above) const {
    constexpr std::size_t kFew = 16;
    float below = -1;
    above = most;
    std::size_t up_to_below = 0;
    std::size_t up_to_above = keys_.size();
    const auto share = static_cast<float>(wanted) / static_cast<float>(keys_.size());
    float guess = hint > 0 && hint < most ? hint : most * share;
    for (int tries = 0;
         tries < 40 && up_to_above - up_to_below > kFew && guess > below && guess < above;
         ++tries) {
        std::uint32_t count = 0;
        for (const float key : keys_) {
            count += key <= guess ? 1U : 0U;
        }
        if (count < wanted) {
            below = guess;
            up_to_below = count;
        } else {
            above = guess;
            up_to_above = count;
        }
        const float from = std::max(below, 0.0F);
        const float part = static_cast<float>(wanted - up_to_below + 4) /
                           static_cast<float>(up_to_above - up_to_below + 4);
        guess = from + (above - from) * (tries % 4 == 3 ? 0.5F : std::min(part, 0.95F));
    }
    hint = above;
    return below;
}

std::uint32_t ticks_between_updates(const CrowdLimits& limits, std::uint32_t slowdown,
                                    Position watcher, Position entity, Dimensions dimensions) {
    std::uint32_t every_ticks = 1;
    for (const UpdateRing& ring : limits.rings) {
        if (ring.every_ticks == 0 || is_within(watcher, entity, ring.beyond_mm, dimensions)) {
            break;
        }
        every_ticks = ring.every_ticks * slowdown;
    }
    return limits.has_budget() ? std::min(every_ticks, limits.stale_ticks_max) : every_ticks;
}

void FrameLimits::hold_back(const Scene& scene, Frame& frame, std::span<const Slot> slots,
                            const std::uint64_t* stayed, Tick sent_until, bool complete) {
    const Position from = scene.entities.at(frame.watcher).position;
    std::vector<HeldBack>& held = scene.held[to_number(frame.watcher)];
    find_pending(scene, from, slots, stayed, sent_until, held);
    if (limits_.has_budget()) {
        fit_budget(scene, frame, from, slots);
    }
    moves_.clear();
    were_held_.clear();
    held_.clear();
    for (const Pending& pending : pending_) {
        const Slot slot = slots[pending.place];
        if (pending.is_sent) {
            moves_.push_back(slot);
            were_held_.push_back(pending.held_ticks != 0 ? 1 : 0);
        }
        // Where some shard's news is missing, all is sent again: as if there had been no frame.
        const std::uint32_t held_ticks = !complete         ? pending.held_ticks
                                         : pending.is_sent ? 0
                                                           : pending.age_ticks;
        if (held_ticks != 0) {
            held_.push_back({scene.entities.at(slot).id, held_ticks});
        }
        frame.is_slowed = frame.is_slowed || !pending.is_due;
    }
    held.assign(held_.begin(), held_.end());
    frame.moves = moves_;
    frame.were_held = were_held_;
}

/// Both what stayed and what was held before are in ascending id.
void FrameLimits::find_pending(const Scene& scene, Position from, std::span<const Slot> slots,
                               const std::uint64_t* stayed, Tick sent_until,
                               std::span<const HeldBack> held_before) {
    pending_.clear();
    auto held = held_before.begin();
    for_each_place(stayed, (slots.size() + 63) / 64, [&](std::uint32_t place) {
        const Entity& entity = scene.entities.at(slots[place]);
        while (held != held_before.end() && held->id < entity.id) {
            ++held;
        }
        const bool was_held = held != held_before.end() && held->id == entity.id;
        if (!was_held && entity.moved_tick <= sent_until) {
            return;
        }
        const std::uint32_t held_ticks = was_held ? held->ticks : 0;
        const Tick age = std::min<Tick>(held_ticks + (scene.now - sent_until), kAgeTicksMax);
        const std::uint32_t every = ticks_between_updates(limits_, scene.ring_slowdown, from,
                                                          entity.position, scene.dimensions);
        const bool is_due = had_turn(scene.now, entity.id, every, age);
        pending_.push_back({place, static_cast<std::uint32_t>(age), held_ticks, is_due, is_due});
    });
}

/// The higher share first; of equal ones the lower id. A share is a fraction, and compared as one.
bool FrameLimits::goes_before(const DueMove& a, const DueMove& b) {
    const Wide left = Wide{a.weight} * b.square;
    const Wide right = Wide{b.weight} * a.square;
    return left != right ? left > right : a.pending < b.pending;
}

/// All that are stale, and of the others as many as still fit, those that go before others first.
void FrameLimits::fit_budget(const Scene& scene, Frame& frame, Position from,
                             std::span<const Slot> slots) {
    due_.clear();
    std::size_t cost = 0;
    std::size_t stale_cost = 0;
    for (std::size_t i = 0; i < pending_.size(); ++i) {
        const Pending& pending = pending_[i];
        if (!pending.is_due) {
            continue;
        }
        const Entity& entity = scene.entities.at(slots[pending.place]);
        const SquaredDistance square = squared_distance(from, entity.position, scene.dimensions);
        MARCHLAND_ASSERT(square.overflow == 0);  // it is within some leave range
        const bool is_difference =
            frame.follows_last_tick && pending.held_ticks == 0 && entity.previous_was_told;
        const bool is_stale = pending.age_ticks >= limits_.stale_ticks_max;
        const std::uint64_t share = std::uint64_t{pending.age_ticks} * entity.importance;
        due_.push_back({i, is_difference ? FrameCost::kDifference : FrameCost::kWhole, is_stale,
                        share * share, square.rest + kMetreSquare});
        cost += due_.back().cost;
        stale_cost += is_stale ? due_.back().cost : 0;
    }
    const std::size_t room = room_for_moves(frame, scene.entities);
    if (cost <= room) {
        return;
    }
    const auto waiting =
        std::partition(due_.begin(), due_.end(), [](const DueMove& move) { return move.is_stale; });
    const std::size_t left = room - std::min(room, stale_cost);
    const auto fitting =
        waiting +
        std::min(due_.end() - waiting, static_cast<std::ptrdiff_t>(left / FrameCost::kDifference));
    std::partial_sort(waiting, fitting, due_.end(), goes_before);
    auto sent = waiting;
    for (cost = 0; sent != fitting && cost + sent->cost <= left; ++sent) {
        cost += sent->cost;
    }
    for (; sent != due_.end(); ++sent) {
        pending_[sent->pending].is_sent = false;
        frame.is_over_budget = true;
    }
}

/// What leaves, enters, states and events leave of the budget.
std::size_t FrameLimits::room_for_moves(const Frame& frame, const EntityStore& entities) const {
    std::size_t cost = FrameCost::kFrame + frame.leaves.size() * FrameCost::kLeave;
    const auto blob_bytes = [&](Slot slot) { return bytes_of(entities.at(slot).blob).size(); };
    for (const Slot slot : frame.enters) {
        cost += FrameCost::kEnter + blob_bytes(slot);
    }
    for (const Slot slot : frame.states) {
        cost += FrameCost::kState + blob_bytes(slot);
    }
    for (const EventTold& event : frame.events) {
        cost += FrameCost::kEvent + event.payload.size();
    }
    return limits_.frame_bytes_max - std::min<std::size_t>(limits_.frame_bytes_max, cost);
}

}  // namespace marchland::engine
