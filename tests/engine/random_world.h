#pragma once

#include "engine/interest_system.h"
#include "tests/engine/ground.h"
#include "tests/engine/step.h"
#include "tests/engine/visibility_oracle.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace marchland::engine::testing {

/// Plays one history on an InterestSystem over each index and on the oracle, side by side, and
/// compares every frame and every record (with RC_ASSERT).
class RandomWorld {
public:
    explicit RandomWorld(const Ground& ground, const CrowdLimits& limits = {});

    void play(const Step& step);

    /// What was sent so far, by all frames: for tests that ask whether there was anything to see.
    struct Tally {
        std::size_t enters = 0;
        std::size_t moves = 0;
        std::size_t held_moves = 0;   ///< of these, sent later than they could have been
        std::size_t slowed = 0;       ///< frames
        std::size_t over_budget = 0;  ///< frames
        std::size_t filling = 0;      ///< frames
        std::size_t states = 0;
        std::size_t messages = 0;
        std::size_t keyframes = 0;
        std::size_t lost = 0;  ///< of these, for more was forgotten than their watchers were sent
        std::map<LeaveReason, std::size_t> leaves;
        std::map<Shape, std::size_t> enters_by_shape;
        std::size_t enters_by_notice = 0;  ///< of entities outside the watcher's view
    };
    [[nodiscard]] const Tally& tally() const { return tally_; }

private:
    /// A InterestSystem under test, and what watchers that are out of reach carry with them.
    struct Stage {
        std::unique_ptr<InterestSystem> interest;
        std::map<EntityId, KnownSet> carried;
    };

    void join(EntityId id, const Step& step);
    void leave(EntityId id, bool may_be_recorded);
    void move(EntityId id, Position to);
    void set_view(EntityId id, View view);
    void set_facing(EntityId id, Angle facing);
    void set_notify(EntityId id, NotifyRange notify);
    void set_layers(EntityId id, std::uint32_t bits);
    void set_state(EntityId id, std::uint32_t bits);
    void say(EntityId id);
    void ask_keyframe(EntityId id);
    void toggle_watch(EntityId id);
    void toggle_away(EntityId id);
    void rehouse(EntityId id);
    void forget(std::uint32_t ticks);
    void end_tick(std::uint32_t bits);
    enum class Way { build_frames, send_all };
    /// In one call. `watchers` are in ascending id; with send_all they are all that watch.
    void check_sent(const std::vector<EntityId>& watchers, bool complete, Way way);
    void check_records();

    void absorb_messages_of(InterestSystem& interest, EntityId id) const;
    void enter_stage(Stage& stage, EntityId id);
    void exit_stage(Stage& stage, EntityId id);
    [[nodiscard]] bool is_on_stage(EntityId id) const;
    [[nodiscard]] Position on_map(Position at) const;

    const Ground ground_;
    std::vector<Stage> stages_;
    /// Knows all that live, also those out of reach: a ghost comes back as it is here.
    InterestSystem owner_;
    VisibilityOracle oracle_;
    Tally tally_;
    std::uint32_t said_count_ = 0;  ///< of all: each message's payload is its number
};

}  // namespace marchland::engine::testing
