#include "engine/frame/frame_limits.h"

#include "engine/assert.h"
#include "engine/geometry.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <utility>

namespace marchland::engine {
namespace {

__extension__ using Wide = unsigned __int128;

/// Of a metre, so that whoever stands in the very same place has no more than a large share.
constexpr std::uint64_t kMetreSquare = 1'000'000;
/// Whoever has waited so long is due by any measure; more need not be counted.
constexpr Tick kAgeTicksMax = 65'535;
/// As a share, more than floats are off: those that are so near to a cut or a ring are compared in
/// integers.
constexpr float kUnsure = 1.0F / (1 << 16);
/// So many are compared with each other rather than counted once more.
constexpr std::int64_t kFew = 16;

std::size_t count_of(const std::uint64_t* bits, std::size_t words) {
    std::size_t count = 0;
    for (std::size_t word = 0; word < words; ++word) {
        count += static_cast<std::size_t>(std::popcount(bits[word]));
    }
    return count;
}

/// Takes from `items` as many as there is room for, the first in their order. Returns where those
/// begin that were not taken; both parts are in no order, for as long as halves are taken or left
/// whole nothing is sorted.
template <typename Items, typename GoesBefore, typename CostOf>
auto take_first(Items& items, Room& room, const GoesBefore& goes_before, const CostOf& cost_of) {
    constexpr std::ptrdiff_t kSorted = 4;
    auto first = items.begin();
    auto last = items.end();
    while (last - first > kSorted) {
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
    make_room(words);
    const float most = candidates.weigh(from, now, was, known_share, keys_.data());
    const Cut cut = cut_at(candidates, most, static_cast<std::int64_t>(count),
                           static_cast<std::int64_t>(wanted), kFew, hint,
                           [](std::size_t found) { return static_cast<std::int64_t>(found); });
    split(candidates, cut, most, now);
    const std::size_t kept = count_of(now, words);
    ranks_.clear();
    for_each_place(unsure_.data(), words, [&](std::uint32_t place) {
        const bool is_known = was != nullptr && is_set(was, place);
        const Position at = candidates.position_of(place);
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

/// Found by counting, from where it was last. `all`: of those that have a key.
/// `size_of_found(how_many)`: of those in found_. `few` or fewer between the two are not worth
/// another pass.
template <typename SizeOf>
FrameLimits::Cut FrameLimits::cut_at(const Candidates& candidates, float most, std::int64_t all,
                                     std::int64_t wanted, std::int64_t few, float& hint,
                                     const SizeOf& size_of_found) {
    Cut cut{-1, most};
    std::int64_t up_to_below = 0;
    std::int64_t up_to_above = all;
    const auto share = static_cast<float>(wanted) / static_cast<float>(all);
    float guess = hint > 0 && hint < most ? hint : most * share;
    for (int tries = 0;
         tries < 40 && up_to_above - up_to_below > few && guess > cut.below && guess < cut.above;
         ++tries) {
        const std::int64_t up_to_guess =
            size_of_found(candidates.find_up_to(guess, keys_.data(), found_.data()));
        if (up_to_guess < wanted) {
            cut.below = guess;
            up_to_below = up_to_guess;
        } else {
            cut.above = guess;
            up_to_above = up_to_guess;
        }
        const float from = std::max(cut.below, 0.0F);
        const float part = static_cast<float>(wanted - up_to_below + few / 4) /
                           static_cast<float>(up_to_above - up_to_below + few / 4);
        guess = from + (cut.above - from) * (tries % 4 == 3 ? 0.5F : std::min(part, 0.95F));
    }
    hint = cut.above;
    return cut;
}

/// Writes to `in` who is before the cut for certain, and to unsure_ who may be.
void FrameLimits::split(const Candidates& candidates, const Cut& cut, float most,
                        std::uint64_t* in) {
    const bool is_sure = candidates.are_floats_sure();
    candidates.find_up_to(is_sure ? cut.below * (1 - kUnsure) : -1, keys_.data(), in);
    candidates.find_up_to(is_sure ? cut.above * (1 + kUnsure) : most, keys_.data(), unsure_.data());
    for (std::size_t word = 0; word < candidates.words(); ++word) {
        unsure_[word] &= ~in[word];
    }
}

void FrameLimits::make_room(std::size_t words) {
    if (found_.size() < words) {
        for (std::vector<std::uint64_t>* const bits :
             {&found_, &unsure_, &pending_, &held_, &due_, &others_, &sent_}) {
            bits->resize(words);
        }
        keys_.resize(64 * words);
        ages_.resize(64 * words);
    }
}

void FrameLimits::begin_frame(const World& world, const Frame& frame, Room& room) const {
    if (!limits_.has_budget()) {
        return;
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
    room.limit(budget, FrameCost::kFrame +
                           static_cast<std::int64_t>(frame.leaves.size()) * FrameCost::kLeave);
}

void FrameLimits::charge(const World& world, Frame& frame, const Room& room) const {
    if (frame.is_empty()) {
        return;
    }
    frame.cost = static_cast<std::uint64_t>(room.used());
    if (limits_.watcher_bytes_per_tick != 0) {
        world.waiting[to_number(frame.watcher)].credit_bytes -= room.used();
    }
}

/// Both the candidates and what waited before are in ascending id. Who is not known any more waits
/// for nothing.
void FrameLimits::find_pending(const World& world, const Frame& frame, const Stayed& stayed) {
    is_pending_known_ = true;
    follows_ = frame.follows_last_tick;
    const std::size_t words = stayed.candidates.words();
    make_room(words);
    std::fill_n(held_.begin(), words, 0);
    std::fill_n(sent_.begin(), words, 0);
    const auto since = static_cast<std::uint32_t>(
        std::min<Tick>(world.now - stayed.watcher.synced_tick, kAgeTicksMax));
    std::fill_n(ages_.begin(), 64 * words, since);
    const std::span<const EntityId> ids = stayed.ids;
    auto next = ids.begin();
    std::uint32_t shift = 0;  // so many places further than before; may wrap
    std::span<Waiting::Move> waiting;
    if (stayed.watcher.has_waiting_moves) {
        waiting = world.waiting[to_number(frame.watcher)].moves;
    }
    for (Waiting::Move& waited : waiting) {
        std::uint32_t place = waited.candidate + shift;
        if (place >= ids.size() || ids[place] != waited.id) {
            next = std::lower_bound(next, ids.end(), waited.id);
            place = static_cast<std::uint32_t>(next - ids.begin());
        }
        if (place >= ids.size() || ids[place] != waited.id || !is_set(stayed.stayed, place)) {
            waited.ticks = 0;  // take_moves drops it
            continue;
        }
        shift = place - waited.candidate;
        set_bit(held_.data(), place);
        ages_[place] =
            static_cast<std::uint32_t>(std::min<Tick>(Tick{waited.ticks} + since, kAgeTicksMax));
    }
    for (std::size_t word = 0; word < words; ++word) {
        pending_[word] = stayed.moved[word] | held_[word];
    }
    find_due(world, stayed);
}

/// From the inside out. Within the first ring each tick is everybody's turn.
void FrameLimits::find_due(const World& world, const Stayed& stayed) {
    const std::size_t words = stayed.candidates.words();
    if (!limits_.has_rings()) {
        std::copy_n(pending_.begin(), words, due_.begin());
        return;
    }
    std::fill_n(due_.begin(), words, 0);
    if (count_of(pending_.data(), words) == 0) {
        return;
    }
    stayed.candidates.weigh(stayed.from(), pending_.data(), nullptr, 1, keys_.data());
    std::vector<std::uint64_t>& beyond = others_;  // scratch until take_due
    std::copy_n(pending_.begin(), words, beyond.begin());
    const auto take_turns = [&](const std::uint64_t* of, std::uint32_t every_ticks) {
        for (std::size_t word = 0; word < words; ++word) {
            std::uint64_t due = every_ticks == 1 ? of[word] : 0;
            for (std::uint64_t left = of[word] & ~due; left != 0; left &= left - 1) {
                const auto bit = static_cast<std::size_t>(std::countr_zero(left));
                const std::size_t place = 64 * word + bit;
                const bool is_due =
                    had_turn(world.now, stayed.ids[place], {1, every_ticks}, ages_[place]);
                due |= std::uint64_t{is_due} << bit;
            }
            due_[word] |= due;
        }
    };
    std::uint32_t every_ticks = 1;
    for (const UpdateRing& ring : limits_.rings) {
        if (ring.every_ticks == 0) {
            break;
        }
        find_within(world, stayed, ring.beyond_mm);
        for (std::size_t word = 0; word < words; ++word) {
            found_[word] &= beyond[word];
            beyond[word] &= ~found_[word];
        }
        take_turns(found_.data(), every_ticks);
        every_ticks = ring.every_ticks * world.ring_slowdown;
        if (limits_.has_budget()) {
            every_ticks = std::min(every_ticks, limits_.stale_ticks_max);
        }
    }
    take_turns(beyond.data(), every_ticks);
}

/// Fills found_: who is pending and at most so far away.
void FrameLimits::find_within(const World& world, const Stayed& stayed, std::int32_t radius_mm) {
    const Candidates& candidates = stayed.candidates;
    const float square = static_cast<float>(radius_mm) * static_cast<float>(radius_mm);
    const bool is_sure = candidates.are_floats_sure();
    // Those inside for sure first.
    candidates.find_up_to(is_sure ? square * (1 - kUnsure) : -1, keys_.data(), unsure_.data());
    candidates.find_up_to(is_sure ? square * (1 + kUnsure) : std::numeric_limits<float>::max(),
                          keys_.data(), found_.data());
    for (std::size_t word = 0; word < candidates.words(); ++word) {
        unsure_[word] = found_[word] & ~unsure_[word];
    }
    for_each_place(unsure_.data(), candidates.words(), [&](std::uint32_t place) {
        if (!is_within(stayed.from(), candidates.position_of(place), radius_mm, world.dimensions)) {
            clear_bit(found_.data(), place);
        }
    });
}

/// The oldest first; equal ones in the order of turn_of.
void FrameLimits::take_stale(const World& world, const Frame& frame, const Stayed& stayed,
                             Room& room) {
    is_pending_known_ = false;
    stale_.clear();
    const bool may_be_stale = world.now - stayed.watcher.synced_tick >= limits_.stale_ticks_max;
    if (!limits_.has_rings() && !may_be_stale && !stayed.watcher.has_waiting_moves) {
        return;
    }
    find_pending(world, frame, stayed);
    if (!limits_.has_budget()) {
        return;
    }
    std::int64_t cost = 0;
    for_each_place(due_.data(), stayed.candidates.words(), [&](std::uint32_t place) {
        if (ages_[place] >= limits_.stale_ticks_max) {
            stale_.push_back(place);
            cost += cost_of(place);
        }
    });
    if (!room.fits(cost)) {
        std::ranges::sort(stale_, {}, [&](std::uint32_t place) {
            return std::pair(kAgeTicksMax - ages_[place], turn_of(stayed.ids[place], world.now));
        });
    }
    for (const std::uint32_t place : stale_) {
        if (room.take(cost_of(place))) {
            set_bit(sent_.data(), place);
        }
    }
}

bool FrameLimits::take_nearest(const World& world, const Frame& frame, const Candidates& candidates,
                               std::uint64_t* enters, Room& room) {
    const std::size_t words = candidates.words();
    const std::span<const Slot> slots = candidates.slots();
    const std::size_t count = count_of(enters, words);
    if (count == 0) {
        return true;
    }
    if (room.is_full()) {
        std::fill_n(enters, words, 0);
        return false;
    }
    const Entity& self = world.entities.at(frame.watcher);
    const auto cost_of = [&](std::uint32_t place) {
        if (world.audiences.are_none()) {
            return FrameCost::kEnter;
        }
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
    std::for_each(left, ranks_.end(), [enters](Rank rank) { clear_bit(enters, place_of(rank)); });
    return left == ranks_.end() && ranks_.size() == count;
}

/// The higher share first; of equal ones the lower id.
bool FrameLimits::goes_before(const DueMove& a, const DueMove& b) {
    const Wide left = Wide{a.weight} * b.square;
    const Wide right = Wide{b.weight} * a.square;
    return left != right ? left > right : a.place < b.place;
}

bool FrameLimits::take_all_moves(const Frame& frame, const Stayed& stayed, Room& room) const {
    if (is_pending_known_) {
        return false;
    }
    const std::size_t count = count_of(stayed.moved, stayed.candidates.words());
    const std::int64_t cost =
        static_cast<std::int64_t>(count) *
        (frame.follows_last_tick ? FrameCost::kDifference : FrameCost::kWhole);
    if (!room.fits(cost)) {
        return false;
    }
    room.take(cost);
    return true;
}

/// Where some shard's batch is missing, all is sent again, as if there had been no frame: then what
/// waited waits as before.
void FrameLimits::take_moves(const World& world, Frame& frame, const Stayed& stayed, Room& room,
                             bool complete) {
    if (!is_pending_known_) {
        find_pending(world, frame, stayed);
    }
    take_due(world, stayed, room);
    const std::size_t words = stayed.candidates.words();
    const std::size_t count = count_of(sent_.data(), words);
    moves_.resize(count + Candidates::kRoom);
    frame.moves = stayed.candidates.list(sent_.data(), moves_.data());
    frame.move_bits = {sent_.data(), words};
    were_held_.resize(count);
    std::uint8_t* was_held = were_held_.data();
    for_each_place(sent_.data(), words,
                   [&](std::uint32_t place) { *was_held++ = is_set(held_.data(), place) ? 1 : 0; });
    frame.were_held = were_held_;
    for (std::size_t word = 0; word < words; ++word) {
        frame.is_slowed = frame.is_slowed || (pending_[word] & ~due_[word]) != 0;
        frame.is_over_budget = frame.is_over_budget || (due_[word] & ~sent_[word]) != 0;
        pending_[word] &= ~sent_[word];
    }
    const std::size_t left = count_of(pending_.data(), words);
    Watcher& watcher = stayed.watcher;
    if (left == 0 && !watcher.has_waiting_moves) {
        return;
    }
    std::vector<Waiting::Move>& waiting = world.waiting[to_number(frame.watcher)].moves;
    if (complete) {
        waiting.resize(left);
        Waiting::Move* waits = waiting.data();
        for_each_place(pending_.data(), words, [&](std::uint32_t place) {
            *waits++ = {stayed.ids[place], ages_[place], place};
        });
    } else {
        std::erase_if(waiting, [](const Waiting::Move& waited) { return waited.ticks == 0; });
    }
    watcher.has_waiting_moves = !waiting.empty();
}

std::int64_t FrameLimits::cost_of(const std::vector<std::uint64_t>& bits, std::size_t words) const {
    std::int64_t whole = 0;
    std::int64_t differences = 0;
    for (std::size_t word = 0; word < words; ++word) {
        const std::uint64_t held = follows_ ? held_[word] : ~std::uint64_t{0};
        whole += std::popcount(bits[word] & held);
        differences += std::popcount(bits[word] & ~held);
    }
    return whole * FrameCost::kWhole + differences * FrameCost::kDifference;
}

FrameLimits::DueMove FrameLimits::due_move(const World& world, const Stayed& stayed,
                                           std::uint32_t place) const {
    const Candidates& candidates = stayed.candidates;
    const SquaredDistance square =
        squared_distance(stayed.from(), candidates.position_of(place), world.dimensions);
    MARCHLAND_ASSERT(square >> 64U == 0);  // it is within some leave range
    const std::uint64_t share = std::uint64_t{ages_[place]} * candidates.importance_of(place);
    return {place, share * share, static_cast<std::uint64_t>(square) + kMetreSquare};
}

/// All that are not stale, or the most important of them.
void FrameLimits::take_due(const World& world, const Stayed& stayed, Room& room) {
    const Candidates& candidates = stayed.candidates;
    const std::size_t words = candidates.words();
    std::copy_n(due_.begin(), words, others_.begin());
    for (const std::uint32_t place : stale_) {
        clear_bit(others_.data(), place);
    }
    const std::int64_t cost = cost_of(others_, words);
    const bool fits = room.fits(cost);
    if (!fits && !room.is_full()) {
        candidates.weigh(stayed.from(), others_.data(), nullptr, 1, keys_.data());
        float most = 0;
        for_each_place(others_.data(), words, [&](std::uint32_t place) {
            const float share = static_cast<float>(ages_[place]) *
                                static_cast<float>(candidates.importance_of(place));
            keys_[place] = (keys_[place] + static_cast<float>(kMetreSquare)) / (share * share);
            most = share > 0 ? std::max(most, keys_[place]) : most;
        });
        // Who has no share comes after all others.
        const float last = 2 * most + 1;
        for_each_place(others_.data(), words,
                       [&](std::uint32_t place) { keys_[place] = std::min(keys_[place], last); });
        float hint = 0;
        const Cut cut = cut_at(candidates, last, cost, room.left(), kFew * FrameCost::kDifference,
                               hint, [&](std::size_t) { return cost_of(found_, words); });
        split(candidates, cut, last, others_.data());
        due_moves_.clear();
        for_each_place(unsure_.data(), words, [&](std::uint32_t place) {
            due_moves_.push_back(due_move(world, stayed, place));
        });
        room.take(cost_of(others_, words));
        const auto left = take_first(due_moves_, room, goes_before,
                                     [this](const DueMove& due) { return cost_of(due.place); });
        std::for_each(due_moves_.begin(), left,
                      [this](const DueMove& due) { set_bit(sent_.data(), due.place); });
    } else if (fits) {
        room.take(cost);
    } else {
        return;
    }
    for (std::size_t word = 0; word < words; ++word) {
        sent_[word] |= others_[word];
    }
}

}  // namespace marchland::engine
