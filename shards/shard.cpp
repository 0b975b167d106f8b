#include "shards/shard.h"

#include "engine/assert.h"
#include "engine/index/index.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace marchland::shards {

namespace {

/// Each shard's index spans the whole map, for an entity is set where it jumps to before it is
/// handed over. So many cells hold one or two entities each where a shard has as many as a zone
/// usually may; and 256 shards with all of theirs take 200 MiB. The same for every shard: one
/// outlives the layout that it was made for.
constexpr std::size_t kCellsMax = 1U << 16U;

std::unique_ptr<engine::Index> make_index(const ZoneContext& zone) {
    engine::IndexOptions options;
    options.bounds = zone.options.world;
    options.dimensions = zone.options.dimensions;
    options.cell_mm = zone.options.cell_mm;
    options.cells_max = kCellsMax;
    auto index = engine::make_index(zone.options.index, options);
    MARCHLAND_ASSERT(index != nullptr);
    return index;
}

}  // namespace

Shard::Shard(ShardId id, const ZoneContext& zone, ShardMetrics& metrics)
    : id_(id),
      zone_(zone),
      facing_slot_(engine::facing_slot_of(zone.options.slots)),
      interest_(make_index(zone), zone.options.dimensions, crowd_limits(zone.options),
                zone.options.slots, zone.options.prediction_error_mm),
      outgoing_(id, zone.transport),
      recorder_(id, zone.recorder, zone.keeper),
      built_(zone.executor != nullptr ? zone.executor->workers() : 1),
      metrics_(metrics) {
    for (Built& built : built_) {
        built.io_threads.resize(zone.outlet.io_thread_count());
        sinks_.emplace_back(
            [this, &built](const engine::Frame& frame) { take_frame(frame, built); });
    }
}

Shard::~Shard() {
    zone_.departure_count.fetch_sub(departed_here_.size(), std::memory_order_relaxed);
}

// The tick, step by step; 1 is take_joins and a loop over the ports, each other step one call. The
// wait at the gate, between the two functions, is the driver's: zone_threads.cpp, lockstep.cpp.
// shard_border.cpp has 3 and 4, shard_frames.cpp 5 and 6.

void Shard::before_gate(const OnShard& here, const EpochPtr& epoch) {
    check_thread();
    phase_began_ = std::chrono::steady_clock::now();
    const engine::Tick now = here.tick();
    interest_.begin_tick(now);
    interest_.slow_rings(here.pace().ring_slowdown);
    interest_.lower_budgets(without_last_item(here.pace().frame_bytes_max, zone_.options));
    turn_ticks_ = here.pace().turn_ticks;
    recorder_.begin_tick(now, here.pace(), here.server_time_us());
    take_layout(epoch, now);
    look_for_newcomers();
    outgoing_.begin_tick(now, epoch_->number);

    take_joins(now);  // 1  from the inbox, and inputs from the ports
    for (const engine::Slot slot : own_.slots()) {
        ask_port(slot, now);
    }
    end_phase(Phase::ingest);
    apply(now);  // 2  to entities and index
    end_phase(Phase::apply);
    publish(now);  // 3  handoffs, ghosts that came, moved or went, departures
    end_phase(Phase::publish);
}

void Shard::after_gate(const OnShard& here, const MissingBatches& missing) {
    check_thread();
    phase_began_ = std::chrono::steady_clock::now();
    const engine::Tick now = here.tick();
    flags_ = {!missing.is_none(), here.pace().scale_percent, here.server_time_us(),
              here.pace().frame_bytes_max};

    note_missing(missing);
    absorb(now);  // 4  handoffs become own, ghosts are updated
    end_phase(Phase::absorb);
    give_messages(now);
    build_frames();  // 5  for each watcher whose client can take a frame
    end_phase(Phase::interest);
    emit();  // 6  one batch for each I/O thread
    end_phase(Phase::emit);
    for (const auto arrived : moves_arrived_) {
        metrics_.move_latency.add(phase_began_ - arrived);
    }
    moves_arrived_.clear();
    is_drained_ =
        !flags_.border_stale && !epoch_->layout.contains(id_) && interest_.entities().size() == 0;
    ticks_us_.add(static_cast<std::uint32_t>(metrics_.tick_us_last.load()));  // of the last one
    for (ZoneQuery* const zone_query : zone_.zone_queries.all()) {
        if (zone_query->is_asked(now)) {
            answer(*zone_query, now);
        }
    }

    // By shard at another tick of the second.
    if ((now + to_number(id_)) % zone_.options.tick_rate_hz == 0) {
        metrics_.entity_bytes.store(interest_.entity_bytes(), std::memory_order_relaxed);
        metrics_.known_bytes.store(interest_.known_bytes(), std::memory_order_relaxed);
    }

    metrics_.tick.store(now, std::memory_order_release);  // what it did is done
    metrics_.time_scale_percent.store(flags_.time_scale_percent, std::memory_order_relaxed);
    metrics_.ring_slowdown.store(here.pace().ring_slowdown, std::memory_order_relaxed);
    metrics_.frame_bytes_max.store(here.pace().frame_bytes_max, std::memory_order_relaxed);
    metrics_.turn_ticks.store(here.pace().turn_ticks, std::memory_order_relaxed);
    metrics_.entities.store(own_.size(), std::memory_order_relaxed);
    metrics_.ghosts.store(interest_.entities().size() - own_.size(), std::memory_order_relaxed);
    if (flags_.border_stale) {
        metrics_.stale_border_ticks_total.fetch_add(1, std::memory_order_relaxed);
    }
}

void Shard::post_join(Join join) {
    MARCHLAND_ASSERT(join.port != nullptr);
    MARCHLAND_ASSERT(engine::leave_reach_mm(join.entity.view) <= zone_.options.leave_radius_mm_max);
    MARCHLAND_ASSERT(join.entity.notify.leave_radius_mm <=
                     zone_.options.notify_leave_radius_mm_max);
    MARCHLAND_ASSERT(zone_.options.world.contains(join.entity.position));
    const std::lock_guard lock(inbox_mutex_);
    inbox_.push_back(std::move(join));
}

bool Shard::has_joins() {
    const std::lock_guard lock(inbox_mutex_);
    return !inbox_.empty();
}

std::vector<engine::EntityId> Shard::owned_ids() const {
    std::vector<engine::EntityId> ids;
    for (const engine::Slot slot : own_.slots()) {
        ids.push_back(interest_.entities().at(slot).id);
    }
    std::ranges::sort(ids);
    return ids;
}

void Shard::check_thread() {
    if (!thread_) {
        thread_ = std::this_thread::get_id();
    }
    MARCHLAND_ASSERT(*thread_ == std::this_thread::get_id());
}

/// The time of day decides nothing here: it is only measured.
void Shard::end_phase(Phase phase) {
    const auto now = std::chrono::steady_clock::now();
    metrics_.phase_duration.at(static_cast<std::size_t>(phase)).add(now - phase_began_);
    phase_began_ = now;
}

void Shard::take_layout(const EpochPtr& epoch, engine::Tick now) {
    if (epoch_ == epoch) {
        return;
    }
    if (epoch_ == nullptr && epoch->layout.contains(id_)) {
        newcomers_informed_ = epoch->came_with(id_);
        if (newcomers_informed_ == epoch->number) {
            known_through_ = now - 1;  // what was before it came is not sent to it
        }
    }
    epoch_ = epoch;
    is_layout_new_ = true;
    for (const engine::Slot slot : own_.slots()) {
        mark_changed(slot);
    }
}

/// Shards that came are sent what they missed: a watcher that skipped frames may be handed to one
/// of them, and ask. Each sends its own entities' messages and who of them left, so that this comes
/// no later than what else it has to send of them, however late it is. One sends all that it
/// remembers, of shards that are no more, too; and so does whoever skipped a layout, for it may
/// have been that one there. Who does not know all from before the layout sends it again when it
/// does.
void Shard::look_for_newcomers() {
    const bool is_whole = knows_what_was_before();
    if (newcomers_informed_ >= epoch_->number || !(is_layout_new_ || is_whole)) {
        return;
    }
    std::ranges::copy_if(epoch_->layout.shards(), std::back_inserter(newcomers_),
                         [this](ShardId shard) {
                             return shard != id_ && epoch_->came_with(shard) > newcomers_informed_;
                         });
    if (!newcomers_.empty()) {
        remember_catch_up(epoch_->informer == id_ || epoch_->number > newcomers_informed_ + 1);
    }
    if (is_whole) {
        newcomers_informed_ = epoch_->number;
    }
}

/// Under another layout somebody may hand over to a shard that has sent all of its entities'
/// messages already.
bool Shard::knows_what_was_before() const {
    return known_through_ + 1 >= epoch_->from;
}

/// Whoever runs a tick of the layout that this shard skipped waits in vain for what it has for it.
bool Shard::has_skipped_first_tick(engine::Tick now) const {
    const bool nobody_ran_it = gap_last_ < epoch_->from && epoch_->from < gap_next_;
    return is_layout_new_ && epoch_->number > 0 && now > epoch_->from &&
           !(nobody_ran_it && now == gap_next_);
}

void Shard::note_gap(engine::Tick last, engine::Tick next) {
    gap_last_ = last;
    gap_next_ = next;
    if (known_through_ == last) {
        known_through_ = next - 1;
    }
}

void Shard::remember_catch_up(bool is_all) {
    catch_up_.forgotten_before = interest_.forgotten_before();
    if (is_all) {
        catch_up_.departed = interest_.departures();
    } else {
        for (const engine::RecordedDeparture& recorded : departed_here_) {
            catch_up_.departed.push_back(recorded);
        }
    }
    for (const engine::RecordedDeparture& recorded : catch_up_.departed) {
        if (auto messages = interest_.messages_of(recorded.life)) {
            catch_up_messages_.push_back(std::move(*messages));
        }
    }
}

// 1 ingest

void Shard::take_joins(engine::Tick now) {
    const std::lock_guard lock(inbox_mutex_);
    std::swap(joins_, inbox_);
    const auto later = std::ranges::upper_bound(joins_, now, {}, &Join::not_before);
    std::move(later, joins_.end(), std::back_inserter(inbox_));
    joins_.erase(later, joins_.end());
}

void Shard::ask_port(engine::Slot slot, engine::Tick now) {
    inputs_.tick = now;
    own_.at(slot).port->take_inputs(inputs_);
    // A replay's port alone gives what a live one and its successors gave in one tick.
    MARCHLAND_ASSERT(inputs_.messages.size() <= engine::kMessagesOfAllPortsMax);
    const bool has_successor = follow_successor(slot, inputs_, now);
    if (has_successor || !inputs_.is_empty()) {
        taken_inputs_.push_back({slot, std::exchange(inputs_, {}), has_successor});
    }
}

/// Gives the entity its port's successor, whose inputs count in this tick, too; that one may have a
/// successor in its turn. `unframed_ticks` stays: what a watcher without frames is owed is kept no
/// longer because its port is another.
bool Shard::follow_successor(engine::Slot slot, Inputs& inputs, engine::Tick now) {
    const bool has_successor = inputs.successor != nullptr;
    while (inputs.successor != nullptr) {
        std::shared_ptr<EntityPort>& port = own_.at(slot).port;
        port = std::exchange(inputs.successor, nullptr);
        Inputs later;
        later.tick = now;
        port->take_inputs(later);
        MARCHLAND_ASSERT(later.messages.size() <= engine::kMessagesPerTickMax);
        const std::size_t room = engine::kMessagesOfAllPortsMax - inputs.messages.size();
        if (later.messages.size() > room) {
            metrics_.messages_dropped_total.fetch_add(later.messages.size() - room,
                                                      std::memory_order_relaxed);
            later.messages.resize(room);
        }
        merge(inputs, std::move(later));
    }
    return has_successor;
}

// 2 apply

void Shard::apply(engine::Tick now) {
    apply_all_inputs(false);
    give_up_unframed();
    forget_old_departures(now);

    // After the leaves, so that an id may leave and join again in one tick.
    for (Join& join : joins_) {
        admit(std::move(join), now);
    }
    joins_.clear();
    // What came between a join and its first tick counts in that tick.
    apply_all_inputs(true);
}

void Shard::apply_all_inputs(bool are_newcomers) {
    for (const TakenInputs& taken : taken_inputs_) {
        recorder_.take_inputs(interest_.entities().at(taken.slot).id, taken.inputs,
                              taken.has_successor, are_newcomers);
        apply_inputs(taken.slot, taken.inputs);
    }
    taken_inputs_.clear();
}

void Shard::admit(Join join, engine::Tick now) {
    engine::Entity& entity = join.entity;
    recorder_.take_join(entity, join.takes_frames);
    if (entity.birth == engine::kNever) {
        entity.birth = now;
    }
    entity.shown = entity.position;
    entity.velocity = {};
    entity.moved_tick = engine::kNever;
    entity.state = engine::as_of(entity.state, now);
    if (facing_slot_) {
        const engine::StateWrite faces{*facing_slot_, std::int64_t{entity.facing}};
        entity.state = engine::with(entity.state, {&faces, 1}, now);
    }

    if (const auto ghost = interest_.entities().find(entity.id)) {
        // An earlier life of the id, owned elsewhere: its owner reports the departure this tick, or
        // has done so in a batch still to be read.
        MARCHLAND_ASSERT(!own_.contains(*ghost));
        interest_.erase(*ghost);
    }
    const engine::Slot slot = interest_.insert(std::move(entity));
    // Whoever learned of it before this shard came to the tick may have sent it some.
    const engine::Tick messages_through =
        join.not_before == engine::kNever ? now - 1 : std::min(now, join.not_before) - 1;
    MARCHLAND_ASSERT(join.port != nullptr);
    own_.add(slot, {std::move(join.port), messages_through, {}, join.takes_frames});
    messages_through_ = std::min(messages_through_, messages_through);
    if (join.takes_frames) {
        interest_.watch(slot, {});
    }
    mark_changed(slot);
    ask_port(slot, now);
}

void Shard::apply_inputs(engine::Slot slot, const Inputs& inputs) {
    send_messages(slot, inputs);
    if (inputs.leave) {
        remove(slot);
        return;
    }
    if (inputs.move) {
        if (inputs.move_arrived) {
            moves_arrived_.push_back(*inputs.move_arrived);
        }
        mark_changed(slot,
                     *inputs.move != interest_.entities().at(slot).position ? kPlace : kAnything);
        interest_.move(slot, *inputs.move);
    }
    if (inputs.view) {
        MARCHLAND_ASSERT(engine::leave_reach_mm(*inputs.view) <= zone_.options.leave_radius_mm_max);
        interest_.set_view(slot, *inputs.view);
    }
    if (inputs.facing) {
        turn(slot, *inputs.facing);
    }
    if (!inputs.state.empty()) {
        set_state(slot, inputs.state);
    }
    if (inputs.layers) {
        interest_.set_layers(slot, inputs.layers->layers, inputs.layers->layers_seen);
        mark_changed(slot, kVisibility);
    }
    if (inputs.keyframe && own_.at(slot).takes_frames) {
        interest_.ask_keyframe(slot);
    }
    if (inputs.notify) {
        MARCHLAND_ASSERT(inputs.notify->leave_radius_mm <=
                         zone_.options.notify_leave_radius_mm_max);
        interest_.set_notify(slot, *inputs.notify);
        mark_changed(slot, kVisibility);
    }
}

void Shard::turn(engine::Slot slot, engine::Angle facing) {
    interest_.set_facing(slot, facing);
    if (!facing_slot_) {
        return;
    }
    const engine::StateSlot& declared = zone_.options.slots[*facing_slot_];
    const engine::StateValue* const said =
        engine::value_of(interest_.entities().at(slot).state, *facing_slot_);
    if (engine::is_facing_off(said, facing, declared.facing_step_deg)) {
        const engine::StateWrite faces{*facing_slot_, std::int64_t{facing}};
        set_state(slot, {&faces, 1});
    }
}

void Shard::set_state(engine::Slot slot, std::span<const engine::StateWrite> writes) {
    if (interest_.set_state(slot, writes)) {
        mark_changed(slot, kState);
    }
}

/// Also of one that leaves: these are its last messages.
void Shard::send_messages(engine::Slot slot, const Inputs& inputs) {
    std::uint32_t number = 0;
    for (const engine::GameMessage& message : inputs.messages) {
        MARCHLAND_ASSERT(is_sound(message));
        new_messages_.push_back({interest_.now(), number++, message.kind, message.payload});
    }
    if (!new_messages_.empty()) {
        interest_.send_messages(slot, new_messages_);
        new_messages_.clear();
        mark_changed(slot, kMessages);
    }
}

void Shard::remove(engine::Slot slot) {
    const engine::Entity& entity = interest_.entities().at(slot);
    const engine::Life life{entity.id, entity.birth};
    departed_here_.push_back({life, interest_.now()});
    zone_.departure_count.fetch_add(1, std::memory_order_relaxed);
    // Of one that leaves in the tick in which it joined nobody was sent anything.
    if (entity.birth != interest_.now()) {
        departed_.push_back(life);
        interest_.record_departure(life);
        // One that has no region any more is sent departures only where it holds a ghost.
        own_.at(slot).ghosts.for_each([&](ShardId holder) {
            if (!epoch_->layout.contains(holder)) {
                outgoing_.to(holder).departed.push_back(life);
            }
        });
    }
    const auto port = own_.remove(slot).port;
    interest_.erase(slot);
    zone_.entity_count.fetch_sub(1, std::memory_order_relaxed);
    port->on_removed();  // last: from here on its id may join again, and there is room for it
}

/// A watcher that has taken no frame for so long would need departures that are forgotten by now.
/// Only ticks that its shard ran count: a server that stood still blames nobody.
void Shard::give_up_unframed() {
    for (const engine::Slot slot : own_.slots()) {
        if (own_.at(slot).unframed_ticks >= zone_.options.frame_gap_ticks_max) {
            given_up_.push_back(slot);
        }
    }
    for (const engine::Slot slot : given_up_) {
        recorder_.take_gone(interest_.entities().at(slot).id);
        remove(slot);
    }
    given_up_.clear();
}

/// Counted in ticks that were run, as the patience with a watcher is: their numbers may have gaps.
void Shard::forget_old_departures(engine::Tick now) {
    run_ticks_.push_back(now);
    if (run_ticks_.size() > zone_.options.frame_gap_ticks_max) {
        interest_.forget_before(run_ticks_.front());
        while (!departed_here_.empty() && departed_here_.front().tick < run_ticks_.front()) {
            departed_here_.pop_front();
            zone_.departure_count.fetch_sub(1, std::memory_order_relaxed);
        }
        run_ticks_.pop_front();
    }
}

}  // namespace marchland::shards
