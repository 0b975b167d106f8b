#include "engine/aoi.h"
#include "engine/assert.h"
#include "engine/frame/frame.h"
#include "engine/interest_system.h"
#include "tools/bench/contender.h"

#include <barrier>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace marchland::bench {
namespace {

engine::View view_of(const Senses& senses) {
    switch (senses.view) {
        case View::rectangle:
            return engine::View::rectangle(senses.radius_mm, senses.half_y_mm,
                                           senses.leave_radius_mm, senses.leave_half_y_mm);
        case View::sector:
            return engine::View::sector(senses.radius_mm, senses.leave_radius_mm,
                                        senses.half_opening, senses.leave_half_opening);
        case View::circle:
            break;
    }
    return engine::View::circle(senses.radius_mm, senses.leave_radius_mm);
}

std::uint32_t number_of(engine::EntityId id) {
    return static_cast<std::uint32_t>(engine::to_number(id));
}

std::vector<engine::Entity> entities_of(const Workload& workload, Positions at) {
    const std::vector<Senses> senses = senses_of(workload);
    std::vector<engine::Entity> entities;
    for (std::uint32_t number = 0; number < at.size(); ++number) {
        entities.push_back(entity_at(number, at[number], senses[number]));
    }
    return entities;
}

/// Adds a frame's events; `number_of(slot)` is the number of an entity.
template <typename NumberOf>
void add(EventTotals& totals, const engine::Frame& frame, const NumberOf& number_of) {
    const auto sum_of = [&](std::span<const engine::Slot> slots) {
        std::uint64_t sum = 0;
        for (const engine::Slot slot : slots) {
            sum += number_of(slot);
        }
        return sum;
    };
    std::uint64_t left = 0;
    for (const engine::Leave& leave : frame.leaves) {
        left += engine::to_number(leave.id);
    }
    const std::uint32_t watcher = number_of(frame.watcher);
    totals.add(watcher, EventKind::enter, frame.enters.size(), sum_of(frame.enters));
    totals.add(watcher, EventKind::leave, frame.leaves.size(), left);
    totals.add(watcher, EventKind::move, frame.moves.size(), sum_of(frame.moves));
}

/// An entity's number is its id and its slot.
class SpaceContender final : public Contender {
public:
    SpaceContender(std::string_view index, const Workload& workload, Positions at)
        : is_limited_(workload.limits.is_any_set()),
          name_(std::string(index) + (is_limited_ ? ", limited" : "")),
          interest_(engine::make_index(index, index_options(workload)),
                    index_options(workload).dimensions, workload.limits),
          sink_([this](const engine::Frame& frame) {
              add(totals_, frame, [](engine::Slot slot) { return engine::to_number(slot); });
          }) {
        const std::vector<engine::Entity> entities = entities_of(workload, at);
        interest_.begin_tick(++now_);
        for (const engine::Entity& entity : entities) {
            const engine::Slot slot = interest_.insert(entity);
            // A fresh store fills its slots in order.
            MARCHLAND_ASSERT(engine::to_number(slot) == number_of(entity.id));
            interest_.watch(slot, {});
            everyone_.push_back(slot);
        }
        interest_.build_frames(everyone_, true, sink_);
    }

    [[nodiscard]] std::string_view name() const override { return name_; }
    [[nodiscard]] bool is_limited() const override { return is_limited_; }
    [[nodiscard]] std::optional<double> bytes_per_entity() const override {
        return static_cast<double>(interest_.entity_bytes() + interest_.known_bytes()) /
               static_cast<double>(interest_.entities().size());
    }

    EventTotals run_tick(Positions to) override {
        totals_ = {};
        interest_.begin_tick(++now_);
        for (const engine::Slot slot : everyone_) {
            interest_.move(slot, to[engine::to_number(slot)]);
        }
        interest_.build_frames(everyone_, true, sink_);
        return totals_;
    }

    EventTotals run_moves(std::span<const Move> moves) override {
        totals_ = {};
        for (const Move& move : moves) {
            interest_.begin_tick(++now_);
            interest_.move(everyone_[move.entity], move.to);
            interest_.send_all(sink_);
        }
        return totals_;
    }

private:
    const bool is_limited_;
    const std::string name_;
    engine::InterestSystem interest_;
    engine::Tick now_ = engine::kNever;
    EventTotals totals_;      ///< of the call that runs
    engine::FrameSink sink_;  ///< made once: it adds to totals_
    std::vector<engine::Slot> everyone_;
};

class AoiContender final : public Contender {
public:
    AoiContender(const Workload& workload, Positions at) {
        engine::AoiOptions options;
        options.index = index_options(workload);
        auto [aoi, made] = engine::Aoi::make(options);
        MARCHLAND_ASSERT(made);
        aoi_ = std::move(aoi);
        std::vector<engine::AoiEntity> entities;
        for (const engine::Entity& entity : entities_of(workload, at)) {
            entities.push_back({.id = entity.id,
                                .position = entity.position,
                                .view = entity.view,
                                .facing = entity.facing,
                                .notify = entity.notify,
                                .layers = entity.layers,
                                .layers_seen = entity.layers_seen});
        }
        const engine::AoiStatus loaded = aoi_->load(entities);
        MARCHLAND_ASSERT(loaded);
        const engine::AoiStatus ticked = aoi_->tick();
        MARCHLAND_ASSERT(ticked);
    }

    [[nodiscard]] std::string_view name() const override { return kAoi; }

    EventTotals run_tick(Positions to) override {
        EventTotals totals;
        for (std::uint32_t entity = 0; entity < to.size(); ++entity) {
            move(entity, to[entity]);
        }
        tick(totals);
        return totals;
    }

    EventTotals run_moves(std::span<const Move> moves) override {
        EventTotals totals;
        for (const Move& one : moves) {
            move(one.entity, one.to);
            tick(totals);
        }
        return totals;
    }

private:
    static EventKind kind_of(const engine::AoiEvent& event) {
        MARCHLAND_ASSERT(event.kind != engine::EventKind::state);  // no workload sets any
        return event.kind == engine::EventKind::enter   ? EventKind::enter
               : event.kind == engine::EventKind::leave ? EventKind::leave
                                                        : EventKind::move;
    }

    void move(std::uint32_t entity, engine::Position to) {
        const engine::AoiStatus moved = aoi_->move(static_cast<engine::EntityId>(entity), to);
        MARCHLAND_ASSERT(moved);
    }

    void tick(EventTotals& totals) {
        const engine::AoiStatus ticked = aoi_->tick();
        MARCHLAND_ASSERT(ticked);
        const std::span<const engine::AoiEvent> events = aoi_->events();
        for (std::size_t first = 0; first < events.size();) {
            const engine::AoiEvent& list = events[first];  // of one watcher and one kind
            std::uint64_t sum = 0;
            std::size_t last = first;
            for (; last < events.size() && events[last].watcher == list.watcher &&
                   events[last].kind == list.kind;
                 ++last) {
                sum += engine::to_number(events[last].target);
            }
            totals.add(number_of(list.watcher), kind_of(list), last - first, sum);
            first = last;
        }
    }

    std::unique_ptr<engine::Aoi> aoi_;
};

enum class Side : std::uint8_t { left, right };

/// One half of a map, as a shard has it: an InterestSystem with the entities that stand in the
/// half, and ghosts of those of the other half that someone here may see. The border runs along y
/// in the middle.
///
///     left        |        right           ghosts of the left half are those within reach of it:
///          own ●  | ○ ghost                the largest leave radius
///                 |<- reach ->
///
/// A tick: both halves move(), both absorb() what the other one sent, both build_frames(). Between
/// the steps the threads wait for each other. Who stands where is decided by the position alone, so
/// both halves agree without asking.
///
/// Threads  One a half; `sent()` is read by the other one in absorb().
class HalfMap {
public:
    HalfMap(Side side, std::string_view index, const Workload& workload, Positions at)
        : side_(side),
          border_mm_(workload.side_mm / 2),
          reach_mm_(reach_mm(workload)),
          interest_(engine::make_index(index, half_options(workload)), engine::Dimensions::two),
          slot_of_(at.size(), kNone),
          is_known_to_other_(at.size()),
          sink_([this](const engine::Frame& frame) {
              add(totals_, frame,
                  [this](engine::Slot slot) { return number_at_[engine::to_number(slot)]; });
          }) {
        std::vector<engine::Entity> here = entities_of(workload, at);
        std::erase_if(here,
                      [this](const engine::Entity& entity) { return !is_near(entity.position); });
        interest_.begin_tick(now_);
        for (const engine::Entity& entity : here) {
            const std::uint32_t number = number_of(entity.id);
            note(number, interest_.insert(entity));
            if (is_mine(entity.position)) {
                own(number, entity.position, {});
            } else {
                ghosts_.push_back(number);
            }
        }
        build_frames();
    }

    struct Handoff {
        engine::Entity entity;
        engine::KnownSet known;
    };
    struct Sent {
        std::vector<Handoff> handoffs;
        std::vector<engine::Entity> ghosts;
    };
    [[nodiscard]] const Sent& sent() const { return sent_; }

    /// Where everyone is now. Own entities that crossed, and those of which the other half needs a
    /// ghost, go to sent().
    void move(Positions to) {
        interest_.begin_tick(++now_);
        sent_.handoffs.clear();
        sent_.ghosts.clear();
        std::erase_if(ghosts_, [&](std::uint32_t number) {
            if (!is_near(to[number])) {
                forget(number);
                return true;
            }
            interest_.move(engine::Slot{slot_of_[number]}, to[number]);
            return false;
        });
        std::erase_if(own_, [&](std::uint32_t number) { return move_own(number, to[number]); });
    }

    /// Takes over what came across.
    void absorb(const Sent& sent) {
        for (const engine::Entity& entity : sent.ghosts) {
            take_in(entity);
            ghosts_.push_back(number_of(entity.id));
        }
        for (const Handoff& handoff : sent.handoffs) {
            const std::uint32_t number = number_of(handoff.entity.id);
            if (slot_of_[number] == kNone) {
                take_in(handoff.entity);
            } else {
                std::erase(ghosts_, number);
            }
            own(number, handoff.entity.position, handoff.known);
        }
    }

    /// The events of everyone here.
    EventTotals build_frames() {
        totals_ = {};
        own_slots_.clear();
        for (const std::uint32_t number : own_) {
            own_slots_.push_back(engine::Slot{slot_of_[number]});
        }
        interest_.build_frames(own_slots_, true, sink_);
        return totals_;
    }

private:
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

    [[nodiscard]] engine::IndexOptions half_options(const Workload& workload) const {
        engine::IndexOptions options = index_options(workload);
        (side_ == Side::left ? options.bounds.max_x : options.bounds.min_x) =
            border_mm_ + (side_ == Side::left ? 1 : -1) * reach_mm_;
        return options;
    }

    [[nodiscard]] bool is_mine(engine::Position at) const {
        return (at.x < border_mm_) == (side_ == Side::left);
    }
    /// In this half, or so near that this half has it as a ghost.
    [[nodiscard]] bool is_near(engine::Position at) const {
        return side_ == Side::left ? at.x <= border_mm_ + reach_mm_
                                   : at.x >= border_mm_ - reach_mm_;
    }
    [[nodiscard]] bool is_near_other(engine::Position at) const {
        return side_ == Side::left ? at.x >= border_mm_ - reach_mm_
                                   : at.x <= border_mm_ + reach_mm_;
    }

    void note(std::uint32_t number, engine::Slot slot) {
        slot_of_[number] = engine::to_number(slot);
        if (number_at_.size() <= engine::to_number(slot)) {
            number_at_.resize(engine::to_number(slot) + 1);
        }
        number_at_[engine::to_number(slot)] = number;
    }

    void forget(std::uint32_t number) {
        interest_.erase(engine::Slot{slot_of_[number]});
        slot_of_[number] = kNone;
    }

    /// As it is where it moved in this tick: what that makes of its trajectory is found here, too.
    void take_in(const engine::Entity& entity) {
        const engine::Slot slot = interest_.insert(entity);
        interest_.lead(slot);
        note(number_of(entity.id), slot);
    }

    void own(std::uint32_t number, engine::Position at, const engine::KnownSet& known) {
        own_.push_back(number);
        is_known_to_other_[number] = is_near_other(at);
        interest_.watch(engine::Slot{slot_of_[number]}, known);
    }

    /// True if it crossed: then it becomes a ghost, if it is still near.
    bool move_own(std::uint32_t number, engine::Position at) {
        const auto slot = engine::Slot{slot_of_[number]};
        if (is_near(at)) interest_.move(slot, at);
        if (is_mine(at)) {
            const bool concerns_other = is_near_other(at);
            if (concerns_other && !is_known_to_other_[number]) {
                sent_.ghosts.push_back(interest_.entities().at(slot));
            }
            is_known_to_other_[number] = concerns_other;
            return false;
        }
        sent_.handoffs.push_back({interest_.entities().at(slot), interest_.unwatch(slot)});
        if (is_near(at)) {
            ghosts_.push_back(number);
            return true;
        }
        // It jumped out of sight: here it was not moved.
        sent_.handoffs.back().entity.position = at;
        forget(number);
        return true;
    }

    const Side side_;
    const std::int32_t border_mm_;  ///< the right half begins there
    const std::int32_t reach_mm_;
    engine::InterestSystem interest_;
    engine::Tick now_ = 1;
    std::vector<std::uint32_t> own_;        ///< numbers of entities, in no order
    std::vector<std::uint32_t> ghosts_;     ///< the same
    std::vector<engine::Slot> own_slots_;   ///< of build_frames()
    std::vector<std::uint32_t> slot_of_;    ///< by number; kNone: not here
    std::vector<std::uint32_t> number_at_;  ///< by slot
    std::vector<bool> is_known_to_other_;   ///< by number, of own ones: it has a ghost of it
    Sent sent_;
    EventTotals totals_;      ///< of the build_frames() that runs
    engine::FrameSink sink_;  ///< made once: it adds to totals_
};

/// The caller's thread works on the left half.
class HalvesContender final : public Contender {
public:
    HalvesContender(std::string_view index, const Workload& workload, Positions at)
        : name_(index),
          left_(Side::left, index, workload, at),
          right_(Side::right, index, workload, at),
          right_thread_([this] {
              while (true) {
                  step_.arrive_and_wait();
                  if (is_over_) return;
                  run_half(right_, left_);
              }
          }) {}
    ~HalvesContender() override {
        is_over_ = true;
        step_.arrive_and_wait();
        right_thread_.join();
    }

    [[nodiscard]] std::string_view name() const override { return name_; }
    [[nodiscard]] unsigned threads() const override { return 2; }

    EventTotals run_tick(Positions to) override {
        to_ = to;
        step_.arrive_and_wait();
        EventTotals totals = run_half(left_, right_);
        totals += right_totals_;
        return totals;
    }

private:
    EventTotals run_half(HalfMap& mine, const HalfMap& other) {
        mine.move(to_);
        step_.arrive_and_wait();
        mine.absorb(other.sent());
        const EventTotals totals = mine.build_frames();
        if (&mine == &right_) right_totals_ = totals;
        step_.arrive_and_wait();
        return totals;
    }

    const std::string name_;
    HalfMap left_;
    HalfMap right_;

    // Written by the caller's thread before step_ opens a tick, read by the other one after it.
    Positions to_;
    bool is_over_ = false;
    EventTotals right_totals_;  ///< the other way round: read after step_ has closed the tick

    std::barrier<> step_{2};  ///< both meet: before a tick, after move(), after build_frames()
    std::thread right_thread_;
};

}  // namespace

engine::IndexOptions index_options(const Workload& workload) {
    engine::IndexOptions options;
    options.bounds = {0, 0, workload.side_mm, workload.side_mm};
    options.dimensions =
        workload.height_mm == 0 ? engine::Dimensions::two : engine::Dimensions::three;
    options.cell_mm = kRadiusMm;
    return options;
}

engine::Entity entity_at(std::uint32_t number, engine::Position at, const Senses& senses) {
    engine::Entity entity;
    entity.id = static_cast<engine::EntityId>(number);
    entity.birth = 1;
    entity.position = at;
    entity.shown = at;
    entity.view = view_of(senses);
    entity.facing = senses.facing;
    entity.notify = {senses.notify_mm, senses.leave_notify_mm};
    entity.layers = senses.layers;
    entity.layers_seen = senses.layers_seen;
    return entity;
}

std::unique_ptr<Contender> make_interest(std::string_view index, const Workload& workload,
                                         Positions at) {
    return std::make_unique<SpaceContender>(index, workload, at);
}

std::unique_ptr<Contender> make_halves(std::string_view index, const Workload& workload,
                                       Positions at) {
    return std::make_unique<HalvesContender>(index, workload, at);
}

std::unique_ptr<Contender> make_aoi(const Workload& workload, Positions at) {
    return std::make_unique<AoiContender>(workload, at);
}

}  // namespace marchland::bench
