#include "engine/frame/frame_limits.h"

#include "engine/assert.h"
#include "engine/geometry.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <utility>

namespace marchland::engine {
namespace {

__extension__ using Wide = unsigned __int128;

/// Of a metre, so that whoever stands in the very same place has no more than a large share.
constexpr std::uint64_t kMetreSquare = 1'000'000;
/// Whoever has waited so long is due by any measure; more need not be counted.
constexpr Tick kAgeTicksMax = 65'535;
/// As a share, more than floats are off: those that are so near to the cap are compared in integers.
constexpr float kUnsure = 1.0F / (1 << 16);

std::size_t count_of(const std::uint64_t* bits, std::size_t words) {
    std::size_t count = 0;
    for (std::size_t word = 0; word < words; ++word) {
        count += static_cast<std::size_t>(std::popcount(bits[word]));
    }
    return count;
}

/// Takes from `items` as many as there is room for, the first in their order. Returns where those begin that were not
/// taken; both parts are in no order, for as long as halves are taken or left whole nothing is sorted.
template <typename Items, typename GoesBefore, typename CostOf>
auto take_first(Items& items, Room& room, const GoesBefore& goes_before, const CostOf& cost_of) {
    constexpr std::ptrdiff_t kFew = 4;
    auto first = items.begin();
    auto last = items.end();
    while (last - first > kFew) {
        const auto middle = first + (last - first) / 2;
        std::nth_element(first, middle, last, goes_before);
        std::int64_t cost = 0;
        for (auto item = first; item != middle; ++item) {
            cost += cost_of(*item);
        }
        if (room.fits(cost)) {
            room.take(cost);
            first = middle;
        } else {
            last = middle;
        }
    }
    std::sort(first, last, goes_before);
    while (first != last && room.take(cost_of(*first))) {
        ++first;
    }
    return first;
}

}  // namespace

WeightedSquare weighted_square(Position watcher, Position entity, bool is_known,
                               const CrowdLimits& limits, Dimensions dimensions) {
    const std::uint32_t weight = is_known ? 100U - limits.sticky_percent : 100U;
    return squared_distance(watcher, entity, dimensions) * (weight * weight);
}

bool FrameLimits::keep_nearest(const World& world, Watcher& watcher, const Candidates& candidates,
                               const std::uint64_t* was, std::uint64_t* now) {
    return keep(world, watcher.slot, candidates, was, now, limits_.visible_max, watcher.cap_hint);
}

/// As keep_nearest, so many. `was` null: nobody is known.
bool FrameLimits::keep(const World& world, Slot watcher, const Candidates& candidates,
                       const std::uint64_t* was, std::uint64_t* now, std::size_t wanted,
                       float& hint) {
    const std::size_t words = candidates.words();
    const std::size_t count = count_of(now, words);
    if (count <= wanted) {
        return false;
    }
    const std::uint32_t weight = 100U - limits_.sticky_percent;
    const float known_share = static_cast<float>(weight * weight) / 10'000.0F;
    const Position from = world.entities.at(watcher).position;
    if (keys_.size() < 64 * words) {
        keys_.resize(64 * words);
        found_.resize(words);
    }
    const float most = candidates.weigh(from, now, was, known_share, keys_.data());
    const Cut cut = cut_at(candidates, count, most, wanted, hint);
    const bool is_sure = candidates.are_floats_sure();
    candidates.find_up_to(is_sure ? cut.above * (1 + kUnsure) : most, keys_.data(), found_.data());
    const std::size_t kept =
        candidates.find_up_to(is_sure ? cut.below * (1 - kUnsure) : -1, keys_.data(), now);
    ranks_.clear();
    for (std::size_t word = 0; word < words; ++word) {
        found_[word] &= ~now[word];
    }
    for_each_place(found_.data(), words, [&](std::uint32_t place) {
        const bool is_known = was != nullptr && is_set(was, place);
        const Position at = candidates.place_of(place);
        ranks_.push_back(rank_of(weighted_square(from, at, is_known, limits_, world.dimensions),
                                 !is_known, place));
    });
    MARCHLAND_ASSERT(kept <= wanted && kept + ranks_.size() >= wanted);
    const auto end = ranks_.begin() + static_cast<std::ptrdiff_t>(wanted - kept);
    if (end != ranks_.end()) {
        std::nth_element(ranks_.begin(), end, ranks_.end());
    }
    for (auto rank = ranks_.begin(); rank != end; ++rank) {
        set_bit(now, place_of(*rank));
    }
    return true;
}

/// Found by counting, from where it was last. `count`: of those that have a key.
FrameLimits::Cut FrameLimits::cut_at(const Candidates& candidates, std::size_t count, float most,
                                     std::size_t wanted, float& hint) {
    constexpr std::size_t kFew = 16;
    Cut cut{-1, most};
    std::size_t up_to_below = 0;
    std::size_t up_to_above = count;
    const auto share = static_cast<float>(wanted) / static_cast<float>(count);
    float guess = hint > 0 && hint < most ? hint : most * share;
    for (int tries = 0;
         tries < 40 && up_to_above - up_to_below > kFew && guess > cut.below && guess < cut.above;
         ++tries) {
        const std::size_t up_to_guess = candidates.find_up_to(guess, keys_.data(), found_.data());
        if (up_to_guess < wanted) {
            cut.below = guess;
            up_to_below = up_to_guess;
        } else {
            cut.above = guess;
            up_to_above = up_to_guess;
        }
        const float from = std::max(cut.below, 0.0F);
        const float part = static_cast<float>(wanted - up_to_below + 4) /
                           static_cast<float>(up_to_above - up_to_below + 4);
        guess = from + (cut.above - from) * (tries % 4 == 3 ? 0.5F : std::min(part, 0.95F));
    }
    hint = cut.above;
    return cut;
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

Room FrameLimits::begin_frame(const World& world, const Frame& frame) const {
    if (!limits_.has_budget()) {
        return {};
    }
    std::int64_t budget = limits_.frame_bytes_max;
    if (world.frame_bytes_max != 0) {
        budget = std::min<std::int64_t>(budget, world.frame_bytes_max);
    }
    if (limits_.watcher_bytes_per_tick != 0) {
        Waiting& waiting = world.waiting[to_number(frame.watcher)];
        const Tick ticks = waiting.credit_tick == kNever ? 1 : world.now - waiting.credit_tick;
        // What adds up in so many ticks is the most that adds up.
        const auto counted =
            static_cast<std::int64_t>(std::min<Tick>(ticks, limits_.frame_bytes_max));
        waiting.credit_tick = world.now;
        waiting.credit_bytes =
            std::min(waiting.credit_bytes + counted * limits_.watcher_bytes_per_tick,
                     std::int64_t{limits_.frame_bytes_max});
        budget = std::min(budget, waiting.credit_bytes);
    }
    return {budget,
            FrameCost::kFrame + static_cast<std::int64_t>(frame.leaves.size()) * FrameCost::kLeave};
}

void FrameLimits::charge(const World& world, Frame& frame, const Room& room) {
    if (!room.is_unlimited() && !frame.is_empty()) {
        frame.cost = static_cast<std::uint64_t>(room.used());
        world.waiting[to_number(frame.watcher)].credit_bytes -= room.used();
    }
}

/// Both what stayed and what waited before are in ascending id.
void FrameLimits::find_pending(const World& world, const Frame& frame, const Stayed& stayed) {
    is_pending_known_ = true;
    pending_.clear();
    const Tick sent_until = stayed.sent_until;
    const Position from = world.entities.at(frame.watcher).position;
    const std::vector<Waiting::Move>& before = world.waiting[to_number(frame.watcher)].moves;
    auto waited = before.begin();
    const std::uint64_t* const may_be_pending = before.empty() ? stayed.moved : stayed.stayed;
    for_each_place(may_be_pending, stayed.candidates.words(), [&](std::uint32_t place) {
        const Entity& entity = world.entities.at(stayed.candidates.slots()[place]);
        while (waited != before.end() && waited->id < entity.id) {
            ++waited;
        }
        const bool was_held = waited != before.end() && waited->id == entity.id;
        if (!was_held && entity.moved_tick <= sent_until) {
            return;
        }
        const std::uint32_t held_ticks = was_held ? waited->ticks : 0;
        const Tick age = std::min<Tick>(held_ticks + (world.now - sent_until), kAgeTicksMax);
        const std::uint32_t every = limits_.has_rings()
                                        ? ticks_between_updates(limits_, world.ring_slowdown, from,
                                                                entity.position, world.dimensions)
                                        : 1;
        const bool is_difference = frame.follows_last_tick && !was_held;
        pending_.push_back(
            {place, static_cast<std::uint32_t>(age), held_ticks,
             static_cast<std::uint32_t>(is_difference ? FrameCost::kDifference : FrameCost::kWhole),
             had_turn(world.now, entity.id, {1, every}, age)});
    });
}

/// The oldest first; equal ones in the order of turn_of.
void FrameLimits::take_stale(const World& world, const Frame& frame, const Stayed& stayed,
                             Room& room) {
    is_pending_known_ = false;
    const bool may_be_stale = world.now - stayed.sent_until >= limits_.stale_ticks_max;
    if (!limits_.has_rings() && !may_be_stale &&
        world.waiting[to_number(frame.watcher)].moves.empty()) {
        return;
    }
    find_pending(world, frame, stayed);
    stale_.clear();
    std::int64_t cost = 0;
    for (std::uint32_t i = 0; i < pending_.size(); ++i) {
        if (is_stale(pending_[i])) {
            stale_.push_back(i);
            cost += pending_[i].cost;
        }
    }
    if (!room.fits(cost)) {
        const auto key = [&](std::uint32_t i) {
            const EntityId id = world.entities.at(stayed.candidates.slots()[pending_[i].place]).id;
            return std::pair(kAgeTicksMax - pending_[i].age_ticks, turn_of(id, world.now));
        };
        std::sort(stale_.begin(), stale_.end(),
                  [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
    }
    for (const std::uint32_t i : stale_) {
        pending_[i].is_sent = room.take(pending_[i].cost);
    }
}

bool FrameLimits::take_enters(const World& world, const Frame& frame, const Candidates& candidates,
                              std::uint64_t* enters, Room& room) {
    const std::size_t words = candidates.words();
    const std::span<const Slot> slots = candidates.slots();
    const std::size_t count = room.is_unlimited() ? 0 : count_of(enters, words);
    if (count == 0) {
        return true;
    }
    if (room.is_full()) {
        std::fill_n(enters, words, 0);
        return false;
    }
    const Entity& self = world.entities.at(frame.watcher);
    const auto cost_of = [&](std::uint32_t place) {
        const Entity& entity = world.entities.at(slots[place]);
        const std::size_t state =
            entity.state == nullptr
                ? 0
                : packed_bytes(*entity.state,
                               entity.state->not_first() &
                                   world.audiences.sent_to(self, entity, world.dimensions));
        return FrameCost::kEnter + static_cast<std::int64_t>(state);
    };
    if (room.fits(static_cast<std::int64_t>(count) * FrameCost::kEnter)) {
        std::int64_t cost = 0;
        for_each_place(enters, words, [&](std::uint32_t place) { cost += cost_of(place); });
        if (room.fits(cost)) {
            room.take(cost);
            return true;
        }
    }
    // No more of them can fit, so that few are put in order.
    float hint = 0;
    keep(world, frame.watcher, candidates, nullptr, enters, room.items_max(FrameCost::kEnter),
         hint);
    const Position from = world.entities.at(frame.watcher).position;
    ranks_.clear();
    for_each_place(enters, words, [&](std::uint32_t place) {
        const Position at = world.entities.at(slots[place]).position;
        ranks_.push_back(rank_of(squared_distance(from, at, world.dimensions), true, place));
    });
    const auto left =
        take_first(ranks_, room, std::less<>(), [&](Rank rank) { return cost_of(place_of(rank)); });
    std::for_each(left, ranks_.end(), [enters](Rank rank) {
        enters[place_of(rank) / 64] &= ~(std::uint64_t{1} << (place_of(rank) % 64));
    });
    return left == ranks_.end() && ranks_.size() == count;
}

/// The higher share first; of equal ones the lower id. A share is a fraction, and compared as one where floats are
/// too near to each other.
bool FrameLimits::goes_before(const DueMove& a, const DueMove& b) {
    if (std::abs(a.share - b.share) > kUnsure * std::max(a.share, b.share)) {
        return a.share > b.share;
    }
    const Wide left = Wide{a.weight} * b.square;
    const Wide right = Wide{b.weight} * a.square;
    return left != right ? left > right : a.pending < b.pending;
}

bool FrameLimits::take_all_that_moved(const Stayed& stayed, Frame& frame, Room& room) {
    const std::size_t count = count_of(stayed.moved, stayed.candidates.words());
    const std::int64_t cost =
        static_cast<std::int64_t>(count) *
        (frame.follows_last_tick ? FrameCost::kDifference : FrameCost::kWhole);
    if (!room.fits(cost)) {
        return false;
    }
    room.take(cost);
    moves_.resize(count + Candidates::kRoom);
    frame.moves = stayed.candidates.list(stayed.moved, moves_.data());
    return true;
}

void FrameLimits::take_moves(const World& world, Frame& frame, const Stayed& stayed, Room& room,
                             bool complete) {
    if (!is_pending_known_) {
        if (take_all_that_moved(stayed, frame, room)) {
            return;
        }
        find_pending(world, frame, stayed);
    }
    take_due(world, frame, stayed, room);
    moves_.clear();
    were_held_.clear();
    waiting_.clear();
    for (const Pending& pending : pending_) {
        const Slot slot = stayed.candidates.slots()[pending.place];
        if (pending.is_sent) {
            moves_.push_back(slot);
            were_held_.push_back(pending.held_ticks != 0 ? 1 : 0);
        }
        // Where some shard's batch is missing, all is sent again: as if there had been no frame.
        const std::uint32_t held_ticks = !complete         ? pending.held_ticks
                                         : pending.is_sent ? 0
                                                           : pending.age_ticks;
        if (held_ticks != 0) {
            waiting_.push_back({world.entities.at(slot).id, held_ticks});
        }
        frame.is_slowed = frame.is_slowed || !pending.is_due;
        frame.is_over_budget = frame.is_over_budget || (pending.is_due && !pending.is_sent);
    }
    world.waiting[to_number(frame.watcher)].moves.assign(waiting_.begin(), waiting_.end());
    frame.moves = moves_;
    frame.were_held = were_held_;
}

/// All that are not stale, or the most important of them.
void FrameLimits::take_due(const World& world, const Frame& frame, const Stayed& stayed,
                           Room& room) {
    std::int64_t cost = 0;
    for (const Pending& pending : pending_) {
        cost += pending.is_due && !is_stale(pending) ? pending.cost : 0;
    }
    const bool all_fit = room.fits(cost);
    due_.clear();
    const Position from = world.entities.at(frame.watcher).position;
    for (std::size_t i = 0; i < pending_.size() && !room.is_full(); ++i) {
        Pending& pending = pending_[i];
        if (!pending.is_due || is_stale(pending)) {
            continue;
        }
        if (all_fit) {
            pending.is_sent = room.take(pending.cost);
            continue;
        }
        const Entity& entity = world.entities.at(stayed.candidates.slots()[pending.place]);
        const SquaredDistance square = squared_distance(from, entity.position, world.dimensions);
        MARCHLAND_ASSERT(square >> 64U == 0);  // it is within some leave range
        const std::uint64_t share = std::uint64_t{pending.age_ticks} * entity.importance;
        const std::uint64_t weight = share * share;
        const auto distance = static_cast<std::uint64_t>(square) + kMetreSquare;
        due_.push_back(
            {i, weight, distance, static_cast<float>(weight) / static_cast<float>(distance)});
    }
    const auto left = take_first(due_, room, goes_before, [this](const DueMove& due) {
        return std::int64_t{pending_[due.pending].cost};
    });
    std::for_each(due_.begin(), left,
                  [this](const DueMove& due) { pending_[due.pending].is_sent = true; });
}

}  // namespace marchland::engine
