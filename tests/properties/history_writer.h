#pragma once

#include "tests/properties/dice.h"
#include "tests/properties/history.h"
#include "tests/properties/stage.h"

#include <cstddef>
#include <vector>

namespace marchland::tests {

/// Invents histories that trouble a stage: pacing on its borders inside and beyond the ownership
/// hysteresis, crowds on its corners, jumps between shards that do not touch, walks at exactly the
/// bound of somebody's view, changes of view and layers, slow clients, leaving and joining again.
///
/// Life  One history; everything it draws comes from the dice.
class HistoryWriter {
public:
    HistoryWriter(const Stage& stage, Dice& dice);

    /// Whatever happens at borders happens at this layout's, too.
    void add_borders_of(const shards::Layout& layout);

    History write(std::size_t actor_count, engine::Tick ticks);

private:
    /// What an actor keeps doing for a while.
    enum class Habit { rest, walk, pace, jump, shadow };

    struct Actor {
        bool is_there = false;
        bool is_stalled = false;
        engine::Position at;
        Habit habit = Habit::rest;
        engine::Tick until = engine::kNever;  ///< of the habit
        engine::Position home;                ///< the place on a border that it paces on
        std::int64_t in_mm = 0;               ///< how far it paces to the one side of home
        std::int64_t out_mm = 0;              ///< and to the other
        bool paces_x = false;
        bool walks_straight = false;
        engine::Position step;   ///< of one who does
        std::size_t target = 0;  ///< the actor that it shadows
    };

    void write_tick(engine::Tick tick);
    void write_actor(std::size_t actor, engine::Tick tick);
    void write_changes(std::size_t actor, engine::Tick tick);
    void write_words(std::size_t actor, engine::Tick tick);
    void gather_some(engine::Tick tick);
    void join(std::size_t actor, engine::Tick tick);
    void move(std::size_t actor, engine::Tick tick, engine::Position to);
    void take_up_habit(Actor& actor, engine::Tick tick);
    [[nodiscard]] engine::Position next_position(const Actor& actor);
    [[nodiscard]] engine::Position pace(const Actor& actor, engine::Tick tick) const;
    [[nodiscard]] engine::Position beside(const Actor& target);

    [[nodiscard]] engine::Position anywhere();
    [[nodiscard]] engine::Position near_a_corner();
    [[nodiscard]] engine::Position inside(std::int64_t x, std::int64_t y, std::int64_t z) const;
    [[nodiscard]] std::int64_t telling_distance();
    [[nodiscard]] std::int32_t at_most(std::int32_t limit_mm);
    [[nodiscard]] engine::View a_view();
    [[nodiscard]] engine::View a_circle();
    [[nodiscard]] engine::Angle an_angle();
    [[nodiscard]] engine::NotifyRange a_notify_range();
    [[nodiscard]] engine::Layers some_layers();
    void note(engine::Tick tick, std::size_t actor, Deed deed);

    const Stage& stage_;
    Dice& dice_;
    std::vector<engine::Position> corners_;  ///< of every region of every layout
    std::vector<Actor> actors_;
    History history_;
};

}  // namespace marchland::tests
