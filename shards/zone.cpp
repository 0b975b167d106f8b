#include "shards/zone.h"

#include "engine/assert.h"
#include "shards/border/local_transport.h"
#include "shards/state/keeper.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace marchland::shards {

namespace {

/// More than a shard may stand still for: its batches wait until the zone stops, and no longer.
std::size_t ticks_behind_max(const ZoneOptions& options) {
    return std::size_t{options.shard_stall_ms_max} * options.tick_rate_hz / 500 + 4;
}

}  // namespace

Zone::Zone(const ZoneOptions& options, Layout layout, FrameOutlet& outlet, Recorder* recorder,
           const ZoneStart& start, const MakeTransport& make_transport)
    : options_(options),
      outlet_(outlet),
      recorder_(recorder),
      start_(start),
      transport_(make_transport ? make_transport(ticks_behind_max(options_))
                                : std::make_unique<LocalTransport>(0, ticks_behind_max(options_))),
      executor_(options_.executor_threads == 1
                    ? nullptr
                    : std::make_unique<SharedExecutor>(options_.executor_threads)),
      next_id_(start.next_id),
      server_time_us_(start.server_time_us),
      tick_(start.tick),
      schedule_(make_epoch(nullptr, engine::kNever, std::move(layout)), start.tick) {
    const Layout& first = schedule_.newest()->layout;
    MARCHLAND_ASSERT(first.world() == options_.world);
    record(LayoutFrom{engine::kNever, first});
    for (const ShardId id : first.shards()) {
        add(make_shard(id), start_.tick + 1);
    }
}

std::optional<std::vector<ShardAnswer>> Zone::zone_query(const ZoneQuestion& question,
                                                         std::chrono::milliseconds wait_max) {
    zone_queries_.once.ask(question, [this] { return call_roll(); });
    return zone_queries_.once.wait(wait_max);
}

void Zone::ask_for_map(const ZoneQuestion& question) {
    zone_queries_.map.ask(question, [this] { return call_roll(); });
}

void Zone::ask_about(std::vector<engine::EntityId> entities) {
    zone_queries_.entities.ask({ZoneQuestion::kNobody, false, std::move(entities)},
                               [this] { return call_roll(); });
}

/// Some shards have begun the newest tick, and may have passed the place where they count.
ZoneQuery::Roll Zone::call_roll() const {
    const std::lock_guard lock(mutex_);
    const engine::Tick from = schedule_.newest_begun() + 1;
    return {from, schedule_.running_in(from)};
}

std::unique_ptr<Shard> Zone::make_shard(ShardId id) {
    const ZoneContext context{options_,         *transport_,     outlet_,    entity_count_,
                              departure_count_, executor_.get(), recorder_,  start_.keeper,
                              zone_queries_,    messages_,       start_.tick};
    return std::make_unique<Shard>(id, context, metrics_[to_number(id)]);
}

EpochPtr Zone::make_epoch(const LayoutEpoch* before, engine::Tick from, Layout layout) const {
    return std::make_shared<const LayoutEpoch>(before, from, std::move(layout),
                                               options_.leave_radius_mm_max,
                                               options_.border_hysteresis_mm);
}

void Zone::record(const ZoneRecord& record) {
    if (recorder_ != nullptr) {
        recorder_->add(record);
    }
    if (start_.keeper != nullptr) {
        start_.keeper->add(record);
    }
}

void Zone::add(std::unique_ptr<Shard> shard, engine::Tick first) {
    const ShardId id = shard->id();
    MARCHLAND_ASSERT(shards_[to_number(id)] == nullptr);
    schedule_.start(id, first);
    transport_->admit(id, first);
    record(ShardCame{id, first});
    shards_[to_number(id)] = std::move(shard);
    shard_count_.fetch_add(1, std::memory_order_relaxed);
}

engine::EntityId Zone::new_id() {
    return static_cast<engine::EntityId>(next_id_.fetch_add(1, std::memory_order_relaxed));
}

bool Zone::join(Join join) {
    const std::lock_guard lock(mutex_);
    if (!has_room(join.port->is_player()) ||
        (start_.keeper != nullptr && !start_.keeper->may_use(join.entity.id))) {
        return false;
    }
    // Any shard that runs will do: it hands over whom it does not own, in the tick of the join.
    join.not_before = schedule_.newest_begun() + 1;
    const ShardId owner = schedule_.upcoming()->layout.owner_of(join.entity.position);
    shards_[to_number(owner)]->post_join(std::move(join));
    // Last: whoever counts it finds it in the next tick to begin. It can't have left: that tick
    // begins under this lock.
    entity_count_.fetch_add(1, std::memory_order_relaxed);
    return true;
}

void Zone::say(ZoneMessage message) {
    const std::lock_guard lock(mutex_);  // until it is in: no shard begins its tick before
    messages_.add(schedule_.newest_begun() + 1, std::move(message));
}

bool Zone::has_room(bool is_player) const {
    const std::size_t departures_max = options_.departures_max / (is_player ? 1 : 2);
    return entity_count() < options_.entities_max && departure_count() < departures_max;
}

Layout Zone::layout() const {
    const std::lock_guard lock(mutex_);
    return schedule_.newest()->layout;
}

std::uint64_t Zone::layout_changes_total() const {
    const std::lock_guard lock(mutex_);
    return schedule_.newest()->number;
}

std::vector<ShardId> Zone::running_shards() const {
    const std::lock_guard lock(mutex_);
    return schedule_.running_in(schedule_.newest_begun() + 1);
}

Shard& Zone::shard(ShardId id) {
    const std::lock_guard lock(mutex_);
    MARCHLAND_ASSERT(to_number(id) < shards_.size() && shards_[to_number(id)] != nullptr);
    return *shards_[to_number(id)];
}

std::string Zone::name_of(ShardId id) const {
    const std::lock_guard lock(mutex_);
    const Layout& layout = schedule_.newest()->layout;
    return layout.contains(id) ? layout.region(id).name
                               : "retired " + std::to_string(to_number(id));
}

std::uint64_t Zone::total(std::atomic<std::uint64_t> ShardMetrics::*count) const {
    std::uint64_t sum = 0;
    for (const ShardMetrics& metrics : metrics_) {
        sum += (metrics.*count).load(std::memory_order_relaxed);
    }
    return sum;
}

UpdateStaleness Zone::moves_sent() const {
    UpdateStaleness moves;
    for (const ShardMetrics& metrics : metrics_) {
        for (std::size_t ticks = 0; ticks < metrics.moves_sent_total.size(); ++ticks) {
            moves.add(ticks, metrics.moves_sent_total[ticks].load(std::memory_order_relaxed));
        }
    }
    return moves;
}

bool Zone::has_room_for_layout() const {
    const std::lock_guard lock(mutex_);
    return schedule_.size() < kLayoutsMax;
}

engine::Tick Zone::change_layout(Layout layout, engine::Tick notice,
                                 const std::function<void(const Newcomers&)>& launch) {
    MARCHLAND_ASSERT(layout.world() == options_.world);
    std::unique_lock lock(mutex_);
    MARCHLAND_ASSERT(!is_preparing_ && schedule_.size() < kLayoutsMax);
    Layout next = layout.following(schedule_.newest()->layout);
    std::vector<ShardId> missing;
    std::ranges::copy_if(next.shards(), std::back_inserter(missing),
                         [this](ShardId id) { return shards_[to_number(id)] == nullptr; });
    is_preparing_ = true;
    // An index is large: no shard waits at the mutex while it is made.
    lock.unlock();
    Newcomers newcomers;
    try {
        for (const ShardId id : missing) {
            newcomers.push_back(make_shard(id));
        }
        launch(newcomers);
    } catch (...) {
        lock.lock();
        is_preparing_ = false;
        throw;
    }
    lock.lock();
    is_preparing_ = false;  // nobody else prepares before the mutex is free
    const engine::Tick from = schedule_.next_start(notice);
    for (std::unique_ptr<Shard>& newcomer : newcomers) {
        add(std::move(newcomer), from);
    }
    record(LayoutFrom{from, next});
    schedule_.add(make_epoch(schedule_.newest().get(), from, std::move(next)));
    return from;
}

EpochPtr Zone::begin_tick(ShardId id, engine::Tick tick) {
    const std::lock_guard lock(mutex_);
    EpochPtr epoch = schedule_.begin(id, tick);
    tick_.store(schedule_.newest_begun(), std::memory_order_release);
    return epoch;
}

bool Zone::retire(ShardId id) {
    if (!take_away(id)) {
        return false;
    }
    // What it owned is counted elsewhere. After the mutex: whoever asks takes the two the other way
    // round.
    for (ZoneQuery* const zone_query : zone_queries_.all()) {
        zone_query->put_down({id});
    }
    return true;
}

bool Zone::take_away(ShardId id) {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<Shard>& shard = shards_[to_number(id)];
    MARCHLAND_ASSERT(shard != nullptr && shard->is_drained());
    // Joins come under the same mutex, so none slips in behind the question.
    // And what it knows of who left is sent to the shards of a layout that has begun elsewhere.
    if (is_preparing_ || schedule_.is_needed(id) || !schedule_.has_begun_newest(id) ||
        shard->has_joins() || !transport_->dismiss(id)) {
        return false;
    }
    schedule_.end(id);
    shard.reset();
    shard_count_.fetch_sub(1, std::memory_order_relaxed);
    metrics_[to_number(id)].reset_gauges();
    record(ShardWent{id});
    return true;
}

void Zone::note_server_time(std::uint64_t us) {
    std::uint64_t known = server_time_us_.load(std::memory_order_relaxed);
    while (known < us &&
           !server_time_us_.compare_exchange_weak(known, us, std::memory_order_relaxed)) {
    }
}

}  // namespace marchland::shards
