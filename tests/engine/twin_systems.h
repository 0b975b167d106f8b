#pragma once

#include "engine/interest_system.h"
#include "tests/engine/sent_frame.h"
#include "tests/properties/dice.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <vector>

namespace marchland::engine::testing {

/// What a twin history is made from. Each number small makes a small history; the seed says all
/// else.
struct TwinPlan {
    std::uint64_t seed = 0;
    std::size_t entities = 0;  ///< about so many at a time
    std::size_t ticks = 0;
};

std::ostream& operator<<(std::ostream& out, const TwinPlan& plan);

/// Plays one history on two InterestSystems, and compares every frame (with RC_ASSERT).
///
///   swept     with the index that serves cells: watchers share their candidates, send_all looks
///             only where something happened
///   plain     with another index: each watcher has candidates of its own
///
/// Where RandomWorld asks an oracle about ten entities, this one asks no oracle and has hundreds:
/// so cells have neighbours, few changes are few, and crowds, crossings, notify sources and jumps
/// meet in one tick.
class TwinSystems {
public:
    explicit TwinSystems(const TwinPlan& plan);

    void play();

    /// What was sent so far, and how: for tests of this test.
    struct Tally {
        std::size_t enters = 0;
        std::size_t moves = 0;
        std::size_t enters_of_notify_sources = 0;
        std::map<LeaveReason, std::size_t> leaves;
    };
    [[nodiscard]] const Tally& tally() const { return tally_; }

private:
    enum class Change {
        walk,
        jump,
        move_late,
        view,
        turn,
        notify,
        layers,
        join,
        leave,
        rehouse,
        watch,
        state,
        say,
        keyframe,
    };
    static constexpr std::size_t kChanges = 15;
    struct Life {
        EntityId id{};
        std::uint32_t said = 0;  ///< messages in this tick
    };

    void choose_kind();
    void change_some();
    void change();
    void walk(const Life& life);
    void join();
    void leave(std::size_t which);
    void rehouse(const Life& life);
    void toggle_watch(const Life& life);
    void say(Life& life);
    void set_state(const Life& life);
    void end_tick();
    void begin_tick();
    [[nodiscard]] std::vector<EntityId> take_half(std::vector<EntityId>& from);
    void build(const std::vector<EntityId>& watchers, bool complete, bool by_send_all);

    [[nodiscard]] std::int32_t size_up_to(std::int32_t max);
    [[nodiscard]] std::int32_t near_multiple(std::int64_t origin, std::int64_t units);
    [[nodiscard]] Position place(std::int32_t field);
    [[nodiscard]] Position any_place();
    [[nodiscard]] View any_view();
    [[nodiscard]] NotifyRange any_notify();
    [[nodiscard]] LayerMask any_layers();
    [[nodiscard]] const Entity& record(EntityId id) const;
    [[nodiscard]] Slot slot_of(const InterestSystem& interest, EntityId id) const;

    template <typename Act>
    void both(Act&& act) {
        act(*swept_);
        act(*plain_);
    }

    tests::Dice dice_;
    const TwinPlan plan_;

    // The kind of history, chosen once.
    Dimensions dimensions_ = Dimensions::two;
    Position origin_;
    std::int32_t unit_mm_ = 1;  ///< sizes and places are about multiples of it
    std::int32_t field_ = 0;    ///< half a side, in units
    std::int32_t radius_ = 0;   ///< of most views, in units
    std::int32_t step_ = 0;     ///< of most walks, in units
    unsigned marker_percent_ = 0;
    unsigned far_percent_ = 0;  ///< of views as wide as the field
    unsigned notify_source_percent_ = 0;
    unsigned left_out_percent_ = 0;
    unsigned send_all_percent_ = 0;
    unsigned hasty_percent_ = 0;  ///< of ticks in which more happens when some had their frames
    std::array<unsigned, kChanges> weights_{};
    std::vector<std::size_t> change_counts_;
    std::optional<Shape> only_shape_;

    std::unique_ptr<InterestSystem> swept_;
    std::unique_ptr<InterestSystem> plain_;
    std::vector<Life> lives_;
    std::vector<Life> dead_;
    std::uint64_t next_id_ = 1;
    std::uint32_t said_ = 0;
    Tick now_ = kNever;
    Tick built_tick_ = kNever;  ///< of the newest frames
    Tally tally_;
};

}  // namespace marchland::engine::testing
