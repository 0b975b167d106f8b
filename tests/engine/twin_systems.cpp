#include "tests/engine/twin_systems.h"

#include "engine/index/grid_cross_list.h"
#include "tests/engine/brute_force_index.h"
#include "tests/engine/ground.h"
#include "tests/engine/workers_backwards.h"

#include <rapidcheck.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace marchland::engine::testing {
namespace {

std::int32_t to_int32(std::int64_t value) {
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(value, kMin, kMax));
}

Blob blob_of(std::uint32_t number) {
    const auto byte = [number](unsigned shift) { return static_cast<std::byte>(number >> shift); };
    return std::make_shared<const std::vector<std::byte>>(
        std::vector<std::byte>{byte(0), byte(8), byte(16), byte(24)});
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const TwinPlan& plan) {
    return out << "seed " << plan.seed << ", " << plan.entities << " entities, " << plan.ticks
               << " ticks";
}

TwinSystems::TwinSystems(const TwinPlan& plan) : dice_(plan.seed), plan_(plan) {
    choose_kind();
    const std::int64_t half = std::int64_t{field_} * unit_mm_ * 2 + 4;
    const Ground ground{"",
                        {std::max<std::int64_t>(kMin, origin_.x - half),
                         std::max<std::int64_t>(kMin, origin_.y - half),
                         std::min<std::int64_t>(kMax, origin_.x + half),
                         std::min<std::int64_t>(kMax, origin_.y + half)},
                        dimensions_,
                        to_int32(std::max<std::int64_t>(1, std::int64_t{radius_} * unit_mm_))};
    StateSlots slots(1);
    slots.front().type = StateType::bytes;
    if (dice_.chance(50)) {
        slots.front().audience = StateAudience::near;
        slots.front().radius_mm = std::max(1, ground.cell_mm / 2);
    }
    swept_ = std::make_unique<InterestSystem>(
        make_grid_cross_list({ground.bounds, ground.cell_mm, ground.cells_max}), dimensions_,
        CrowdLimits{}, slots);
    plain_ = std::make_unique<InterestSystem>(std::make_unique<BruteForceIndex>(ground.bounds),
                                              dimensions_, CrowdLimits{}, slots);
    if (dice_.chance(80)) {
        begin_tick();
    }
    while (lives_.size() < plan_.entities) {
        join();
    }
    if (now_ == kNever) {
        begin_tick();
    }
}

void TwinSystems::choose_kind() {
    dimensions_ = dice_.chance(70) ? Dimensions::two : Dimensions::three;
    unit_mm_ = dice_.pick(std::vector<std::int32_t>{1, 1, 7, 1'000, 40'000});
    radius_ = dice_.pick(std::vector<std::int32_t>{3, 20, 50});
    field_ = radius_ * dice_.pick(std::vector<std::int32_t>{1, 3, 6, 12});
    step_ = dice_.pick(std::vector<std::int32_t>{1, 1, radius_ / 3, radius_ + 1});
    const auto corner = [this] {
        return to_int32(dice_.pick(std::vector<std::int64_t>{0, 0, 0, 1'000'003, kMin, kMax}));
    };
    origin_ = {corner(), corner(), corner()};
    marker_percent_ = dice_.pick(std::vector<unsigned>{0, 20, 60, 95});
    far_percent_ = dice_.pick(std::vector<unsigned>{0, 0, 3, 30});
    notify_source_percent_ = dice_.pick(std::vector<unsigned>{0, 2, 10, 50, 100});
    left_out_percent_ = dice_.pick(std::vector<unsigned>{0, 0, 0, 10, 50});
    send_all_percent_ = dice_.pick(std::vector<unsigned>{0, 50, 90, 100});
    hasty_percent_ = dice_.pick(std::vector<unsigned>{0, 0, 0, 10});
    if (dice_.chance(50)) {
        const std::vector<Shape> shapes{Shape::circle, Shape::circle, Shape::rectangle,
                                        Shape::sector};
        only_shape_ = dice_.pick(shapes);
    }
    // Each kind of change is rare, usual or left out.
    for (unsigned& weight : weights_) {
        weight = dice_.pick(std::vector<unsigned>{0, 0, 1, 1, 5});
    }
    weights_[static_cast<std::size_t>(Change::walk)] = dice_.chance(80) ? 40 : 5;
    const std::size_t all = 2 * plan_.entities;
    change_counts_ = dice_.pick(std::vector<std::vector<std::size_t>>{
        {0, 1, 2}, {1}, {1, 1, 1, all}, {0, 1, 3, all / 16}, {all / 8, all / 2, all}, {all}});
}

void TwinSystems::play() {
    end_tick();
    end_tick();
    for (std::size_t tick = 0; tick < plan_.ticks; ++tick) {
        change_some();
        if (lives_.size() < plan_.entities / 2) {
            join();
        }
        end_tick();
    }
}

void TwinSystems::change_some() {
    for (std::size_t left = dice_.pick(change_counts_); left > 0 && !lives_.empty(); --left) {
        change();
    }
}

void TwinSystems::change() {
    std::size_t total = 0;
    for (const unsigned weight : weights_) {
        total += weight;
    }
    std::size_t drawn = dice_.below(total);
    std::size_t kind = 0;
    while (drawn >= weights_[kind]) {
        drawn -= weights_[kind++];
    }
    const std::size_t which = dice_.below(lives_.size());
    Life& life = lives_[which];
    const EntityId id = life.id;
    switch (static_cast<Change>(kind)) {
        case Change::walk:
            return walk(life);
        case Change::jump: {
            const Position to = any_place();
            return both(
                [&](InterestSystem& interest) { interest.move(slot_of(interest, id), to); });
        }
        case Change::move_late: {
            const Position to = any_place();
            return both([&](InterestSystem& interest) {
                interest.follow(slot_of(interest, id), to, InterestSystem::Renewal{to, {}},
                                now_ - 1);
            });
        }
        case Change::view: {
            const View view = any_view();
            return both(
                [&](InterestSystem& interest) { interest.set_view(slot_of(interest, id), view); });
        }
        case Change::turn: {
            const auto facing = static_cast<Angle>(dice_.below(65'536));
            return both([&](InterestSystem& interest) {
                interest.set_facing(slot_of(interest, id), facing);
            });
        }
        case Change::notify: {
            const NotifyRange notify = any_notify();
            return both([&](InterestSystem& interest) {
                interest.set_notify(slot_of(interest, id), notify);
            });
        }
        case Change::layers: {
            const LayerMask layers = any_layers();
            const LayerMask seen = any_layers();
            return both([&](InterestSystem& interest) {
                interest.set_layers(slot_of(interest, id), layers, seen);
            });
        }
        case Change::join:
            return join();
        case Change::leave:
            return leave(which);
        case Change::rehouse:
            return rehouse(life);
        case Change::watch:
            return toggle_watch(life);
        case Change::state:
            return set_state(life);
        case Change::say:
            return say(life);
        case Change::keyframe:
            return both([&](InterestSystem& interest) {
                if (interest.is_watched(slot_of(interest, id))) {
                    interest.ask_keyframe(slot_of(interest, id));
                }
            });
    }
}

void TwinSystems::walk(const Life& life) {
    const Position at = record(life.id).position;
    const auto moved = [this](std::int32_t from, std::int32_t origin) {
        const std::int64_t step = dice_.between(-step_, step_) * unit_mm_ + dice_.between(-1, 1);
        const std::int64_t half = std::int64_t{field_} * unit_mm_;
        return to_int32(std::clamp(from + step, origin - half, origin + half));
    };
    const Position to{moved(at.x, origin_.x), moved(at.y, origin_.y), moved(at.z, origin_.z)};
    both([&](InterestSystem& interest) { interest.move(slot_of(interest, life.id), to); });
}

void TwinSystems::join() {
    Entity entity;
    if (!dead_.empty() && dice_.chance(60)) {
        lives_.push_back(dead_.back());
        dead_.pop_back();
    } else {
        lives_.push_back({EntityId{dice_.chance(50) ? next_id_ : ~next_id_}, 0});
        ++next_id_;
    }
    entity.id = lives_.back().id;
    entity.birth = now_;
    entity.position = entity.shown = any_place();
    entity.layers = dice_.chance(90) ? kDefaultLayer : any_layers();
    entity.layers_seen = dice_.chance(90) ? kDefaultLayer : any_layers();
    entity.view = any_view();
    entity.facing = static_cast<Angle>(dice_.below(65'536));
    entity.notify = any_notify();
    both([&](InterestSystem& interest) { interest.insert(entity); });
    if (!dice_.chance(marker_percent_)) {
        toggle_watch(lives_.back());
    }
}

void TwinSystems::leave(std::size_t which) {
    const EntityId id = lives_[which].id;
    const Tick birth = record(id).birth;
    // Nobody was sent one that leaves in the tick of its birth.
    const bool is_recorded = birth != now_ && dice_.chance(70);
    both([&](InterestSystem& interest) {
        if (is_recorded) {
            interest.record_departure({id, birth});
        }
        interest.erase(slot_of(interest, id));
    });
    // Born again in the tick of its birth it is the same life, and goes on counting.
    // But not once it is in frames: a zone takes who joins and leaves before it builds them.
    if (birth != now_ || built_tick_ != now_) {
        dead_.push_back({id, birth == now_ ? lives_[which].said : 0});
    }
    lives_[which] = lives_.back();
    lives_.pop_back();
}

/// Erased and inserted again, as a ghost that goes out of reach and comes back; it may move in
/// between.
void TwinSystems::rehouse(const Life& life) {
    const bool moves = dice_.chance(50);
    const Position to = any_place();
    both([&](InterestSystem& interest) {
        const Slot slot = slot_of(interest, life.id);
        const std::optional<EntityMessages> messages =
            interest.messages_of({life.id, interest.entities().at(slot).birth});
        std::optional<KnownSet> known;
        if (interest.is_watched(slot)) {
            known = interest.unwatch(slot);
        }
        const Slot again = interest.insert(interest.erase(slot));
        if (messages) {
            interest.absorb(*messages);
        }
        if (known) {
            interest.watch(again, *known);
        }
        if (moves) {
            interest.move(again, to);
        }
    });
}

void TwinSystems::toggle_watch(const Life& life) {
    both([&](InterestSystem& interest) {
        const Slot slot = slot_of(interest, life.id);
        if (interest.is_watched(slot)) {
            interest.unwatch(slot);
        } else {
            interest.watch(slot, {});
        }
    });
}

void TwinSystems::set_state(const Life& life) {
    const std::vector<StateWrite> state{{0, blob_of(static_cast<std::uint32_t>(dice_.below(3)))}};
    both([&](InterestSystem& interest) { interest.set_state(slot_of(interest, life.id), state); });
}

void TwinSystems::say(Life& life) {
    const KeptMessage message{now_, life.said++, 0, blob_of(said_++)};
    both([&](InterestSystem& interest) {
        interest.send_messages(slot_of(interest, life.id), {&message, 1});
    });
}

void TwinSystems::end_tick() {
    std::vector<EntityId> watchers;
    bool are_all = true;
    const bool leaves_out = dice_.chance(left_out_percent_);
    for (const Life& life : lives_) {
        if (swept_->is_watched(slot_of(*swept_, life.id))) {
            const bool is_left_out = leaves_out && dice_.chance(50);
            are_all = are_all && !is_left_out;
            if (!is_left_out) {
                watchers.push_back(life.id);
            }
        }
    }
    const bool complete = !dice_.chance(left_out_percent_ / 2);
    if (dice_.chance(hasty_percent_)) {
        build(take_half(watchers), complete, false);
        change_some();
        std::erase_if(watchers, [&](EntityId id) {
            const std::optional<Slot> slot = swept_->entities().find(id);
            return !slot || !swept_->is_watched(*slot);
        });
        build(watchers, complete, false);
        change_some();
    } else {
        build(watchers, complete, are_all && complete && dice_.chance(send_all_percent_));
    }
    begin_tick();
}

std::vector<EntityId> TwinSystems::take_half(std::vector<EntityId>& from) {
    std::vector<EntityId> half;
    std::erase_if(from, [&](EntityId id) {
        const bool is_taken = dice_.chance(50);
        if (is_taken) {
            half.push_back(id);
        }
        return is_taken;
    });
    return half;
}

void TwinSystems::begin_tick() {
    now_ += left_out_percent_ != 0 && dice_.chance(5) ? 3 : 1;
    both([this](InterestSystem& interest) { interest.begin_tick(now_); });
    for (std::vector<Life>* all : {&lives_, &dead_}) {
        for (Life& life : *all) {
            life.said = 0;
        }
    }
}

void TwinSystems::build(const std::vector<EntityId>& watchers, bool complete, bool by_send_all) {
    built_tick_ = now_;
    std::array<std::vector<SentFrame>, 2> frames;
    for (const bool is_swept : {false, true}) {
        InterestSystem& interest = is_swept ? *swept_ : *plain_;
        std::vector<SentFrame>& to = frames.at(is_swept ? 1 : 0);
        const FrameSink keep = [&](const Frame& frame) {
            to.push_back(sent(frame, interest.entities()));
        };
        if (by_send_all) {
            interest.send_all(keep);
        } else {
            std::vector<Slot> slots;
            for (const EntityId id : watchers) {
                slots.push_back(slot_of(interest, id));
            }
            WorkersBackwards executor(2);
            const std::vector<FrameSink> sinks(executor.workers(), keep);
            interest.build_frames(slots, complete, &executor, sinks);
        }
        std::ranges::sort(to, {}, &SentFrame::watcher);
    }
    for (const SentFrame& frame : frames[0]) {
        tally_.enters += frame.enters.size();
        tally_.moves += frame.moves.size();
        for (const EntityId id : frame.enters) {
            tally_.enters_of_notify_sources += record(id).notify.leave_radius_mm > 0 ? 1U : 0U;
        }
        for (const Leave& leave : frame.leaves) {
            ++tally_.leaves[leave.reason];
        }
    }
    std::vector<SentFrame> plain_alone;
    std::vector<SentFrame> swept_alone;
    for (const SentFrame& frame : frames[0]) {
        if (std::ranges::find(frames[1], frame) == frames[1].end()) plain_alone.push_back(frame);
    }
    for (const SentFrame& frame : frames[1]) {
        if (std::ranges::find(frames[0], frame) == frames[0].end()) swept_alone.push_back(frame);
    }
    RC_ASSERT(swept_alone == plain_alone);
    RC_ASSERT(frames[0].size() == frames[1].size());
}

std::int32_t TwinSystems::size_up_to(std::int32_t max) {
    return to_int32(std::max<std::int64_t>(
        0, dice_.between(0, max) * unit_mm_ + (unit_mm_ > 1 ? dice_.between(-1, 1) : 0)));
}

/// On a multiple of the unit or beside it, so that bounds are met exactly.
std::int32_t TwinSystems::near_multiple(std::int64_t origin, std::int64_t units) {
    const std::int64_t beside = unit_mm_ > 1 ? dice_.between(-1, 1) : 0;
    return to_int32(origin + units * unit_mm_ + beside);
}

Position TwinSystems::place(std::int32_t field) {
    return {near_multiple(origin_.x, dice_.between(-field, field)),
            near_multiple(origin_.y, dice_.between(-field, field)),
            near_multiple(origin_.z, dice_.between(-radius_, radius_))};
}

/// Half of all in a crowd in the middle.
Position TwinSystems::any_place() {
    return place(dice_.chance(50) ? field_ : std::min(field_, radius_));
}

View TwinSystems::any_view() {
    if (dice_.chance(5)) {
        return {};
    }
    const std::int32_t max = dice_.chance(far_percent_) ? 2 * field_ : radius_;
    const auto sizes = [&] {
        return std::pair<std::int32_t, std::int32_t>(
            std::minmax({size_up_to(max), size_up_to(max)}));
    };
    const auto [x, leave_x] = sizes();
    const auto [y, leave_y] = sizes();
    const auto [z, leave_z] = sizes();
    const auto [opening, leave_opening] = std::pair<std::int64_t, std::int64_t>(
        std::minmax({dice_.between(0, kHalfTurn), dice_.between(0, kHalfTurn)}));
    const std::vector<Shape> shapes{Shape::circle, Shape::circle, Shape::rectangle, Shape::sector,
                                    Shape::cylinder};
    const Shape shape = only_shape_.value_or(dice_.pick(shapes));
    switch (shape) {
        case Shape::rectangle:
            return View::box({x, y, z}, {leave_x, leave_y, leave_z});
        case Shape::sector:
            return View::sector(x, leave_x, static_cast<Angle>(opening),
                                static_cast<Angle>(leave_opening));
        case Shape::cylinder:
            if (dimensions_ == Dimensions::three) {
                return View::cylinder(x, leave_x, z, leave_z);
            }
            [[fallthrough]];
        default:
            return View::circle(x, leave_x);
    }
}

NotifyRange TwinSystems::any_notify() {
    if (!dice_.chance(notify_source_percent_)) {
        return {};
    }
    const std::int32_t max = dice_.pick(std::vector<std::int32_t>{radius_, 3 * radius_, field_});
    const auto [radius, leave_radius] = std::minmax({size_up_to(max), size_up_to(max)});
    return {radius, leave_radius};
}

LayerMask TwinSystems::any_layers() {
    return static_cast<LayerMask>(dice_.below(4));
}

const Entity& TwinSystems::record(EntityId id) const {
    return plain_->entities().at(slot_of(*plain_, id));
}

Slot TwinSystems::slot_of(const InterestSystem& interest, EntityId id) const {
    return interest.entities().find(id).value();
}

}  // namespace marchland::engine::testing
