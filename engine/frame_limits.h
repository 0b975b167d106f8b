#pragma once

#include "engine/candidates.h"
#include "engine/crowd_limits.h"
#include "engine/frame.h"
#include "engine/scene.h"
#include "engine/watcher.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace marchland::engine {

/// What a frame costs, in bytes: a model. The engine writes no frames, and the choice must not depend
/// on how somebody packs them. It is about what net/ writes: a whole position of 16 bytes is one
/// within 67 km of the origin, a difference of 8 one of up to 8 m on each axis.
struct FrameCost {
    static constexpr std::size_t kFrame = 64;
    static constexpr std::size_t kLeave = 16;
    static constexpr std::size_t kEnter = 48;  ///< and its blob
    static constexpr std::size_t kState = 16;  ///< and the blob
    static constexpr std::size_t kEvent = 24;  ///< and its payload
    static constexpr std::size_t kDifference = 8;
    static constexpr std::size_t kWhole = 16;
};

/// How far away somebody is for the cap: the square of the distance, times the square of what a
/// metre weighs, in percent. The square needs 66 bits, the weight 14.
__extension__ using WeightedSquare = unsigned __int128;

WeightedSquare weighted_square(Position watcher, Position entity, bool is_known,
                               const CrowdLimits& limits, Dimensions dimensions);

/// Every how many ticks are moves sent at this distance, while rings are so many times slower than usual?
std::uint32_t ticks_between_updates(const CrowdLimits& limits, std::uint32_t slowdown,
                                    Position watcher, Position entity, Dimensions dimensions);

/// What limits on crowds leave out of a frame (docs/visibility.md, "In a crowd"):
///
///   who could be seen ── keep_nearest ──► who is seen ── hold_back: rings ──► which moves are due
///                                                                 budget ──► which of them are sent
///
/// Everything is by place: bit i of the sets, and slots[i], in ascending id.
///
/// Threads  One at a time.
/// Cost     O(who could be seen), and nothing where no limit is set. No allocation once the lists
///          have their sizes.
class FrameLimits {
public:
    explicit FrameLimits(const CrowdLimits& limits) : limits_(limits) {}

    [[nodiscard]] bool has_cap() const { return limits_.has_cap(); }
    [[nodiscard]] bool may_hold_back() const { return limits_.has_rings() || limits_.has_budget(); }

    /// Leaves in `now` the nearest CrowdLimits::visible_max: by their distance, of which those in `was`
    /// count less; of equal ones those in `was` first, then the lower id. True: there were more.
    bool keep_nearest(const Scene& scene, Watcher& watcher, const Candidates& candidates,
                      std::span<const Slot> slots, const std::uint64_t* was, std::uint64_t* now);

    /// Of those that stay (`stayed`), whose move is sent now: writes frame.moves, were_held and its two
    /// flags, and what is held back from now on. The watcher had been sent all else up to `sent_until`.
    void hold_back(const Scene& scene, Frame& frame, std::span<const Slot> slots,
                   const std::uint64_t* stayed, Tick sent_until, bool complete);

private:
    /// A candidate whose place about the cap only integers can tell.
    struct Rank {
        WeightedSquare distance = 0;
        bool is_new = false;
        std::uint32_t place = 0;
    };
    /// One that moved since the watcher was sent where it is.
    struct Pending {
        std::uint32_t place = 0;
        std::uint32_t age_ticks = 0;
        std::uint32_t held_ticks = 0;  ///< up to the last frame; 0: it was not held back
        bool is_due = false;
        bool is_sent = false;
    };
    /// A move that may be sent now. Its share is the square of age times importance, by that of the
    /// distance and a metre.
    struct DueMove {
        std::size_t pending = 0;
        std::size_t cost = 0;
        bool is_stale = false;  ///< has waited for stale_ticks_max
        std::uint64_t weight = 0;
        std::uint64_t square = 1;
    };

    static bool goes_before(const DueMove& a, const DueMove& b);
    void find_pending(const Scene& scene, Position from, std::span<const Slot> slots,
                      const std::uint64_t* stayed, Tick sent_until,
                      std::span<const HeldBack> held_before);
    void fit_budget(const Scene& scene, Frame& frame, Position from, std::span<const Slot> slots);
    [[nodiscard]] std::size_t room_for_moves(const Frame& frame, const EntityStore& entities) const;
    [[nodiscard]] float cut_between(float most, std::size_t wanted, float& hint,
                                    float& above) const;

    const CrowdLimits limits_;
    std::vector<float> keys_;            ///< of those that could be seen, in their order
    std::vector<std::uint32_t> places_;  ///< beside keys_
    std::vector<Rank> ranks_;
    std::vector<Pending> pending_;
    std::vector<DueMove> due_;
    std::vector<Slot> moves_;
    std::vector<std::uint8_t> were_held_;
    std::vector<HeldBack> held_;
};

}  // namespace marchland::engine
