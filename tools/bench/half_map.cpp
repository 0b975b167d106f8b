#include "tools/bench/half_map.h"

#include "engine/assert.h"
#include "engine/index_factory.h"
#include "tools/bench/space_contender.h"

#include <utility>

namespace marchland::bench {
namespace {

engine::IndexOptions index_options(Side side, const Workload& workload) {
    engine::IndexOptions options;
    const std::int32_t border_mm = workload.side_mm / 2;
    options.bounds = {0, 0, workload.side_mm, workload.side_mm};
    (side == Side::left ? options.bounds.max_x : options.bounds.min_x) =
        border_mm + (side == Side::left ? 1 : -1) * reach_mm(workload);
    options.cell_mm = kRadiusMm;
    return options;
}

}  // namespace

HalfMap::HalfMap(Side side, std::string_view index_name, const Workload& workload,
                 std::span<const engine::Position> at)
    : side_(side),
      border_mm_(workload.side_mm / 2),
      reach_mm_(reach_mm(workload)),
      space_(engine::make_index(index_name, index_options(side, workload)),
             engine::Dimensions::two),
      slot_of_(at.size(), kNone),
      is_known_to_other_(at.size()),
      sink_([this](const engine::Frame& frame) { add(frame); }) {
    const std::vector<Senses> senses = senses_of(workload);
    std::vector<engine::Entity> here;
    for (std::uint32_t number = 0; number < at.size(); ++number) {
        if (concerns_me(at[number])) here.push_back(entity_at(number, at[number], senses[number]));
    }
    space_.begin_tick(now_);
    space_.load(here);
    for (const engine::Entity& entity : here) {
        const auto number = static_cast<std::uint32_t>(engine::to_number(entity.id));
        note(number, space_.entities().find(entity.id).value());
        if (is_mine(entity.position)) {
            own(number, entity.position, {});
        } else {
            ghosts_.push_back(number);
        }
    }
    tell();
}

void HalfMap::move(std::span<const engine::Position> to) {
    space_.begin_tick(++now_);
    sent_.handovers.clear();
    sent_.ghosts.clear();
    move_ghosts(to);
    move_own(to);
}

void HalfMap::move_ghosts(std::span<const engine::Position> to) {
    std::erase_if(ghosts_, [&](std::uint32_t number) {
        const auto slot = engine::Slot{slot_of_[number]};
        if (concerns_me(to[number])) {
            space_.move(slot, to[number]);
            return false;
        }
        forget(number);
        return true;
    });
}

/// One that crossed becomes a ghost, if it is still near.
void HalfMap::move_own(std::span<const engine::Position> to) {
    std::erase_if(own_, [&](std::uint32_t number) {
        const auto slot = engine::Slot{slot_of_[number]};
        const engine::Position at = to[number];
        if (concerns_me(at)) space_.move(slot, at);
        if (is_mine(at)) {
            const bool concerns = concerns_other(at);
            if (concerns && !is_known_to_other_[number]) {
                sent_.ghosts.push_back(space_.entities().at(slot));
            }
            is_known_to_other_[number] = concerns;
            return false;
        }
        hand_over(number, at);
        return true;
    });
}

void HalfMap::hand_over(std::uint32_t number, engine::Position at) {
    const auto slot = engine::Slot{slot_of_[number]};
    sent_.handovers.push_back({space_.entities().at(slot), space_.unwatch(slot)});
    if (concerns_me(at)) {
        ghosts_.push_back(number);
        return;
    }
    // It jumped out of sight: here it was not moved.
    engine::Entity& entity = sent_.handovers.back().entity;
    entity.previous = entity.position;
    entity.position = at;
    entity.moved_tick_before = entity.moved_tick;
    entity.moved_tick = now_;
    forget(number);
}

void HalfMap::absorb(const Sent& sent) {
    for (const engine::Entity& entity : sent.ghosts) {
        ghosts_.push_back(insert(entity));
    }
    for (const Handover& handover : sent.handovers) {
        const auto number = static_cast<std::uint32_t>(engine::to_number(handover.entity.id));
        if (slot_of_[number] == kNone) {
            insert(handover.entity);
        } else {
            std::erase(ghosts_, number);
        }
        own(number, handover.entity.position, handover.known);
    }
}

EventTotals HalfMap::tell() {
    totals_ = {};
    own_slots_.clear();
    for (const std::uint32_t number : own_) {
        own_slots_.push_back(engine::Slot{slot_of_[number]});
    }
    space_.build_frames(own_slots_, true, sink_);
    return totals_;
}

bool HalfMap::is_mine(engine::Position at) const {
    return (at.x < border_mm_) == (side_ == Side::left);
}

bool HalfMap::concerns_me(engine::Position at) const {
    return side_ == Side::left ? at.x <= border_mm_ + reach_mm_ : at.x >= border_mm_ - reach_mm_;
}

bool HalfMap::concerns_other(engine::Position at) const {
    return side_ == Side::left ? at.x >= border_mm_ - reach_mm_ : at.x <= border_mm_ + reach_mm_;
}

/// Gives its number back.
std::uint32_t HalfMap::insert(const engine::Entity& entity) {
    const auto number = static_cast<std::uint32_t>(engine::to_number(entity.id));
    note(number, space_.insert(entity));
    return number;
}

void HalfMap::note(std::uint32_t number, engine::Slot slot) {
    slot_of_[number] = engine::to_number(slot);
    if (number_of_.size() <= engine::to_number(slot)) {
        number_of_.resize(engine::to_number(slot) + 1);
    }
    number_of_[engine::to_number(slot)] = number;
}

void HalfMap::forget(std::uint32_t number) {
    space_.erase(engine::Slot{slot_of_[number]});
    slot_of_[number] = kNone;
}

void HalfMap::own(std::uint32_t number, engine::Position at, const engine::VisibleSet& known) {
    own_.push_back(number);
    is_known_to_other_[number] = concerns_other(at);
    space_.watch(engine::Slot{slot_of_[number]}, known);
}

void HalfMap::add(const engine::Frame& frame) {
    const auto sum_of = [this](std::span<const engine::Slot> slots) {
        std::uint64_t sum = 0;
        for (const engine::Slot slot : slots) {
            sum += number_of_[engine::to_number(slot)];
        }
        return sum;
    };
    std::uint64_t left = 0;
    for (const engine::Leave& leave : frame.leaves) {
        left += engine::to_number(leave.id);
    }
    const std::uint32_t watcher = number_of_[engine::to_number(frame.watcher)];
    totals_.add(watcher, EventKind::enter, frame.enters.size(), sum_of(frame.enters));
    totals_.add(watcher, EventKind::leave, frame.leaves.size(), left);
    totals_.add(watcher, EventKind::move, frame.moves.size(), sum_of(frame.moves));
}

}  // namespace marchland::bench
