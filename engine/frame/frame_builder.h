#pragma once

#include "engine/frame/frame.h"
#include "engine/frame/frame_limits.h"
#include "engine/frame/frame_messages.h"
#include "engine/frame/frame_states.h"
#include "engine/frame/world.h"
#include "engine/sweep/candidates.h"
#include "engine/sweep/interest_cells.h"
#include "engine/sweep/watcher.h"
#include "engine/view_bounds.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace marchland::engine {

/// Builds the frame of one watcher after another: the whole of who sees whom is here. For each
/// watcher, over its candidates, a bit each:
///
///   now    = enter | (was & leave)        the ranges, its own place left out
///   now    = the nearest of now           where there is a cap
///   leaves = was & ~now    enters = now & ~was    moves = now & was & moved since its last frame
///   or a keyframe: no leaves and moves, enters = now
///   stale moves, messages, states, enters, other moves: as far as they fit where there is a budget
///   was    = what stayed, and the enters that fitted
///
/// Candidates are the members of the watcher's cell, loaded once for all watchers in it, whose
/// ranges are tested some at a time; of a loose watcher those that a query around it finds, and
/// those it knows.
///
/// Threads  One at a time. The World is only read, so several builders may work side by side, each
///          on cells and loose watchers of its own.
/// Cost     O(candidates). No allocation once the scratch memory has its size.
class FrameBuilder {
public:
    explicit FrameBuilder(const CrowdLimits& limits) : limits_(limits) {}

    // The sink gets each frame when it is built. The frame is scratch memory: valid until the sink
    // returns.
    /// Of watchers of a cell, by their rows; one or more. `corner`: of the cell.
    void build(const World& world, std::span<const Target> targets, InterestCell& cell,
               Position corner, std::span<const std::uint32_t> rows, bool complete,
               const FrameSink& sink);
    void build(const World& world, std::span<const Target> targets, LooseWatcher& loose,
               bool complete, const FrameSink& sink);

private:
    struct Members {
        std::span<const Slot> slots;
        std::span<const EntityId> ids;
        std::uint32_t self = 0;
        std::uint64_t* known = nullptr;
    };
    void test(const World& world, const InterestCell& cell, std::span<const std::uint32_t> rows);
    Frame build_frame(const World& world, Watcher& watcher, const Members& members,
                      std::size_t first_word, bool complete);
    void fill(const World& world, Frame& frame, Watcher& watcher, const Members& members,
              bool complete);
    [[nodiscard]] static Probe probe_of(const Watcher& watcher, std::size_t self);
    void test_shape(const World& world, const Watcher& watcher, std::span<const Slot> slots,
                    std::size_t first_word);
    void find_orphans_again(const World& world, InterestCell& cell, std::size_t row);
    void gather_candidates(const World& world, const LooseWatcher& loose);
    void list_leaves(const World& world, const Watcher& watcher, const Members& members,
                     bool is_capped);
    [[nodiscard]] static LeaveReason reason_of(const World& world, const Watcher& watcher,
                                               const Known& known, const Entity* entity);
    [[nodiscard]] std::uint64_t moved_since(const World& world, const Members& members,
                                            std::size_t word, std::uint64_t of, Tick synced) const;
    void make_room(std::size_t members, std::size_t watchers);

    FrameLimits limits_;
    FrameMessages messages_;
    FrameStates states_;
    Candidates candidates_;

    // By watcher and word, of those that were tested together.
    std::vector<Probe> probes_;
    std::vector<std::uint64_t> in_enter_;
    std::vector<std::uint64_t> in_leave_;
    // By word, of the watcher whose frame is built.
    std::vector<std::uint64_t> entering_;
    std::vector<std::uint64_t> staying_;
    std::vector<std::uint64_t> now_;  ///< later: who enters and was not known
    std::vector<std::uint64_t> moved_;
    std::vector<std::uint64_t> could_see_;  ///< before the cap
    std::span<const KnownEntity> lost_;     ///< known, and no candidates
    std::vector<KnownEntity> lost_orphans_;

    std::vector<Leave> leaves_;
    std::vector<Known> gone_;
    std::vector<Slot> enters_;
    std::vector<Slot> moves_;

    // Of a loose watcher.
    std::vector<Slot> found_;
    std::vector<std::pair<EntityId, Slot>> sorted_;
    std::vector<Slot> own_slots_;
    std::vector<EntityId> own_ids_;
    std::vector<std::uint64_t> own_known_;
};

}  // namespace marchland::engine
