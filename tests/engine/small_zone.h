#pragma once

#include "engine/interest_system.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace marchland::engine::testing {

/// What the frames of one tick held, a line each, in their order:
/// "1 keyframe", "1 leave 2 out_of_range", "1 enter 2", "1 move 2", "1 state 2", "1 message 2", "1
/// lost messages".
using Lines = std::vector<std::string>;

/// A InterestSystem for examples, 2 m by 2 m in cells of 50 mm: entities are small numbers, a tick
/// is one call, frames are lines of text.
class SmallZone {
public:
    explicit SmallZone(Dimensions dimensions = Dimensions::two, const CrowdLimits& limits = {},
                       bool is_in_cells = true, std::int32_t prediction_error_mm = 0);

    /// Watches if the view is not none.
    void add(std::uint64_t id, Position at, View view = {}, std::uint8_t importance = 1);
    /// Leaves the zone for good.
    void remove(std::uint64_t id);
    /// Goes where this InterestSystem does not learn of it: no departure is recorded.
    void lose(std::uint64_t id);
    void move(std::uint64_t id, Position to) { interest_.move(slot(id), to); }
    /// As a change that came a tick late.
    void move_late(std::uint64_t id, Position to) {
        interest_.follow(slot(id), to, InterestSystem::Renewal{to, {}}, interest_.now() - 1);
    }
    void set_view(std::uint64_t id, View view) { interest_.set_view(slot(id), view); }
    void set_facing(std::uint64_t id, Angle facing) { interest_.set_facing(slot(id), facing); }
    void set_notify(std::uint64_t id, NotifyRange notify) {
        interest_.set_notify(slot(id), notify);
    }
    void set_layers(std::uint64_t id, LayerMask layers, LayerMask layers_seen) {
        interest_.set_layers(slot(id), layers, layers_seen);
    }

    void set_state(std::uint64_t id, std::uint8_t state);
    void say(std::uint64_t id);
    void ask_keyframe(std::uint64_t id);

    /// Builds the frames of all watchers, in ascending id, and begins the next tick.
    Lines tick();
    /// As tick(), through InterestSystem::send_all.
    Lines send_all();
    Lines tick_without_frames_for(const std::vector<std::uint64_t>& left_out);
    /// As tick(), while some shard's changes are missing.
    Lines incomplete_tick();
    [[nodiscard]] bool last_frame_follows() const { return last_frame_follows_; }
    [[nodiscard]] bool last_frame_is_capped() const { return last_frame_is_capped_; }
    [[nodiscard]] bool last_frame_is_slowed() const { return last_frame_is_slowed_; }
    [[nodiscard]] bool last_frame_is_over_budget() const { return last_frame_is_over_budget_; }
    [[nodiscard]] bool last_frame_is_filling() const { return last_frame_is_filling_; }
    /// Its move at this place.
    [[nodiscard]] bool last_frame_follows(std::size_t place) const {
        return last_moves_follow_.at(place);
    }

    [[nodiscard]] InterestSystem& interest() { return interest_; }
    [[nodiscard]] Slot slot(std::uint64_t id) const;
    [[nodiscard]] const Entity& entity(std::uint64_t id) const;

private:
    Lines build(const std::vector<std::uint64_t>& left_out, bool complete);

    InterestSystem interest_;
    std::uint32_t events_said_ = 0;  ///< of all, in all ticks
    bool last_frame_follows_ = false;
    bool last_frame_is_capped_ = false;
    bool last_frame_is_slowed_ = false;
    bool last_frame_is_over_budget_ = false;
    bool last_frame_is_filling_ = false;
    std::vector<bool> last_moves_follow_;
};

}  // namespace marchland::engine::testing
