#include "tests/properties/history_writer.h"

#include "tests/shards/sent_frame.h"

#include <algorithm>
#include <array>
#include <utility>

namespace marchland::tests {

using engine::Position;
using engine::Tick;
using engine::View;

HistoryWriter::HistoryWriter(const Stage& stage, Dice& dice) : stage_(stage), dice_(dice) {
    add_borders_of(stage.layout);
}

void HistoryWriter::add_borders_of(const shards::Layout& layout) {
    for (const shards::ShardId shard : layout.shards()) {
        const engine::Rect& area = layout.region(shard).area;
        for (const std::int64_t x : {area.min_x, area.max_x}) {
            for (const std::int64_t y : {area.min_y, area.max_y}) {
                corners_.push_back(inside(x, y, 0));
            }
        }
    }
}

History HistoryWriter::write(std::size_t actor_count, Tick ticks) {
    actors_.assign(actor_count, {});
    history_ = {ticks, {}};
    for (Tick tick = 1; tick <= ticks; ++tick) {
        write_tick(tick);
    }
    return std::move(history_);
}

void HistoryWriter::write_tick(Tick tick) {
    for (std::size_t actor = 0; actor < actors_.size(); ++actor) {
        write_actor(actor, tick);
    }
    if (dice_.chance(5)) {
        gather_some(tick);
    }
}

void HistoryWriter::write_actor(std::size_t number, Tick tick) {
    Actor& actor = actors_[number];
    if (!actor.is_there) {
        if (dice_.chance(tick < 4 ? 60 : 20)) {
            join(number, tick);
        }
        return;
    }
    write_changes(number, tick);
    if (!actor.is_there) {
        return;
    }
    if (tick > actor.until) {
        take_up_habit(actor, tick);
    }
    if (actor.habit == Habit::pace) {
        move(number, tick, pace(actor, tick));
    } else if (actor.habit != Habit::rest) {
        move(number, tick, next_position(actor));
    }
    if (dice_.chance(3)) {
        // A second wish in one tick: the last one wins, also when it undoes the first.
        move(number, tick, dice_.chance(50) ? near_a_corner() : actor.at);
    }
}

void HistoryWriter::write_changes(std::size_t number, Tick tick) {
    Actor& actor = actors_[number];
    if (dice_.chance(5)) {
        note(tick, number, SetView{a_view()});
    }
    if (dice_.chance(15)) {
        note(tick, number, TurnTo{an_angle()});
    }
    if (dice_.chance(3)) {
        note(tick, number, SetNotify{a_notify_range()});
    }
    if (dice_.chance(5)) {
        note(tick, number, SetLayers{some_layers()});
    }
    write_words(number, tick);
    if (dice_.chance(actor.is_stalled ? 25 : 6)) {
        actor.is_stalled = !actor.is_stalled;
        note(tick, number, SetStalled{actor.is_stalled});
    }
    if (dice_.chance(2)) {
        if (dice_.chance(50)) {
            note(tick, number, SendMessage{});  // last words
        }
        actor = {};
        note(tick, number, LeaveZone{});
    }
}

/// What is sent beside where it is, and how.
void HistoryWriter::write_words(std::size_t number, Tick tick) {
    while (dice_.chance(8)) {
        const auto slot = static_cast<std::uint8_t>(dice_.below(kFacingSlot));
        note(tick, number, SetState{slot, static_cast<std::int64_t>(dice_.below(3))});
    }
    while (dice_.chance(8)) {
        note(tick, number, SendMessage{});
    }
    if (dice_.chance(3)) {
        note(tick, number, AskKeyframe{});
    }
    if (dice_.chance(3)) {
        note(tick, number, HandOverPort{});
    }
}

/// Several actors at one corner, at most a few millimetres apart.
void HistoryWriter::gather_some(Tick tick) {
    const Position corner = dice_.pick(corners_);
    for (std::size_t actor = 0; actor < actors_.size(); ++actor) {
        if (actors_[actor].is_there && dice_.chance(60)) {
            move(actor, tick,
                 inside(corner.x + dice_.between(-2, 2), corner.y + dice_.between(-2, 2), 0));
        }
    }
}

void HistoryWriter::join(std::size_t number, Tick tick) {
    Actor& actor = actors_[number];
    actor = {};
    actor.is_there = true;
    actor.at = dice_.chance(50) ? near_a_corner() : anywhere();
    note(tick, number,
         JoinZone{actor.at, a_view(), some_layers(), dice_.chance(90), an_angle(), a_notify_range(),
                  dice_.chance(70) ? 0U : static_cast<std::uint32_t>(dice_.between(10, 100))});
}

void HistoryWriter::move(std::size_t number, Tick tick, Position to) {
    actors_[number].at = to;
    note(tick, number, MoveTo{to});
}

void HistoryWriter::take_up_habit(Actor& actor, Tick tick) {
    constexpr std::array kHabits{Habit::rest, Habit::walk, Habit::walk,   Habit::walk,
                                 Habit::pace, Habit::pace, Habit::shadow, Habit::jump};
    actor.habit = kHabits[dice_.below(kHabits.size())];
    actor.until = tick + static_cast<Tick>(dice_.between(0, actor.habit == Habit::jump ? 1 : 8));
    actor.home = dice_.pick(corners_);
    actor.paces_x = dice_.chance(50);
    const std::int64_t hysteresis = stage_.options.border_hysteresis_mm;
    // To either side: up to the bound of the hysteresis, on it, one past it, far past it.
    const std::vector<std::int64_t> steps{0, 1, hysteresis, hysteresis + 1, 3 * hysteresis + 2};
    actor.in_mm = dice_.pick(steps);
    actor.out_mm = dice_.pick(steps);
    if (dice_.chance(50)) {
        // Along the border too, so that not all pacing happens in a corner.
        const Position other = dice_.pick(corners_);
        (actor.paces_x ? actor.home.y : actor.home.x) = actor.paces_x ? other.y : other.x;
    }
    actor.target = dice_.below(actors_.size());
    actor.walks_straight = dice_.chance(50);
    const std::int32_t step = std::max(1, stage_.options.leave_radius_mm_max / 8);
    actor.step = {static_cast<std::int32_t>(dice_.between(-step, step)),
                  static_cast<std::int32_t>(dice_.between(-step, step)), 0};
}

Position HistoryWriter::next_position(const Actor& actor) {
    switch (actor.habit) {
        case Habit::jump:
            return dice_.chance(60) ? near_a_corner() : anywhere();
        case Habit::shadow:
            return beside(actors_[actor.target]);
        case Habit::rest:
        case Habit::walk:
        case Habit::pace:
            break;
    }
    if (actor.walks_straight) {
        return inside(std::int64_t{actor.at.x} + actor.step.x + dice_.between(-1, 1),
                      std::int64_t{actor.at.y} + actor.step.y, actor.at.z);
    }
    const std::int64_t step = std::max<std::int64_t>(1, stage_.options.leave_radius_mm_max / 8);
    return inside(actor.at.x + dice_.between(-step, step), actor.at.y + dice_.between(-step, step),
                  actor.at.z + dice_.between(-1, 1));
}

Position HistoryWriter::pace(const Actor& actor, Tick tick) const {
    const std::int64_t offset = tick % 2 == 0 ? actor.in_mm : -actor.out_mm;
    return actor.paces_x ? inside(actor.home.x + offset, actor.home.y, actor.home.z)
                         : inside(actor.home.x, actor.home.y + offset, actor.home.z);
}

/// At a distance from the target that a bound may sit on: straight, or aslant as 3 : 4 : 5.
Position HistoryWriter::beside(const Actor& target) {
    const std::int64_t distance = telling_distance();
    if (dice_.chance(50)) {
        const std::int64_t offset = dice_.chance(50) ? distance : -distance;
        return dice_.chance(50) ? inside(target.at.x + offset, target.at.y, target.at.z)
                                : inside(target.at.x, target.at.y + offset, target.at.z);
    }
    const std::int64_t fifth = distance / 5;
    return inside(target.at.x + 3 * fifth, target.at.y + (dice_.chance(50) ? 4 : -4) * fifth,
                  target.at.z);
}

Position HistoryWriter::anywhere() {
    const engine::Rect& world = stage_.options.world;
    return inside(dice_.between(world.min_x, world.max_x), dice_.between(world.min_y, world.max_y),
                  dice_.between(-stage_.options.leave_radius_mm_max / 2,
                                stage_.options.leave_radius_mm_max / 2));
}

Position HistoryWriter::near_a_corner() {
    const Position corner = dice_.pick(corners_);
    const auto offset = [&] { return dice_.chance(50) ? telling_distance() : -telling_distance(); };
    const std::int64_t x = corner.x + (dice_.chance(50) ? dice_.between(-1, 1) : offset());
    const std::int64_t y = corner.y + (dice_.chance(50) ? dice_.between(-1, 1) : offset());
    return inside(x, y, corner.z);
}

/// The nearest position in the world.
Position HistoryWriter::inside(std::int64_t x, std::int64_t y, std::int64_t z) const {
    const engine::Rect& world = stage_.options.world;
    constexpr std::int64_t kHeightMax = 1'000'000'000;
    return {static_cast<std::int32_t>(std::clamp(x, world.min_x, world.max_x)),
            static_cast<std::int32_t>(std::clamp(y, world.min_y, world.max_y)),
            static_cast<std::int32_t>(std::clamp(z, -kHeightMax, kHeightMax))};
}

/// A distance at which something may change: a radius, the reach of a border, and their neighbours.
std::int64_t HistoryWriter::telling_distance() {
    const std::int64_t radius = stage_.options.leave_radius_mm_max;
    const std::int64_t hysteresis = stage_.options.border_hysteresis_mm;
    const std::vector<std::int64_t> distances{0,          radius / 2,          radius,
                                              hysteresis, radius + hysteresis, radius - hysteresis};
    return std::max<std::int64_t>(0, dice_.pick(distances) + dice_.between(-1, 1));
}

View HistoryWriter::a_circle() {
    const std::int32_t radius = stage_.options.leave_radius_mm_max;
    const std::vector<View> views{View::circle(radius, radius),
                                  View::circle(radius / 2, radius),
                                  View::circle(radius - 1, radius),
                                  View::circle(radius / 2, radius / 2 + 1),
                                  View::circle(0, radius / 4),
                                  View::circle(0, 0),
                                  View{}};
    return dice_.pick(views);
}

/// 0, or a part of the limit, or all of it.
std::int32_t HistoryWriter::at_most(std::int32_t limit_mm) {
    const std::vector<std::int32_t> sizes{0, limit_mm / 4, limit_mm / 2, limit_mm - 1, limit_mm};
    return std::max(0, dice_.pick(sizes));
}

View HistoryWriter::a_view() {
    const std::int32_t limit = stage_.options.leave_radius_mm_max;
    const std::int32_t x = at_most(limit);
    const std::int32_t y = at_most(limit);
    const std::int32_t z = at_most(limit);
    const engine::Angle opening = std::min(an_angle(), engine::kHalfTurn);
    const engine::Angle leave_opening = std::max(opening, std::min(an_angle(), engine::kHalfTurn));
    switch (dice_.below(6)) {
        case 0:
            return View::box({x, y, z}, {std::max(x, at_most(limit)), std::max(y, at_most(limit)),
                                         std::max(z, at_most(limit))});
        case 1:
            return View::sector(x, limit, opening, leave_opening);
        case 2:
            if (stage_.options.dimensions == engine::Dimensions::three) {
                return View::cylinder(x, limit, z, std::max(z, at_most(limit)));
            }
            return View::sector(x, std::max(x, limit / 2), opening, opening);
        default:
            return a_circle();
    }
}

/// Mostly a multiple of an eighth of a turn, where edges meet places, or beside one.
engine::Angle HistoryWriter::an_angle() {
    constexpr std::int64_t kEighth = engine::kQuarterTurn / 2;
    const std::int64_t near_eighth = kEighth * dice_.between(0, 7) + dice_.between(-1, 1);
    return static_cast<engine::Angle>(dice_.chance(80) ? near_eighth : dice_.between(0, 65'535));
}

/// Most have none; some are seen from further away than anybody looks.
engine::NotifyRange HistoryWriter::a_notify_range() {
    if (dice_.chance(75)) {
        return {};
    }
    const std::int32_t limit = stage_.options.notify_leave_radius_mm_max;
    const std::int32_t leave = dice_.chance(50)
                                   ? at_most(limit)
                                   : std::min(limit, at_most(stage_.options.leave_radius_mm_max));
    return {at_most(leave), leave};
}

/// Mostly one layer for all, so that the others do not hide everybody from everybody.
engine::Layers HistoryWriter::some_layers() {
    const auto mask = [&]() -> engine::LayerMask {
        return dice_.chance(70) ? engine::kDefaultLayer
                                : static_cast<engine::LayerMask>(dice_.below(8));
    };
    return {mask(), mask()};
}

void HistoryWriter::note(Tick tick, std::size_t actor, Deed deed) {
    history_.acts.push_back({tick, actor, std::move(deed)});
}

}  // namespace marchland::tests
