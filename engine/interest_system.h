#pragma once

#include "engine/entity_store.h"
#include "engine/executor.h"
#include "engine/frame/crowd_limits.h"
#include "engine/frame/departures.h"
#include "engine/frame/frame.h"
#include "engine/frame/frame_builder.h"
#include "engine/frame/known_set.h"
#include "engine/frame/message_logs.h"
#include "engine/frame/world.h"
#include "engine/index/deferred_index.h"
#include "engine/index/index.h"
#include "engine/slot_map.h"
#include "engine/sweep/interest_cells.h"
#include "engine/sweep/notify_sources.h"
#include "engine/view.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace marchland::engine {

/// The AOI core, which a shard (or a whole program, without shards) owns. FrameBuilder decides who
/// sees whom; this keeps what that needs.
///
///   tick t:  begin_tick(t)                        one call; ticks only ever go up
///            insert, erase, move, set_view ...    any number, in any order
///            build_frames(watchers, sink)         each watcher at most once
///
/// All of a tick's changes come before its frames. A watcher that had its frame of tick t is sent
/// no move that is made later in t, for its next frame holds the moves after t.
///
/// A frame holds the difference between what its watcher was sent last and what it sees now; a
/// watcher that is left out of some ticks loses nothing, its next frame holds it all.
///
/// Visibility (docs/visibility.md has the whole contract): at the end of tick t watcher w sees
///   { e != w : layers(e) & layers_seen(w) != 0, and e is inside w's view or e's notification
///   range,
///     or w knew it at its last frame and e is inside either's leave range }
/// all bounds inclusive, in integers. Nothing at all for a w without a view.
///
/// Threads  One at a time; the owning shard is that one. Nothing here knows time, files or logs.
/// Order    Frames list ids in ascending order: the same inputs give the same frames, whatever the
///          index and whatever other entities (ghosts too far to see) are present.
/// Errors   A position outside the bounds, an unknown slot, an id inserted twice, a view or a
///          notification range that is not sound (flaw_of, is_sound): broken promises. A move to
///          outside the bounds asserts when the index is asked next: until then nobody looks at it.
class InterestSystem {
public:
    /// `limits` are sound, and hold for every watcher; `slots` are those that states may have.
    /// `prediction_error_mm`: how far from its place an entity may be shown at the end of a tick,
    /// up to kPredictionErrorMaxMm; with 0 every move is sent.
    InterestSystem(std::unique_ptr<Index> index, Dimensions dimensions,
                   const CrowdLimits& limits = {}, const StateSlots& slots = {},
                   std::int32_t prediction_error_mm = 0);

    /// No watcher is sent its own entity's state. Before anybody watches.
    void leave_out_own_states() {
        MARCHLAND_ASSERT(cells_.watcher_count() == 0);
        audiences_.leave_out_own();
    }

    void begin_tick(Tick now);
    /// From this tick on, update rings send moves every so many times as many ticks, 1 to
    /// kRingSlowdownMax: what an overloaded zone saves first. 1 is as they are set.
    void slow_rings(std::uint32_t times);
    /// From this tick on, frames with a budget have no more than this: what it saves next. 0: as
    /// set.
    void lower_budgets(std::uint32_t frame_bytes_max) { frame_bytes_max_ = frame_bytes_max; }

    // Entities. Own ones and ghosts are the same to an InterestSystem, but that somebody else
    // renews a ghost's trajectory.
    /// Keeps the trajectory that the entity brings. One that is to be renewed here, and is on its
    /// way or moved in this tick, is to be lead(), too.
    Slot insert(Entity entity);
    /// One that watches stops watching: take its set with unwatch before, if it is to travel.
    Entity erase(Slot slot);
    /// The last move of a tick wins.
    void move(Slot slot, Position to);
    /// Renews the trajectories of those that moved, or go on, wherever that is needed: once, when
    /// all of the tick's moves are known. Returns whose. Otherwise the first frames of the tick do
    /// it, or the next tick's begin.
    std::span<const Slot> renew_trajectories();
    /// Its trajectory is renewed here from now on, or elsewhere.
    void lead(Slot slot);
    void stop_leading(Slot slot);
    struct Renewal {
        Position shown;
        Step velocity;
    };
    /// As its owner, elsewhere, moved it and renewed its trajectory at the end of the tick `sent`,
    /// if it did. A move of an earlier tick than this one came late: other watchers may have had it
    /// before ours.
    void follow(Slot slot, Position to, const std::optional<Renewal>& renewal, Tick sent);
    void set_view(Slot slot, View view);
    void set_facing(Slot slot, Angle facing);
    void set_notify(Slot slot, NotifyRange notify);
    void set_layers(Slot slot, LayerMask layers, LayerMask layers_seen);

    /// Notes that an entity left the whole zone, so that frames can distinguish `gone` from out of
    /// range.
    void record_departure(const Life& life) { departures_.record(life, now_); }
    /// As another InterestSystem remembers it.
    void recall_departure(const RecordedDeparture& sent) {
        departures_.record(sent.life, sent.tick);
    }
    /// For an InterestSystem that is to know what this one knows.
    [[nodiscard]] std::vector<RecordedDeparture> departures() const {
        return departures_.remembered();
    }

    /// No watcher here has to be sent anything that happened before `tick`: who left before it, and
    /// messages of before it, are forgotten.
    void forget_before(Tick tick);
    /// What happened before `tick` may be unknown here, though nobody here forgot it.
    void note_forgotten_before(Tick tick) {
        sent_forgotten_before_ = std::max(sent_forgotten_before_, tick);
    }
    /// A watcher that comes here, and had its last frame before this tick, gets a keyframe next,
    /// which reports that messages were lost.
    [[nodiscard]] Tick forgotten_before() const {
        return std::max(forgotten_here_before_, sent_forgotten_before_);
    }

    // What entities send beside their positions; docs/visibility.md says to whom.
    /// Of slots that there are, in ascending number. False: they had these values already.
    bool set_state(Slot slot, std::span<const StateWrite> writes);
    /// Of an entity that is somebody else's business; what is known already does not count.
    void absorb_state(Slot slot, StatePtr state);
    /// To whoever sees it; at least one message, all of this tick, in ascending number. Numbers
    /// count the entity's messages of the tick, from 0.
    void send_messages(Slot slot, std::span<const KeptMessage> messages);
    /// Of an entity that is somebody else's business, here or gone.
    void absorb(const EntityMessages& messages);
    /// What another InterestSystem is to be sent of this entity, or of one that left; nothing: no
    /// messages.
    [[nodiscard]] std::optional<EntityMessages> messages_of(const Life& life) const;

    // Watchers: the entities whose frames are built here. A ghost's view is nobody's business.
    void watch(Slot slot, KnownSet known);
    KnownSet unwatch(Slot slot);
    [[nodiscard]] bool is_watched(Slot slot) const;
    /// The watcher's next frame is a keyframe. Who is seen does not change by that.
    void ask_keyframe(Slot slot);
    /// Whom the client of a watcher knows by the frames that were built for it, in ascending id.
    [[nodiscard]] std::vector<EntityId> known_to(Slot slot) const;

    /// What is kept of entities, and of who knows whom: the large lists.
    [[nodiscard]] std::size_t entity_bytes() const {
        return entities_.memory_bytes() + cells_.entity_bytes();
    }
    [[nodiscard]] std::size_t known_bytes() const { return cells_.known_bytes(); }

    /// Builds a frame for each of these watchers. `complete` is false while some shard's batch of
    /// this tick is missing: then what changed is sent again until a complete tick comes.
    void build_frames(std::span<const Slot> watchers, bool complete, const FrameSink& sink) {
        build_frames(watchers, complete, nullptr, {&sink, 1});
    }

    /// The same by many workers, each with its own sink: sinks[worker] gets what that worker
    /// builds, at the same time as others get theirs; or by the first alone where fewer pairs than
    /// `pairs_min` of a watcher and one that it may see are to be tested, or without an executor.
    /// False then. The frames do not depend on how many workers there are.
    bool build_frames(std::span<const Slot> watchers, bool complete, Executor* executor,
                      std::span<const FrameSink> sinks, std::size_t pairs_min = 0);

    /// Once in a tick: builds for every watcher the frame of what changed for it; empty ones are
    /// left out. Looks only where something happened since the last call; with limits, everywhere.
    void send_all(const FrameSink& sink);

    [[nodiscard]] const EntityStore& entities() const { return entities_; }
    [[nodiscard]] const Index& index() const { return index_.up_to_date(entities_); }
    [[nodiscard]] const NotifySources& notify_sources() const { return notify_sources_; }
    [[nodiscard]] Tick now() const { return now_; }
    [[nodiscard]] Dimensions dimensions() const { return dimensions_; }

private:
    /// Watchers of one cell whose frames one worker builds one after the other.
    struct Rows {
        InterestCell* cell;
        std::size_t first;
        std::size_t end;
    };

    /// What one worker of an Executor works with.
    struct Worker {
        explicit Worker(const CrowdLimits& limits) : builder(limits) {}

        FrameBuilder builder;
        std::vector<std::uint32_t> wanted_rows;
    };

    void place(Slot slot, Position to);
    void renew(Slot slot, Entity& entity, Position shown, Position to, Step velocity, bool is_late);
    void note_change(Slot slot);
    void note_state(Slot slot);
    void look_as(Slot slot, const Entity& entity);
    [[nodiscard]] World world();
    void want(Slot slot);
    void want_all();
    [[nodiscard]] bool is_wanted(const Watcher& watcher) const;
    void want_changed();
    [[nodiscard]] bool may_see(const Watcher& watcher, Slot slot) const;
    bool build_wanted(bool complete, Executor* executor, std::span<const FrameSink> sinks,
                      std::size_t pairs_min);
    void divide_rows(std::size_t work, std::size_t parts_wanted);
    [[nodiscard]] std::span<const Watcher> those_who_may_wait(const Rows& rows) const;
    void build_rows(const World& world, const Rows& rows, bool complete, Worker& worker,
                    const FrameSink& sink);
    void catch_up(Watcher& watcher) const;
    void weigh_what_it_missed(Watcher& watcher) const;

    /// Catching up changes nothing that can be asked.
    mutable DeferredIndex index_;
    const Dimensions dimensions_;
    const CrowdLimits limits_;
    const std::int32_t prediction_error_mm_;
    EntityStore entities_;
    InterestCells cells_;
    /// The entities with a notification range, in `entities_` as well.
    NotifySources notify_sources_;
    Departures departures_;
    MessageLogs message_logs_;
    Tick forgotten_here_before_ = kNever;
    Tick sent_forgotten_before_ = kNever;
    bool has_complete_tick_ = false;  ///< in some tick no shard's batch was missing
    Tick now_ = kNever;
    std::uint32_t ring_slowdown_ = 1;
    std::uint32_t frame_bytes_max_ = 0;
    std::vector<std::vector<SentMessages>> sent_messages_;  ///< by slot; KnownSet::sent_messages
    std::vector<Waiting> waiting_;  ///< by slot, with limits; KnownSet::waiting
    StateAudiences audiences_;
    SlotTicks state_ticks_;
    std::vector<std::vector<Owed>> owed_;  ///< by slot, where the zone has slots; KnownSet::owed
    std::vector<std::unique_ptr<Worker>> workers_;

    /// One whose trajectory may have to be renewed in this tick: it moved, or goes on.
    struct Led {
        Slot slot;
        Position began_at;  ///< where it was at the end of the tick before
    };
    std::vector<Led> led_;
    std::vector<std::uint32_t> led_place_;  ///< by slot: one more than its place in led_, or 0
    std::vector<Slot> renewed_;             ///< in this tick
    Tick renewed_tick_ = kNever;            ///< the last one in which this was done

    /// For send_all: what happened since, and up to when all watchers were sent all.
    SlotMap<std::monostate> changed_;
    Tick all_sent_tick_ = kNever;
    bool are_all_sent_ = false;  ///< nothing was built since

    // The work of a build.
    bool are_all_wanted_ = false;
    std::vector<InterestCell*> wanted_cells_;
    std::vector<LooseWatcher*> wanted_loose_;
    std::vector<Rows> rows_;              ///< of the wanted cells
    std::vector<std::size_t> part_ends_;  ///< places in rows_
};

}  // namespace marchland::engine
