#pragma once

#include "engine/frame/crowd_limits.h"
#include "engine/frame/frame.h"
#include "engine/frame/world.h"
#include "engine/sweep/candidates.h"
#include "engine/sweep/watcher.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace marchland::engine {

/// What a frame costs, in bytes: a model. The engine writes no frames, and the choice must not
/// depend on how somebody packs them. It is about what net/ writes: a whole position of 16 bytes is
/// one within 67 km of the origin, a difference of 8 one of up to 8 m on each axis.
struct FrameCost {
    static constexpr std::int64_t kFrame = 64;
    static constexpr std::int64_t kLeave = 16;
    static constexpr std::int64_t kEnter = 48;    ///< and its state
    static constexpr std::int64_t kState = 8;     ///< and its slots
    static constexpr std::int64_t kMessage = 24;  ///< and its payload
    static constexpr std::int64_t kDifference = 8;
    static constexpr std::int64_t kWhole = 16;
    /// No message and no move costs more; an enter costs kEnter and its state (packed_bytes_max).
    static constexpr std::int64_t kItemMax = kEnter + std::int64_t{kBlobBytesMax};
};

/// What is left of a frame's budget, if it is limited. The item that uses up the last of it is the
/// last of the frame: were the rest left for something smaller, what is large would never come.
class Room {
public:
    /// `used`: by what goes first whatever it costs.
    void limit(std::int64_t budget, std::int64_t used) {
        left_ = budget - used;
        used_ = used;
    }

    [[nodiscard]] bool is_unlimited() const { return left_ == kUnlimited; }
    [[nodiscard]] bool is_full() const { return left_ <= 0; }
    [[nodiscard]] std::int64_t used() const { return used_; }
    [[nodiscard]] std::int64_t left() const { return left_; }
    /// How many items of at least so many bytes may be taken at most?
    [[nodiscard]] std::size_t items_max(std::int64_t bytes_min) const {
        return is_full() ? 0 : static_cast<std::size_t>(left_ / bytes_min) + 1;
    }
    /// All items that cost so much together may be taken.
    [[nodiscard]] bool fits(std::int64_t bytes) const { return bytes <= left_; }
    /// False: it waits, and so does all that comes after it.
    bool take(std::int64_t bytes) {
        if (is_full()) {
            return false;
        }
        left_ -= is_unlimited() ? 0 : bytes;
        used_ += bytes;
        return true;
    }

private:
    static constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

    std::int64_t left_ = kUnlimited;
    std::int64_t used_ = 0;
};

/// Who comes first of those who have waited equally long for room: the lowest. It is another in
/// each tick, so that nobody waits behind the same others for ever. While a shard is late all wait
/// equally long, tick after tick.
constexpr std::uint64_t turn_of(EntityId id, Tick now) {
    return (to_number(id) + now) * 0x9e37'79b9'7f4a'7c15U;
}

/// The most usual numbers of ticks are powers of two, and a division takes longer than all the
/// rest.
constexpr std::uint64_t rest_of(std::uint64_t value, std::uint32_t divisor) {
    return std::has_single_bit(divisor) ? value & (divisor - 1) : value % divisor;
}

/// So many of every so many ticks are somebody's turn, evenly spread.
struct TurnRate {
    std::uint32_t turns = 1;
    std::uint32_t ticks = 1;  ///< at least as many
};

/// Was one of the last `age_ticks` ticks (`now` is the newest of them) a turn of the entity: one
/// with ((tick + id) mod ticks) * turns mod ticks < turns? The one rule of turns, for a watcher's
/// frames and for moves: so the turns of a crowd are spread over the ticks, and one that passed
/// unused is made up for in the next tick.
constexpr bool had_turn(Tick now, EntityId id, TurnRate rate, Tick age_ticks) {
    const std::uint64_t sum = rest_of(now, rate.ticks) + rest_of(to_number(id), rate.ticks);
    const std::uint64_t phase = rest_of(rest_of(sum, rate.ticks) * rate.turns, rate.ticks);
    return age_ticks >= rate.ticks || phase < age_ticks * rate.turns;
}

/// How far away somebody is for the cap: the square of the distance, times the square of what a
/// metre weighs, in percent. The square needs 66 bits, the weight 14: a Rank has room for 95.
using WeightedSquare = SquaredDistance;

WeightedSquare weighted_square(Position watcher, Position entity, bool is_known,
                               const CrowdLimits& limits, Dimensions dimensions);

/// What limits on crowds leave out of a frame (docs/visibility.md, "In a crowd"): the cap of those
/// that could be seen; by rings, moves that are not due; by the budget, what does not fit, in this
/// order:
///
///   begin_frame    leaves always fit
///   take_stale     moves that have waited too long
///                  messages, then states: see FrameMessages and FrameStates
///   take_enters    the nearest first; who does not fit is not seen
///   take_moves     of the others the most important first
///
/// Everything is by place: bit i of the sets is candidate i, in ascending id.
///
/// Threads  One at a time.
/// Cost     O(candidates), some passes for each limit that is set and reached. No allocation once
///          the lists have their sizes.
class FrameLimits {
public:
    explicit FrameLimits(const CrowdLimits& limits) : limits_(limits) {}

    [[nodiscard]] bool has_cap() const { return limits_.has_cap(); }
    [[nodiscard]] bool may_hold_back() const { return limits_.has_rings() || limits_.has_budget(); }
    /// Leaves that alone are more than a frame may have: all that is seen is sent anew, as far as
    /// it fits.
    [[nodiscard]] bool are_too_many(std::size_t leaves) const {
        return limits_.has_budget() &&
               leaves * static_cast<std::size_t>(FrameCost::kLeave) > limits_.frame_bytes_max;
    }

    /// Leaves in `now` the nearest CrowdLimits::visible_max: by their distance, of which those in
    /// `was` count less; of equal ones those in `was` first, then the lower id. True: there were
    /// more.
    bool keep_nearest(const World& world, Watcher& watcher, const Candidates& candidates,
                      const std::uint64_t* was, std::uint64_t* now);

    /// Those that stay, and which of them moved since the watcher was sent all that does not wait.
    struct Stayed {
        const Candidates& candidates;
        std::size_t self;               ///< the watcher's own place
        std::span<const EntityId> ids;  ///< by place, ascending
        const std::uint64_t* stayed = nullptr;
        const std::uint64_t* moved = nullptr;
        Watcher& watcher;

        [[nodiscard]] Position from() const { return candidates.position_of(self); }
    };

    void begin_frame(const World& world, const Frame& frame, Room& room) const;
    void take_stale(const World& world, const Frame& frame, const Stayed& stayed, Room& room);
    /// Leaves in `enters` those that fit. False: some wait.
    bool take_enters(const World& world, const Frame& frame, const Candidates& candidates,
                     std::uint64_t* enters, Room& room) {
        return room.is_unlimited() || take_nearest(world, frame, candidates, enters, room);
    }
    /// True: nobody waits, and all that moved fits.
    [[nodiscard]] bool take_all_moves(const Frame& frame, const Stayed& stayed, Room& room) const;
    /// Else this. Writes frame.moves, move_bits, were_held and two of its flags, and which moves
    /// wait from now on.
    void take_moves(const World& world, Frame& frame, const Stayed& stayed, Room& room,
                    bool complete);
    /// For a frame with this much in it.
    void charge(const World& world, Frame& frame, const Room& room) const;

private:
    bool take_nearest(const World& world, const Frame& frame, const Candidates& candidates,
                      std::uint64_t* enters, Room& room);
    /// A candidate that may be inside or outside, which only integers can decide: how far away it
    /// is, then whether it is new, then its place, in one number.
    using Rank = WeightedSquare;
    static Rank rank_of(WeightedSquare distance, bool is_new, std::uint32_t place) {
        return distance << 33U | Rank{is_new} << 32U | place;
    }
    static std::uint32_t place_of(Rank rank) { return static_cast<std::uint32_t>(rank); }
    /// A move that may be sent now, or wait: only integers can decide it. Its share is the square
    /// of age times importance, by that of the distance and a metre.
    struct DueMove {
        std::uint32_t place = 0;
        std::uint64_t weight = 0;
        std::uint64_t square = 1;
    };

    static bool goes_before(const DueMove& a, const DueMove& b);
    void make_room(std::size_t words);
    void find_pending(const World& world, const Frame& frame, const Stayed& stayed);
    void find_due(const World& world, const Stayed& stayed);
    void find_within(const World& world, const Stayed& stayed, std::int32_t radius_mm);
    void take_due(const World& world, const Stayed& stayed, Room& room);
    [[nodiscard]] std::int64_t cost_of(std::uint32_t place) const {
        return follows_ && !is_set(held_.data(), place) ? FrameCost::kDifference
                                                        : FrameCost::kWhole;
    }
    [[nodiscard]] std::int64_t cost_of(const std::vector<std::uint64_t>& bits,
                                       std::size_t words) const;
    [[nodiscard]] DueMove due_move(const World& world, const Stayed& stayed,
                                   std::uint32_t place) const;
    bool keep(const World& world, Slot watcher, const Candidates& candidates,
              const std::uint64_t* was, std::uint64_t* now, std::size_t wanted, float& hint);
    /// Keys up to `below` are fewer, or cost less, than is wanted; keys up to `above` are enough.
    struct Cut {
        float below;
        float above;
    };
    template <typename SizeOf>
    Cut cut_at(const Candidates& candidates, float most, std::int64_t all, std::int64_t wanted,
               std::int64_t few, float& hint, const SizeOf& size_of_found);
    void split(const Candidates& candidates, const Cut& cut, float most, std::uint64_t* in);

    const CrowdLimits limits_;
    Column<float> keys_;                 ///< by place: Candidates::weigh
    std::vector<std::uint64_t> found_;   ///< by word: what Candidates::find_up_to finds
    std::vector<std::uint64_t> unsure_;  ///< and of these, who is too near to the bound for floats
    std::vector<Rank> ranks_;

    // Moves that may be sent, by word, and of who is pending.
    bool is_pending_known_ = false;       ///< else nothing waits but what moved now
    bool follows_ = false;                ///< Frame::follows_last_tick
    std::vector<std::uint64_t> pending_;  ///< moved since the watcher was sent where it is
    std::vector<std::uint64_t> held_;     ///< and was held back
    std::vector<std::uint64_t> due_;      ///< and its turn came since
    std::vector<std::uint64_t> others_;   ///< those that are due and not stale
    std::vector<std::uint64_t> sent_;
    std::vector<std::uint32_t> ages_;  ///< by place: for so many ticks an older place is known
    std::vector<DueMove> due_moves_;
    std::vector<Slot> moves_;
    std::vector<std::uint8_t> were_held_;
    std::vector<std::uint32_t> stale_;  ///< places of those that are due and waited too long
};

}  // namespace marchland::engine
