#include "engine/interest_system.h"

#include "engine/assert.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <utility>

namespace marchland::engine {
namespace {

/// The waiting moves of so many watchers of a cell are prefetched, which lie by slot; and so many
/// of each.
constexpr std::size_t kWatchersAhead = 64;
constexpr std::size_t kMovesAhead = 64;
/// What a query of its own costs a loose watcher, in tests of pairs.
constexpr std::size_t kLoosePairs = 256;

/// Tests of pairs, and what the cell costs by itself.
std::size_t work_of(const InterestCell& cell, std::size_t watchers) {
    return (watchers + 4) * (cell.slots.size() + 16);
}

/// KnownSet's first invariant.
bool is_in_order(const std::vector<Known>& members) {
    return std::adjacent_find(members.begin(), members.end(), [](const Known& a, const Known& b) {
               return a.id >= b.id;
           }) == members.end();
}

bool holds(const std::vector<Known>& members, EntityId id) {
    return std::any_of(members.begin(), members.end(),
                       [id](const Known& known) { return known.id == id; });
}

}  // namespace

InterestSystem::InterestSystem(std::unique_ptr<Index> index, Dimensions dimensions,
                               const CrowdLimits& limits, const StateSlots& slots,
                               std::int32_t prediction_error_mm)
    : index_(std::move(index)),
      dimensions_(dimensions),
      limits_(limits),
      prediction_error_mm_(prediction_error_mm),
      cells_(entities_, index_.serves_cells()),
      audiences_(slots) {
    MARCHLAND_ASSERT(flaw_of(limits) == nullptr);
    MARCHLAND_ASSERT(prediction_error_mm >= 0 && prediction_error_mm <= kPredictionErrorMaxMm);
}

void InterestSystem::begin_tick(Tick now) {
    MARCHLAND_ASSERT(now > now_);
    renew_trajectories();
    cells_.settle(now_);
    if (now >> 31U != now_ >> 31U) {
        cells_.forget_old_moves(now);
    }
    now_ = now;
}

void InterestSystem::slow_rings(std::uint32_t times) {
    MARCHLAND_ASSERT(times >= 1 && times <= kRingSlowdownMax);
    ring_slowdown_ = times;
}

Slot InterestSystem::insert(Entity entity) {
    MARCHLAND_ASSERT(flaw_of(entity.view, dimensions_) == nullptr);
    MARCHLAND_ASSERT(is_sound(entity.notify));
    MARCHLAND_ASSERT(entity.moved_tick <= now_);
    const Position at = entity.position;
    const NotifyRange notify = entity.notify;
    const Slot slot = entities_.insert(std::move(entity));
    cells_.insert(slot);
    note_change(slot);
    message_logs_.attach(slot, entities_.at(slot));
    note_state(slot);
    if (is_notify_source(notify)) {
        notify_sources_.insert(slot, at, notify.leave_radius_mm);
    }
    index_.insert(slot, at);
    return slot;
}

Entity InterestSystem::erase(Slot slot) {
    if (is_watched(slot)) {
        unwatch(slot);
    }
    const Entity& entity = entities_.at(slot);
    index_.erase(slot, entity.position);
    const bool is_named = cells_.erase(slot);
    stop_leading(slot);
    message_logs_.detach(slot);
    if (is_notify_source(entity.notify)) {
        notify_sources_.erase(slot, entity.position, entity.notify.leave_radius_mm);
    }
    Entity erased = entities_.erase(slot);
    if (!is_named) {
        entities_.free_last_erased();
    }
    return erased;
}

void InterestSystem::move(Slot slot, Position to) {
    MARCHLAND_ASSERT(now_ != kNever);
    if (to != entities_.at(slot).position) {
        lead(slot);
        place(slot, to);
    }
}

void InterestSystem::place(Slot slot, Position to) {
    Entity& entity = entities_.at(slot);
    index_.move(slot, entity.position);
    // Of the Target, which is written anyway: in the record it lies on another cache line.
    const NotifyRange notify = cells_.targets()[to_number(slot)].notify;
    if (is_notify_source(notify)) {
        notify_sources_.move(slot, entity.position, to, notify.leave_radius_mm);
    }
    entity.position = to;
    cells_.move(slot, to);
    note_change(slot);
}

void InterestSystem::lead(Slot slot) {
    if (led_place_.size() <= to_number(slot)) {
        led_place_.resize(entities_.slot_count(), 0);
    }
    if (led_place_[to_number(slot)] == 0) {
        led_.push_back({slot, entities_.at(slot).position});
        led_place_[to_number(slot)] = static_cast<std::uint32_t>(led_.size());
    }
}

void InterestSystem::stop_leading(Slot slot) {
    if (to_number(slot) < led_place_.size()) {
        led_place_[to_number(slot)] = 0;
    }
}

/// The velocity is that of the tick that is over: whoever turns is shown in the new direction at
/// once.
std::span<const Slot> InterestSystem::renew_trajectories() {
    if (renewed_tick_ == now_) {
        return {};
    }
    renewed_tick_ = now_;
    renewed_.clear();
    const auto error_max = static_cast<std::uint64_t>(prediction_error_mm_);
    const SquaredDistance square_max = error_max * error_max;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < led_.size(); ++i) {
        constexpr std::size_t kAhead = 8;
        if (i + kAhead < led_.size()) {
            entities_.prefetch(led_[i + kAhead].slot);
        }
        const auto [slot, began_at] = led_[i];
        if (led_place_[to_number(slot)] != i + 1) {
            continue;  // it left, or somebody else leads it
        }
        Entity& entity = entities_.at(slot);
        const Position shown = shown_at(entity, now_);
        if (shown != entity.position &&
            (square_max == 0 ||
             squared_distance(shown, entity.position, Dimensions::three) > square_max)) {
            const bool has_way = square_max != 0 && entity.birth != now_;  // none before it came
            Step velocity;
            if (has_way) {
                velocity = step_between(began_at, entity.position).value_or(Step{});
            }
            renew(slot, entity, shown, entity.position, velocity, false);
            renewed_.push_back(slot);
        }
        const bool goes_on = entity.velocity != Step{};
        led_place_[to_number(slot)] = goes_on ? static_cast<std::uint32_t>(kept + 1) : 0;
        if (goes_on) {
            led_[kept++] = {slot, entity.position};
        }
    }
    led_.resize(kept);
    return renewed_;
}

/// `shown`: where the trajectory before has it by now; `to`: where it is shown from now on.
void InterestSystem::renew(Slot slot, Entity& entity, Position shown, Position to, Step velocity,
                           bool is_late) {
    const bool was_sent = !is_late && entity.moved_tick != now_;
    entity.renewed_by = Entity::kNotSent;
    if (was_sent && is_a_step(shown, to)) {
        // Field by field: to copy a Step that was just put together waits until its three stores
        // are done.
        entity.renewed_by.x = static_cast<std::int16_t>(to.x - shown.x);
        entity.renewed_by.y = static_cast<std::int16_t>(to.y - shown.y);
        entity.renewed_by.z = static_cast<std::int16_t>(to.z - shown.z);
    }
    entity.shown = to;
    entity.velocity = velocity;
    entity.moved_tick = now_;
    cells_.set_moved_tick(slot, now_);
    note_change(slot);
}

void InterestSystem::follow(Slot slot, Position to, const std::optional<Renewal>& renewal,
                            Tick sent) {
    if (to != entities_.at(slot).position) {
        place(slot, to);
    }
    if (renewal) {
        Entity& entity = entities_.at(slot);
        renew(slot, entity, shown_at(entity, now_),
              after_steps(renewal->shown, renewal->velocity, now_ - sent), renewal->velocity,
              sent != now_);
    }
}

/// Where frames were built since, send_all asks everybody anyway.
void InterestSystem::note_change(Slot slot) {
    if (are_all_sent_ && !changed_.contains(slot)) {
        changed_.add(slot, {});
    }
}

void InterestSystem::set_view(Slot slot, View view) {
    MARCHLAND_ASSERT(flaw_of(view, dimensions_) == nullptr);
    Entity& entity = entities_.at(slot);
    const std::int32_t reach_mm_before = leave_reach_mm(entity.view);
    entity.view = view;
    cells_.review(slot, reach_mm_before);
    look_as(slot, entity);
    note_change(slot);
}

void InterestSystem::set_facing(Slot slot, Angle facing) {
    entities_.at(slot).facing = facing;
    note_change(slot);
}

void InterestSystem::set_notify(Slot slot, NotifyRange notify) {
    MARCHLAND_ASSERT(is_sound(notify));
    Entity& entity = entities_.at(slot);
    if (is_notify_source(entity.notify)) {
        notify_sources_.erase(slot, entity.position, entity.notify.leave_radius_mm);
    }
    entity.notify = notify;
    cells_.set_notify(slot, notify);
    if (is_notify_source(notify)) {
        notify_sources_.insert(slot, entity.position, notify.leave_radius_mm);
    }
    note_change(slot);
}

void InterestSystem::set_layers(Slot slot, LayerMask layers, LayerMask layers_seen) {
    Entity& entity = entities_.at(slot);
    entity.layers = layers;
    entity.layers_seen = layers_seen;
    cells_.set_layers(slot, layers);
    look_as(slot, entity);
    note_change(slot);
}

void InterestSystem::look_as(Slot slot, const Entity& entity) {
    if (cells_.is_watched(slot)) {
        cells_.watcher_of(slot).look_as(entity);
    }
}

void InterestSystem::forget_before(Tick tick) {
    departures_.forget_before(tick);
    message_logs_.forget_before(tick);
    forgotten_here_before_ = std::max(forgotten_here_before_, tick);
}

void InterestSystem::watch(Slot slot, KnownSet known) {
    MARCHLAND_ASSERT(is_in_order(known.members));
    MARCHLAND_ASSERT(!holds(known.members, entities_.at(slot).id));
    MARCHLAND_ASSERT(known.synced_tick <= now_);
    if (sent_messages_.size() < entities_.slot_count()) {
        sent_messages_.resize(entities_.slot_count());
        waiting_.resize(limits_.is_any_set() ? entities_.slot_count() : 0);
        owed_.resize(audiences_.are_none() ? 0 : entities_.slot_count());
    }
    Watcher watcher(slot, entities_.at(slot));
    watcher.synced_tick = known.synced_tick;
    watcher.keyframe_due = known.keyframe_due;
    watcher.past = Watcher::Past::unsent;
    watcher.sent_before = all_sent_tick_;
    watcher.has_sent_messages = !known.sent_messages.empty();
    watcher.has_waiting_messages = !known.waiting.messages.empty();
    watcher.has_waiting_moves = !known.waiting.moves.empty();
    watcher.is_owed_state = !known.owed.empty();
    watcher.owed_from =
        std::max(std::max(known.synced_tick, known.sent_tick) + 1, entities_.at(slot).birth);
    cells_.watch(watcher, known.members);
    sent_messages_[to_number(slot)] = std::move(known.sent_messages);
    if (limits_.is_any_set()) {
        waiting_[to_number(slot)] = std::move(known.waiting);
    }
    if (!audiences_.are_none()) {
        owed_[to_number(slot)] = std::move(known.owed);
    }
    note_change(slot);
}

std::vector<EntityId> InterestSystem::known_to(Slot slot) const {
    std::vector<EntityId> known;
    cells_.list_known(slot, known);
    std::ranges::sort(known);
    return known;
}

KnownSet InterestSystem::unwatch(Slot slot) {
    MARCHLAND_ASSERT(is_watched(slot));
    Watcher& watcher = cells_.watcher_of(slot);
    catch_up(watcher);
    KnownSet known;
    known.synced_tick = watcher.synced_tick;
    known.keyframe_due = watcher.keyframe_due;
    known.sent_tick = std::max({watcher.synced_tick, watcher.framed_tick, watcher.owed_from - 1});
    cells_.unwatch(slot, known.members);
    known.sent_messages = std::exchange(sent_messages_[to_number(slot)], {});
    if (limits_.is_any_set()) {
        known.waiting = std::exchange(waiting_[to_number(slot)], {});
    }
    if (!audiences_.are_none()) {
        known.owed = std::exchange(owed_[to_number(slot)], {});
    }
    return known;
}

bool InterestSystem::is_watched(Slot slot) const {
    MARCHLAND_ASSERT(entities_.is_live(slot));
    return cells_.is_watched(slot);
}

void InterestSystem::ask_keyframe(Slot slot) {
    MARCHLAND_ASSERT(is_watched(slot));
    cells_.watcher_of(slot).keyframe_due = true;
    note_change(slot);
}

bool InterestSystem::build_frames(std::span<const Slot> watchers, bool complete, Executor* executor,
                                  std::span<const FrameSink> sinks, std::size_t pairs_min) {
    MARCHLAND_ASSERT(now_ != kNever);
    renew_trajectories();
    cells_.settle(now_);
    if (watchers.size() == cells_.watcher_count()) {
        for (const Slot slot : watchers) {
            MARCHLAND_ASSERT(cells_.is_watched(slot));
        }
        want_all();
    } else {
        for (const Slot slot : watchers) {
            want(slot);
        }
    }
    return build_wanted(complete, executor, sinks, pairs_min);
}

World InterestSystem::world() {
    // Of all of the process: whoever writes frames keeps by this number what it packed, for several
    // shards.
    static std::atomic<std::uint64_t> builds{0};
    return {entities_,
            wanted_loose_.empty() ? nullptr : &index_.up_to_date(entities_),
            notify_sources_,
            departures_,
            message_logs_,
            sent_messages_,
            waiting_,
            owed_,
            state_ticks_,
            audiences_,
            dimensions_,
            now_,
            builds.fetch_add(1, std::memory_order_relaxed) + 1,
            ring_slowdown_,
            frame_bytes_max_,
            forgotten_before()};
}

void InterestSystem::want(Slot slot) {
    MARCHLAND_ASSERT(cells_.is_watched(slot));
    Watcher& watcher = cells_.watcher_of(slot);
    // A second frame of one tick would miss what moved between the two.
    MARCHLAND_ASSERT(watcher.framed_tick != now_ && !watcher.is_wanted);
    watcher.is_wanted = true;
    if (InterestCell* const cell = cells_.cell_of_watcher(slot)) {
        if (!cell->is_wanted) {
            cell->is_wanted = true;
            wanted_cells_.push_back(cell);
        }
    }
}

/// The parts are about equally much work.
bool InterestSystem::build_wanted(bool complete, Executor* executor,
                                  std::span<const FrameSink> sinks, std::size_t pairs_min) {
    const std::size_t workers = executor == nullptr ? 1 : executor->workers();
    MARCHLAND_ASSERT(sinks.size() >= workers);
    while (workers_.size() < workers) {
        workers_.push_back(std::make_unique<Worker>(limits_));
    }
    has_complete_tick_ = has_complete_tick_ || complete;
    are_all_sent_ = false;
    for (LooseWatcher& loose : cells_.loose()) {
        if (is_wanted(loose.watcher)) {
            wanted_loose_.push_back(&loose);
        }
    }
    if (!are_all_wanted_) {
        std::sort(wanted_cells_.begin(), wanted_cells_.end());  // as they lie in memory
    }
    std::size_t work = 0;
    for (const InterestCell* const cell : wanted_cells_) {
        work += work_of(*cell, cell->watchers.size());
    }
    std::size_t pairs = work;
    for (const LooseWatcher* const loose : wanted_loose_) {
        pairs += kLoosePairs + loose->known.size();
    }
    const bool is_shared = workers > 1 && pairs >= pairs_min;
    // More parts than workers, for they are not equally long.
    const std::size_t parts_wanted = is_shared ? 4 * workers : 1;
    divide_rows(work, parts_wanted);
    const std::size_t cell_parts = part_ends_.size();
    const std::size_t loose_parts = std::min(wanted_loose_.size(), parts_wanted);
    const World world = this->world();  // from here on nothing is written but watchers
    const auto build = [&](std::size_t part, std::size_t worker) {
        const FrameSink& sink = sinks[worker];
        if (part < cell_parts) {
            for (std::size_t i = part == 0 ? 0 : part_ends_[part - 1]; i < part_ends_[part]; ++i) {
                if (i + 3 < rows_.size() && rows_[i + 1].cell != rows_[i].cell) {
                    cells_.prefetch(*rows_[i + 1].cell, *rows_[i + 2].cell, *rows_[i + 3].cell);
                }
                if (i + 1 < part_ends_[part]) {  // what follows is written by another worker
                    for (const Watcher& watcher : those_who_may_wait(rows_[i + 1])) {
                        if (watcher.has_waiting_moves) {
                            __builtin_prefetch(&waiting_[to_number(watcher.slot)]);
                        }
                    }
                }
                build_rows(world, rows_[i], complete, *workers_[worker], sink);
            }
            return;
        }
        const std::size_t first = (part - cell_parts) * wanted_loose_.size() / loose_parts;
        const std::size_t end = (part - cell_parts + 1) * wanted_loose_.size() / loose_parts;
        for (std::size_t i = first; i < end; ++i) {
            wanted_loose_[i]->watcher.is_wanted = false;
            weigh_what_it_missed(wanted_loose_[i]->watcher);
            workers_[worker]->builder.build(world, cells_.targets(), *wanted_loose_[i], complete,
                                            sink);
        }
    };
    const std::size_t parts = cell_parts + loose_parts;
    if (is_shared) {
        executor->run(parts, std::ref(build));  // a copy would make std::function allocate
    } else {
        for (std::size_t part = 0; part < parts; ++part) {
            build(part, 0);
        }
    }
    wanted_cells_.clear();
    wanted_loose_.clear();
    are_all_wanted_ = false;
    changed_.clear();
    return is_shared;
}

/// A cell that is more than a part's work is several: a crowd may stand in one.
void InterestSystem::divide_rows(std::size_t work, std::size_t parts_wanted) {
    rows_.clear();
    part_ends_.clear();
    const std::size_t part_work = work / parts_wanted + 1;
    std::size_t of_this_part = 0;
    for (InterestCell* const cell : wanted_cells_) {
        cell->is_wanted = false;
        const std::size_t watchers = cell->watchers.size();
        const std::size_t pieces =
            std::clamp<std::size_t>(work_of(*cell, watchers) / part_work, 1, watchers);
        for (std::size_t piece = 0; piece < pieces; ++piece) {
            rows_.push_back({cell, piece * watchers / pieces, (piece + 1) * watchers / pieces});
            of_this_part += work_of(*cell, rows_.back().end - rows_.back().first);
            if (of_this_part >= part_work) {
                part_ends_.push_back(rows_.size());
                of_this_part = 0;
            }
        }
    }
    if (of_this_part > 0) {
        part_ends_.push_back(rows_.size());
    }
}

std::span<const Watcher> InterestSystem::those_who_may_wait(const Rows& rows) const {
    const std::size_t count = limits_.is_any_set() ? rows.end - rows.first : 0;
    return std::span(rows.cell->watchers).subspan(rows.first, std::min(count, kWatchersAhead));
}

void InterestSystem::build_rows(const World& world, const Rows& rows, bool complete, Worker& worker,
                                const FrameSink& sink) {
    InterestCell& cell = *rows.cell;
    for (const Watcher& watcher : those_who_may_wait(rows)) {
        if (watcher.has_waiting_moves) {
            const std::vector<Waiting::Move>& moves = waiting_[to_number(watcher.slot)].moves;
            for (std::size_t at = 0; at < std::min(moves.size(), kMovesAhead);
                 at += 64 / sizeof(Waiting::Move)) {
                __builtin_prefetch(moves.data() + at);
            }
        }
    }
    worker.wanted_rows.clear();
    for (std::size_t row = rows.first; row < rows.end; ++row) {
        Watcher& watcher = cell.watchers[row];
        if (is_wanted(watcher)) {
            watcher.is_wanted = false;
            weigh_what_it_missed(watcher);
            worker.wanted_rows.push_back(static_cast<std::uint32_t>(row));
        }
    }
    if (!worker.wanted_rows.empty()) {
        worker.builder.build(world, cells_.targets(), cell, cells_.corner_of(cell),
                             worker.wanted_rows, complete, sink);
    }
}

/// A send_all that had nothing for it did not touch it.
void InterestSystem::catch_up(Watcher& watcher) const {
    if (all_sent_tick_ != watcher.sent_before) {
        watcher.synced_tick = std::max(watcher.synced_tick, all_sent_tick_);
    }
}

/// A watcher that came here with a past: is what it has not been sent still known here? If not, it
/// is sent all anew. Before its first frame here, that is asked of all that this system has
/// forgotten; then only of what other shards had forgotten when they sent the rest, until a tick
/// was complete: before that, some of them may not have said so yet.
void InterestSystem::weigh_what_it_missed(Watcher& watcher) const {
    catch_up(watcher);
    if (watcher.past == Watcher::Past::known) {
        return;
    }
    const bool is_unsent = watcher.past == Watcher::Past::unsent;
    const Tick before = is_unsent ? forgotten_before() : sent_forgotten_before_;
    if (std::max(watcher.synced_tick + 1, watcher.owed_from) < before) {
        watcher.past = Watcher::Past::forgotten;
        watcher.keyframe_due = true;
    } else {
        watcher.past = has_complete_tick_ ? Watcher::Past::known : Watcher::Past::unsure;
    }
}

void InterestSystem::send_all(const FrameSink& sink) {
    MARCHLAND_ASSERT(now_ != kNever);
    renew_trajectories();
    cells_.settle(now_);
    // With limits there may be something to send where nothing changed: what was held back. And
    // where much changed, to look whom it concerns costs more than to ask all.
    if (limits_.is_any_set() || !are_all_sent_ || 8 * changed_.size() > cells_.watcher_count()) {
        want_all();
    } else {
        want_changed();
    }
    const FrameSink keep = [&sink](const Frame& frame) {
        if (!frame.is_empty()) {
            sink(frame);
        }
    };
    build_wanted(true, nullptr, {&keep, 1}, 0);
    all_sent_tick_ = now_;
    are_all_sent_ = true;
}

/// Cell by cell: to ask each watcher's slot where it is would cost more than most frames.
void InterestSystem::want_all() {
    are_all_wanted_ = true;
    for (InterestCell& cell : cells_.cells()) {
        if (!cell.watchers.empty()) {
            cell.is_wanted = true;
            wanted_cells_.push_back(&cell);
        }
    }
}

bool InterestSystem::is_wanted(const Watcher& watcher) const {
    const bool shall_have = are_all_wanted_ || watcher.is_wanted;
    MARCHLAND_ASSERT(!shall_have || watcher.framed_tick != now_);
    return shall_have;
}

/// Whoever may see what changed, or could have seen it: about, which is cheap to ask. And all in
/// cells that others came to or left.
void InterestSystem::want_changed() {
    for (const Slot slot : changed_.slots()) {
        if (!entities_.is_live(slot)) {
            continue;
        }
        const EntityId id = entities_.at(slot).id;
        cells_.for_each_around(slot, [&](InterestCell& cell) {
            const auto at = std::lower_bound(cell.ids.begin(), cell.ids.end(), id);
            MARCHLAND_ASSERT(at != cell.ids.end() && *at == id);
            const auto member = static_cast<std::size_t>(at - cell.ids.begin());
            for (std::size_t row = 0; row < cell.watchers.size(); ++row) {
                const Watcher& watcher = cell.watchers[row];
                if (!watcher.is_wanted && (is_set(cell.known_of(row), member) ||
                                           watcher.slot == slot || may_see(watcher, slot))) {
                    want(watcher.slot);
                }
            }
        });
    }
    for (InterestCell& cell : cells_.cells()) {
        const bool has_orphans = std::exchange(cell.has_orphans, false);
        if (cell.changed_tick == now_ || has_orphans) {
            for (const Watcher& watcher : cell.watchers) {
                if (!watcher.is_wanted) {
                    want(watcher.slot);
                }
            }
        }
    }
    for (LooseWatcher& loose : cells_.loose()) {
        want(loose.watcher.slot);
    }
}

/// True also of some that it cannot see.
bool InterestSystem::may_see(const Watcher& watcher, Slot slot) const {
    if (watcher.shape != Shape::circle) {
        return watcher.shape != Shape::none;
    }
    const Target& from = cells_.targets()[to_number(watcher.slot)];
    const Target& to = cells_.targets()[to_number(slot)];
    const std::int64_t reach = std::max(watcher.leave_radius_mm, to.notify.leave_radius_mm);
    return std::abs(std::int64_t{from.x} - to.x) <= reach &&
           std::abs(std::int64_t{from.y} - to.y) <= reach;
}

// ---- States and messages: what entities send beside their positions ----

bool InterestSystem::set_state(Slot slot, std::span<const StateWrite> writes) {
    MARCHLAND_ASSERT(now_ != kNever);
    MARCHLAND_ASSERT(writes.empty() || writes.back().number < audiences_.count());
    Entity& entity = entities_.at(slot);
    StatePtr changed = with(entity.state, writes, now_);
    if (changed == entity.state) {
        return false;
    }
    entity.state = std::move(changed);
    note_state(slot);
    note_change(slot);
    return true;
}

void InterestSystem::absorb_state(Slot slot, StatePtr state) {
    Entity& entity = entities_.at(slot);
    if (state->newest_tick > state_ticks_.of(slot)) {
        entity.state = std::move(state);
        note_state(slot);
        note_change(slot);
    }
}

void InterestSystem::note_state(Slot slot) {
    const StatePtr& state = entities_.at(slot).state;
    MARCHLAND_ASSERT(state == nullptr || state->set >> audiences_.count() == 0);
    state_ticks_.set(slot, state == nullptr ? kNever : state->newest_tick);
}

void InterestSystem::send_messages(Slot slot, std::span<const KeptMessage> messages) {
    MARCHLAND_ASSERT(now_ != kNever && !messages.empty());
    message_logs_.note_messages(slot, entities_.at(slot), messages, now_);
    note_change(slot);
}

void InterestSystem::absorb(const EntityMessages& received) {
    std::optional<Slot> slot = entities_.find(received.life.id);
    if (slot && entities_.at(*slot).birth != received.life.birth) {
        slot.reset();
    }
    message_logs_.absorb(received, slot, now_);
    if (slot) {
        note_change(*slot);
    }
}

std::optional<EntityMessages> InterestSystem::messages_of(const Life& life) const {
    const MessageLogPtr* const log = message_logs_.find(life);
    return log == nullptr ? std::nullopt : std::optional(EntityMessages{life, *log});
}

}  // namespace marchland::engine
