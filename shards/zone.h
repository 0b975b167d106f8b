#pragma once

#include "shards/border/border_transport.h"
#include "shards/layout/layout.h"
#include "shards/layout/layout_schedule.h"
#include "shards/shard.h"
#include "shards/shard_metrics.h"
#include "shards/shared_executor.h"
#include "shards/zone_messages.h"
#include "shards/zone_options.h"
#include "shards/zone_query.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace marchland::shards {

class StateKeeper;

/// Layouts at once: the one in force, those that wait for their tick, and those that a shard which
/// is late has yet to run ticks under.
inline constexpr std::size_t kLayoutsMax = 64;

/// Where a zone goes on, and who keeps what is to survive it.
struct ZoneStart {
    engine::Tick tick = engine::kNever;  ///< the last one that was run before
    std::uint64_t server_time_us = 0;    ///< when that was due
    std::uint64_t next_id = 1;           ///< no entity had this id or a greater one
    StateKeeper* keeper = nullptr;       ///< null: nothing survives. It outlives the zone
};

/// One map: its layout, its shards and what connects them. A Zone has no clock and no threads of
/// its own: ZoneThreads runs it in real time, Lockstep by hand.
///
/// Changing the layout. change_layout() makes the shards that are missing, and returns in which
/// tick the layout takes effect: one that no shard has begun. In that tick each shard looks at all
/// that it owns, hands over what is no longer its own, and sends ghosts anew. A shard without a
/// region goes on ticking until it is empty and nobody has anything for it; then retire() takes it
/// away.
///
/// Threads  A mutex guards the schedule and the list of shards, not what is in the shards: a shard
///          takes it once a tick to learn its layout, whoever joins to find a shard that still is
///          one.
class Zone {
public:
    /// Makes what connects the shards, none of which takes part yet; for a LocalTransport that does
    /// something with what passes it.
    using MakeTransport =
        std::function<std::unique_ptr<BorderTransport>(std::size_t ticks_behind_max)>;
    /// The options and the layout have been validated, and share one world. The outlet outlives it,
    /// and so does the recorder, which has been started, or is null. `make_transport`: null makes a
    /// LocalTransport.
    Zone(const ZoneOptions& options, Layout layout, FrameOutlet& outlet,
         Recorder* recorder = nullptr, const ZoneStart& start = {},
         const MakeTransport& make_transport = nullptr);

    /// Before ticks run on threads. Throws where the system has no more threads.
    void start_executor() {
        if (executor_ != nullptr) {
            executor_->start();
        }
    }

    /// A new id, never given before in this zone. Any thread.
    engine::EntityId new_id();

    /// Any thread. False when there is no room, or while the state cannot be written and no id is
    /// left that it has reserved: nothing happened then. An id may join again once its port's
    /// on_removed() was called.
    [[nodiscard]] bool join(Join join);
    /// Any thread. For clients that are in the zone at the end of the next tick that begins.
    void say(ZoneMessage message);
    /// Who keeps what survives a restart; null: nobody.
    [[nodiscard]] StateKeeper* keeper() const { return start_.keeper; }
    /// Null where nothing is recorded.
    [[nodiscard]] const Recorder* recorder() const { return recorder_; }
    [[nodiscard]] const ZoneStart& start() const { return start_; }

    /// False: overloaded beyond what helps, nobody but services should join. Any thread.
    [[nodiscard]] bool is_open() const { return is_open_.load(std::memory_order_relaxed); }
    [[nodiscard]] const ZoneOptions& options() const { return options_; }
    /// Entities in the zone, those still on their way in included. Any thread.
    [[nodiscard]] std::size_t entity_count() const {
        return entity_count_.load(std::memory_order_relaxed);
    }
    /// Entities that left and are remembered. Any thread.
    [[nodiscard]] std::size_t departure_count() const {
        return departure_count_.load(std::memory_order_relaxed);
    }
    /// Fewer than entities_max and departures_max; for an entity of services, than half of the
    /// latter: those that come and go in crowds keep no player out, unless more than that are
    /// inside when they go. Any thread.
    [[nodiscard]] bool has_room(bool is_player = true) const;
    /// The newest tick that some shard has begun. Any thread.
    [[nodiscard]] engine::Tick tick() const { return tick_.load(std::memory_order_acquire); }
    /// When the newest tick that was begun was due, in microseconds since tick 0. Any thread.
    [[nodiscard]] std::uint64_t server_time_us() const {
        return server_time_us_.load(std::memory_order_relaxed);
    }

    /// The newest layout, which may take effect in a tick still to come. Any thread.
    [[nodiscard]] Layout layout() const;
    /// Layouts that were put in force after the first one. Any thread.
    [[nodiscard]] std::uint64_t layout_changes_total() const;

    /// The shards that run, those included that only have entities to hand over, in ascending
    /// order. Any thread.
    [[nodiscard]] std::vector<ShardId> running_shards() const;
    /// How many: those that are to begin with a layout to come included. Costs a load. Any thread.
    [[nodiscard]] std::size_t shard_count() const {
        return shard_count_.load(std::memory_order_relaxed);
    }
    /// One that runs. It stays until a driver retires it.
    [[nodiscard]] Shard& shard(ShardId id);
    /// Its name in the newest layout; "retired 3" for one that has no region there. Any thread.
    [[nodiscard]] std::string name_of(ShardId id) const;
    /// Of this shard, or of those that had its id before: counts go on where those left off. Any
    /// thread.
    [[nodiscard]] ShardMetrics& metrics(ShardId id) { return metrics_[to_number(id)]; }
    /// Summed over all shards that ever ran. Any thread.
    [[nodiscard]] std::uint64_t total(std::atomic<std::uint64_t> ShardMetrics::*count) const;
    /// Likewise, of all moves that clients were sent.
    [[nodiscard]] UpdateStaleness moves_sent() const;
    /// How often an overloaded zone began to save at this, or saved more. Any thread.
    [[nodiscard]] std::uint64_t sheds_total(Shed kind) const {
        return sheds_total_.at(static_cast<std::size_t>(kind)).load(std::memory_order_relaxed);
    }
    [[nodiscard]] BorderTransport& transport() { return *transport_; }

    /// What all shards report in a tick after this one, while a driver runs the zone: zone_query.h.
    /// Nothing when a shard did not answer in time. Any thread but a shard's, one at a time.
    [[nodiscard]] std::optional<std::vector<ShardAnswer>> zone_query(
        const ZoneQuestion& question, std::chrono::milliseconds wait_max);
    /// The same for whoever looks again and again, and never waits. One thread.
    void ask_for_map(const ZoneQuestion& question);
    [[nodiscard]] std::optional<std::vector<ShardAnswer>> take_for_map() {
        return zone_queries_.map.take();
    }
    /// Likewise, for whoever asks about some entities. One thread.
    void ask_about(std::vector<engine::EntityId> entities);
    [[nodiscard]] std::optional<std::vector<ShardAnswer>> take_about() {
        return zone_queries_.entities.take();
    }

    // For drivers.
    void set_open(bool is_open) { is_open_.store(is_open, std::memory_order_relaxed); }

    void count_shed(Shed kind) {
        sheds_total_.at(static_cast<std::size_t>(kind)).fetch_add(1, std::memory_order_relaxed);
    }

    /// False: a layout more than kLayoutsMax. Some shard is far behind, or somebody asks too often.
    /// Stays true for whoever alone changes layouts.
    [[nodiscard]] bool has_room_for_layout() const;
    /// Shards that a layout needs and the zone lacks, in ascending order.
    using Newcomers = std::vector<std::unique_ptr<Shard>>;
    /// Puts a layout in force that tiles this zone's world, and that there is room for: in the tick
    /// that is returned, `notice` ticks (1 or more) after the newest that has begun, or later.
    /// Newcomers run from that tick on. `launch` is shown them before anything else has happened:
    /// where it throws, nothing has changed, and they are gone. One call at a time.
    engine::Tick change_layout(Layout layout, engine::Tick notice,
                               const std::function<void(const Newcomers&)>& launch);
    /// The shard begins this tick, under the layout that is returned.
    [[nodiscard]] EpochPtr begin_tick(ShardId id, engine::Tick tick);
    /// A tick that was due then begins. Any thread.
    void note_server_time(std::uint64_t us);
    /// Takes a drained shard away, between two of its ticks. False when it is to run on: somebody
    /// may still have something for it, or a layout to come needs it.
    [[nodiscard]] bool retire(ShardId id);

private:
    [[nodiscard]] std::unique_ptr<Shard> make_shard(ShardId id);
    [[nodiscard]] EpochPtr make_epoch(const LayoutEpoch* before, engine::Tick from,
                                      Layout layout) const;
    /// To whoever records the zone.
    void record(const ZoneRecord& record);
    void add(std::unique_ptr<Shard> shard, engine::Tick first);
    [[nodiscard]] bool take_away(ShardId id);
    [[nodiscard]] ZoneQuery::Roll call_roll() const;

    const ZoneOptions options_;
    FrameOutlet& outlet_;
    Recorder* const recorder_;
    const ZoneStart start_;
    const std::unique_ptr<BorderTransport> transport_;
    const std::unique_ptr<SharedExecutor> executor_;  ///< null: one thread is no executor
    ZoneQueries zone_queries_;
    ZoneMessages messages_;
    std::atomic<std::uint64_t> next_id_;
    std::atomic<std::size_t> entity_count_{0};
    std::atomic<std::size_t> departure_count_{0};
    std::atomic<std::size_t> shard_count_{0};
    std::atomic<std::uint64_t> server_time_us_;
    std::atomic<engine::Tick> tick_;  ///< schedule_.newest_begun(), for who asks at each message
    std::atomic<bool> is_open_{true};
    std::array<std::atomic<std::uint64_t>, kShedNames.size()> sheds_total_{};
    std::array<ShardMetrics, kShardsMax> metrics_;

    mutable std::mutex mutex_;
    // Guarded by mutex_.
    LayoutSchedule schedule_;
    std::array<std::unique_ptr<Shard>, kShardsMax> shards_;  ///< by id; null: none runs
    bool is_preparing_ = false;  ///< a change counts on the shards that run: none is retired
};

}  // namespace marchland::shards
