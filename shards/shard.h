#pragma once

#include "engine/executor.h"
#include "engine/interest_system.h"
#include "shards/border/border_transport.h"
#include "shards/entity_port.h"
#include "shards/ids.h"
#include "shards/layout/layout_schedule.h"
#include "shards/recording/recorder.h"
#include "shards/shard_metrics.h"
#include "shards/tick_clock.h"
#include "shards/zone_messages.h"
#include "shards/zone_options.h"
#include "shards/zone_query.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace marchland::shards {

class StateKeeper;

/// An entity that is to enter the zone.
struct Join {
    /// Inside the world, its view and its notification range within the zone's limits. The shard
    /// sets what is about time; but a birth that is set stays: a start puts back who was there
    /// before.
    engine::Entity entity;
    std::shared_ptr<EntityPort> port;  ///< not null
    /// False for an entity that nobody looks through, whatever its view.
    bool takes_frames = true;
    /// The zone sets it: a tick that no shard has begun. An earlier life of the id left in one
    /// before; so its lives are born one after the other, though the shard that it joins is behind.
    engine::Tick not_before = engine::kNever;
};

/// What the shards of one zone share. All of it outlives them.
struct ZoneContext {
    const ZoneOptions& options;
    BorderTransport& transport;
    FrameOutlet& outlet;
    std::atomic<std::size_t>& entity_count;     ///< lowered by whoever removes an entity
    std::atomic<std::size_t>& departure_count;  ///< of all shards' departed_here_
    engine::Executor* executor;                 ///< null: a shard builds its frames alone
    Recorder* recorder;                         ///< null: nobody records
    StateKeeper* keeper;                        ///< null: nothing survives a restart
    ZoneQueries& zone_queries;
    const ZoneMessages& messages;
    engine::Tick started_after;  ///< the last tick that was run before the zone was started
};

/// Proof that the caller runs on the one thread that a shard belongs to, during one tick. Only the
/// driver of a zone makes one; it cannot be copied, and lives for one tick.
class OnShard {
public:
    OnShard(const OnShard&) = delete;
    OnShard& operator=(const OnShard&) = delete;
    [[nodiscard]] engine::Tick tick() const { return tick_; }
    [[nodiscard]] Pace pace() const { return pace_; }
    /// When the tick was due, in microseconds since tick 0: the same for all shards.
    [[nodiscard]] std::uint64_t server_time_us() const { return server_time_us_; }

private:
    friend class ZoneThreads;
    friend class Lockstep;
    OnShard(engine::Tick tick, Pace pace, std::uint64_t server_time_us)
        : tick_(tick), pace_(pace), server_time_us_(server_time_us) {}
    engine::Tick tick_;
    Pace pace_;
    std::uint64_t server_time_us_;
};

/// One shard: the entities of one region, their index, and one tick after another. Which region is
/// its layout's business, and may be another in every tick.
///
///   before_gate:  1 ingest   2 apply   3 publish
///   ---- gate     (the driver waits here for all shards)
///   after_gate:   4 absorb   5 interest   6 emit
///
/// An entity that crosses in a tick is handed over in 3 and watches from its new shard in 5.
///
/// When the layout changed, step 3 looks at every own entity instead of those that changed: it is
/// handed over or kept, and its ghosts are sent anew. A shard that the layout has no region for
/// hands over all it owns, and is drained once nothing is left and nobody can have anything for it.
///
/// Invariants (between ticks, when no shard is late)
///  1. Every slot of `interest_` is own or a ghost; an entity is own in exactly one shard.
///  2. A ghost is here if and only if its owner's record of it names this shard in `ghosts`.
///  3. Own entities are within the region and its hysteresis, ghosts within the reach, or within
///     their own notification range of it; a shard without a region has neither.
///
/// Threads  Everything that takes an OnShard: the shard's one thread, which is checked. post_join,
///          has_joins, id, metrics: any. The others: the zone's driver, between ticks.
/// Life     Made and destroyed by its Zone.
class Shard {
public:
    /// `metrics` outlive it.
    Shard(ShardId id, const ZoneContext& zone, ShardMetrics& metrics);
    ~Shard();

    /// It joins in the first tick that is join.not_before or later. Joins are posted in ascending
    /// not_before.
    void post_join(Join join);

    /// Joins are waiting for the next tick.
    [[nodiscard]] bool has_joins();

    /// No shard of the zone runs a tick between `last`, which this one ran, and `next`.
    void note_gap(engine::Tick last, engine::Tick next);
    /// `epoch`: that of this tick, the same for all shards.
    void before_gate(const OnShard& here, const EpochPtr& epoch);
    /// `missing`: which shards' batches of this tick were not there when the gate opened, or not
    /// whole.
    void after_gate(const OnShard& here, const MissingBatches& missing);

    [[nodiscard]] ShardMetrics& metrics() { return metrics_; }
    [[nodiscard]] ShardId id() const { return id_; }

    /// After a tick: it has no region, owns nothing, holds no ghost, and every other shard has been
    /// sent that. What has not been collected, and joins, are the zone's to ask for.
    [[nodiscard]] bool is_drained() const { return is_drained_; }

    /// For tests and reports: the entities that this shard owns, in ascending id.
    [[nodiscard]] std::vector<engine::EntityId> owned_ids() const;

private:
    struct TakenInputs {
        engine::Slot slot;
        Inputs inputs;
        bool has_successor = false;  ///< another port has taken the place of the one before
    };

    /// The metrics that frames add to, in the order of Built::sums.
    static constexpr std::array kSums{
        &ShardMetrics::frames_total,         &ShardMetrics::frames_capped_total,
        &ShardMetrics::frames_slowed_total,  &ShardMetrics::frames_over_budget_total,
        &ShardMetrics::frames_filling_total, &ShardMetrics::frame_bytes_total};

    /// What one worker of the executor, or the shard alone, built in a tick.
    struct Built {
        std::vector<std::vector<std::shared_ptr<EntityPort>>> io_threads;
        UpdateStaleness moves;
        std::uint64_t check = 0;  ///< sum of frame_check, while somebody records
        /// Frames that are to be sent; of all that were built, those that were limited so, and
        /// their bytes by engine::FrameCost, where there is a budget.
        std::array<std::uint64_t, kSums.size()> sums{};
    };

    void check_thread();
    void end_phase(Phase phase);
    void take_layout(const EpochPtr& epoch, engine::Tick now);
    void look_for_newcomers();
    [[nodiscard]] bool knows_what_was_before() const;
    [[nodiscard]] bool has_skipped_first_tick(engine::Tick now) const;
    void remember_catch_up(bool is_all);

    // 1 ingest, 2 apply
    void take_joins(engine::Tick now);
    void apply(engine::Tick now);
    void ask_port(engine::Slot slot, engine::Tick now);
    [[nodiscard]] bool follow_successor(engine::Slot slot, Inputs& inputs, engine::Tick now);
    void admit(Join join, engine::Tick now);
    void apply_all_inputs(bool are_newcomers);
    void apply_inputs(engine::Slot slot, const Inputs& inputs);
    void turn(engine::Slot slot, engine::Angle facing);
    void set_state(engine::Slot slot, std::span<const engine::StateWrite> writes);
    void send_messages(engine::Slot slot, const Inputs& inputs);
    void remove(engine::Slot slot);
    void give_up_unframed();
    void forget_old_departures(engine::Tick now);

    // 3 publish
    void publish(engine::Tick now);
    /// What of an own entity its ghosts are to be sent.
    enum Change : std::uint8_t {
        kAnything = 1,  ///< so whether it has the ghosts that it is to have is looked at
        kPlace = 2,
        kVisibility = 4,  ///< layers or notification range
        kState = 8,
        kMessages = 16,  ///< messages were sent to who sees it
    };
    void mark_changed(engine::Slot slot, Change what = kAnything);
    void publish_departures();
    void send_newcomers();
    void publish_entity(engine::Slot slot, engine::Tick now);
    void send_ghost_holders(engine::Slot slot, const ShardSet& old_ghosts,
                            const ShardSet& new_ghosts, engine::Tick now);
    void publish_messages(engine::Slot slot, ShardId receiver);
    void hand_over(engine::Slot slot, ShardId new_owner, bool stays_as_ghost);

    // 4 absorb
    void absorb(engine::Tick now);
    void absorb_batch(BorderBatch& batch, engine::Tick now);
    void absorb_departure(const engine::RecordedDeparture& recorded);
    void absorb_ghost(engine::Entity ghost);
    [[nodiscard]] std::optional<engine::Slot> find_ghost(engine::EntityId id, engine::Tick sent,
                                                         engine::Tick now) const;
    void absorb_handoff(Handoff handoff, bool is_settled);

    void answer(ZoneQuery& zone_query, engine::Tick now);
    [[nodiscard]] EntityReport report_of(engine::Slot slot);

    // 5 interest, 6 emit
    void note_missing(const MissingBatches& missing);
    [[nodiscard]] bool is_stale(const engine::Frame& frame) const;
    void give_messages(engine::Tick now);
    [[nodiscard]] bool has_turn(engine::Slot slot, const OwnRecord& record) const;
    void build_frames();
    void take_frame(const engine::Frame& frame, Built& built);
    void count_moves(const engine::Frame& frame, UpdateStaleness& moves) const;
    void show_moves(const UpdateStaleness& moves);
    void emit();
    void post_players();

    // Constant after construction.
    const ShardId id_;
    const ZoneContext zone_;
    const std::optional<std::uint8_t> facing_slot_;

    // Written by any thread.
    std::mutex inbox_mutex_;   ///< guards inbox_, while a pointer is pushed or the list is swapped
    std::vector<Join> inbox_;  ///< bounded by entities_max: see Zone::join

    // Owned by the shard's thread.
    EpochPtr epoch_;  ///< of its newest tick; null before the first
    bool is_drained_ = false;
    bool is_layout_new_ = false;
    /// Up to here it has absorbed all that anybody published.
    engine::Tick known_through_ = zone_.started_after;
    /// See note_gap; the newest.
    engine::Tick gap_last_ = engine::kNever;
    engine::Tick gap_next_ = engine::kNever;
    /// All shards that came with this epoch or before have been sent what they missed.
    std::uint64_t newcomers_informed_ = 0;
    /// Those that are sent it in this tick.
    std::vector<ShardId> newcomers_;
    /// What they are sent, from before their time.
    CatchUp catch_up_;
    std::vector<engine::EntityMessages> catch_up_messages_;
    /// Entities that left the zone from here, also those that were sent to nobody; at most
    /// frame_gap_ticks_max ticks of them.
    std::deque<engine::RecordedDeparture> departed_here_;
    std::optional<std::thread::id> thread_;
    engine::InterestSystem interest_;
    OwnEntities own_;
    OutgoingBatches outgoing_;
    ShardRecorder recorder_;
    std::vector<engine::Life> departed_;             ///< own entities that left the zone this tick
    std::vector<engine::KeptMessage> new_messages_;  ///< of one of them; scratch memory
    /// Up to here all own entities' ports were given the zone's messages.
    engine::Tick messages_through_ = std::numeric_limits<engine::Tick>::max();
    std::vector<ZoneMessages::Kept> messages_;  ///< scratch memory
    std::deque<engine::Tick> run_ticks_;        ///< the last ones, at most frame_gap_ticks_max
    std::vector<engine::Slot> changed_;         ///< own slots to publish; each at most once
    std::vector<std::uint8_t> changes_;         ///< by slot: bits of Change; 0: not in changed_

    Newest<Crossing, ShardAnswer::kRecentMax> crossings_;
    Newest<std::uint32_t, ShardAnswer::kRecentMax> ticks_us_;

    std::chrono::steady_clock::time_point phase_began_;
    FrameFlags flags_;  ///< of this tick's frames; border_stale: of those that is_stale() names
    std::vector<engine::Rect>
        late_ground_;                  ///< where entities are whose batch of this tick is missing
    bool is_late_everywhere_ = false;  ///< they may be anywhere
    std::uint32_t turn_ticks_ = 1;     ///< Pace::turn_ticks of this tick

    // Scratch memory, kept so that a tick in the steady state allocates nothing.
    std::vector<Join> joins_;
    std::vector<TakenInputs> taken_inputs_;
    std::vector<std::chrono::steady_clock::time_point> moves_arrived_;  ///< that this tick took
    Inputs inputs_;                                                     ///< empty between two ports
    std::vector<engine::Slot> given_up_;
    std::vector<BorderBatch> arrived_;
    std::vector<engine::Slot> watchers_;
    std::vector<Built> built_;              ///< by worker; at least one
    std::vector<engine::FrameSink> sinks_;  ///< by worker: into built_

    ShardMetrics& metrics_;
};

}  // namespace marchland::shards
