#pragma once

#include "engine/entity.h"
#include "engine/frame/departures.h"
#include "engine/frame/game_messages.h"
#include "engine/frame/known_set.h"
#include "engine/frame/message_logs.h"
#include "engine/interest_system.h"
#include "engine/slot_map.h"
#include "shards/entity_port.h"
#include "shards/ids.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace marchland::shards {

/// What a shard keeps for an entity that it owns, beside the entity's own record.
struct OwnRecord {
    std::shared_ptr<EntityPort> port;
    /// It was given the zone's messages up to here, if there were any.
    engine::Tick messages_through = engine::kNever;
    ShardSet ghosts;  ///< the shards that hold a ghost of it
    bool takes_frames = true;
    /// False between a handoff under an older layout, which may have come to the wrong shard, and
    /// the next publish: what is around it may not be known here, so it gets no frame.
    bool is_settled = true;
    engine::Tick framed_tick = engine::kNever;  ///< of the last frame that was built for it
    /// In a row, in which it got no frame: it was not its turn, or its port could take none.
    std::uint32_t unframed_ticks = 0;
};

/// The entities that one shard owns, among the slots of its InterestSystem; the others there are
/// ghosts.
using OwnEntities = engine::SlotMap<OwnRecord>;

/// An entity changes its owner: everything the new one needs to go on in the same tick.
struct Handoff {
    engine::Entity entity;
    OwnRecord record;
    /// What its watcher knows; none for an entity that takes no frames.
    std::optional<engine::KnownSet> known;
};

struct GhostMove {
    engine::EntityId id{};
    engine::Position position;
    std::optional<engine::InterestSystem::Renewal> renewal;  ///< of its trajectory, in this tick
};

/// What decides, beside its place, who sees it.
struct GhostChange {
    engine::EntityId id{};
    engine::LayerMask layers = engine::kNoLayers;
    engine::NotifyRange notify;
};

struct GhostState {
    engine::EntityId id{};
    engine::StatePtr state;
};

/// For a shard that is new: who left before it came. Their last messages are in
/// BorderBatch::messages.
struct CatchUp {
    std::vector<engine::RecordedDeparture> departed;
    /// The sender may have forgotten what happened before.
    engine::Tick forgotten_before = engine::kNever;
};

/// All that one shard has to send another about one tick. Applied in the order of the members: so
/// an id that departs and is born again in one tick ends up alive.
struct BorderBatch {
    ShardId from{};
    engine::Tick tick = engine::kNever;
    std::uint64_t epoch = 0;  ///< of the layout that the sender ran this tick under

    CatchUp catch_up;                           ///< sent to shards that are new
    std::vector<engine::Life> departed;         ///< left the zone; sent to every shard
    std::vector<engine::EntityId> ghosts_went;  ///< moved out of the receiver's reach
    std::vector<engine::Entity> ghosts_came;
    std::vector<GhostMove> ghosts_moved;
    std::vector<GhostChange> ghosts_changed;
    std::vector<GhostState> ghosts_state;
    std::vector<Handoff> handoffs;
    /// Of those above that have any, of ghosts that the receiver holds and that have new ones, and
    /// of those that departed: their last messages are sent to every shard, as the departure is.
    std::vector<engine::EntityMessages> messages;

    /// Empties the lists and keeps their memory.
    void clear();
};

/// Whose batch of a tick is not there when its frames are built.
struct MissingBatches {
    /// Have not published the tick, or skipped it: where their entities would have gone in it
    /// nobody knows.
    ShardSet late;
    /// All shards have published up to here, the tick at most.
    engine::Tick through = engine::kNever;
    /// False where a shard may own entities that it does not know of yet, and so has not sent: in
    /// the tick or later, or in the last that it published before it.
    bool is_whole = true;
    /// Around all who had no owner in the tick, and where their trajectories had led them by then:
    /// handed over to a shard that published it before it read that. Nobody took their inputs.
    std::optional<engine::Rect> unowned = {};

    [[nodiscard]] bool is_none() const { return late.is_empty() && is_whole && !unowned; }
};

/// The seam between shards: publish this tick's batches, wait for everybody else's, absorb them.
/// The in-process transport is the only one. Before one over a message bus can take its place,
///  - batches must be bytes: a Handoff carries its port, and states and messages are shared
///    pointers, too;
///  - await() must wait for a duration: a time of steady_clock is one machine's;
///  - what goes past it by Zone must go by messages: joins, messages to clients, which layout is in
///    force in which tick, the clock of ticks.
///
/// Invariants
///  1. All batches of one publish call become visible together. So whatever a shard publishes after
///     it absorbed a batch arrives, everywhere, after that batch: what is sent about one entity
///     never overtakes what was sent before, though its owner changed in between.
///  2. A batch of tick t is never collected in a tick before t.
/// Threads  Any shard's thread.
class BorderTransport {
public:
    /// A batch and whom it is for.
    struct Outgoing {
        ShardId to{};
        BorderBatch batch;
    };

    BorderTransport() = default;
    BorderTransport(const BorderTransport&) = delete;
    BorderTransport& operator=(const BorderTransport&) = delete;
    virtual ~BorderTransport() = default;

    /// `shard` takes part from tick `first` on: it is waited for, and batches may be for it.
    virtual void admit(ShardId shard, engine::Tick first) = 0;

    /// `shard` takes part no more: it has published its last tick, and no other shard will have
    /// anything for it. False, and nothing happened, while there is a batch that it has not
    /// collected, or one of its own that somebody else has not: what it sent is known to all who
    /// stay.
    [[nodiscard]] virtual bool dismiss(ShardId shard) = 0;

    /// Step 3. Takes the batches (which may be none) and notes that `from` has published `tick`.
    /// `batches` comes back empty, with its memory. `is_whole`: false where `from` may own entities
    /// that it does not know of yet, and so has not sent.
    virtual void publish(ShardId from, engine::Tick tick, std::vector<Outgoing>& batches,
                         bool is_whole) = 0;

    /// The gate. Returns when every shard that takes part in `tick` and was in time last has
    /// published `tick`, at `deadline`, or when the transport is closed. A shard was in time if it
    /// published before the deadline of the newest tick that was waited for: one that is late is
    /// waited for once, and not again before it has caught up.
    virtual MissingBatches await(engine::Tick tick,
                                 std::chrono::steady_clock::time_point deadline) = 0;

    /// Step 4. Appends the batches for `self` of ticks up to `tick`, in order of arrival. Returns
    /// up to which tick, this one at most, all shards have published: there are no more batches of
    /// these.
    virtual engine::Tick collect(ShardId self, engine::Tick tick,
                                 std::vector<BorderBatch>& into) = 0;

    /// Gives an emptied batch back, so that its memory serves again.
    virtual void recycle(BorderBatch batch) = 0;

    /// An empty batch to fill, with memory from recycled ones where there are some.
    virtual BorderBatch fresh_batch() = 0;

    /// Ends every wait, now and later: the zone is stopping.
    virtual void close() = 0;
};

/// What one shard has to send the others this tick: a batch for each that is sent anything at all.
class OutgoingBatches {
public:
    OutgoingBatches(ShardId self, BorderTransport& transport);

    /// `epoch`: of the layout that the tick runs under.
    void begin_tick(engine::Tick tick, std::uint64_t epoch);
    /// The batch for `receiver`, begun when this is the first that it is sent.
    BorderBatch& to(ShardId receiver);
    /// Publishes what was gathered, which may be nothing.
    /// `is_whole`: see BorderTransport::publish.
    void publish(bool is_whole);

private:
    static constexpr std::size_t kNoBatch = static_cast<std::size_t>(-1);

    const ShardId self_;
    BorderTransport& transport_;
    engine::Tick tick_ = engine::kNever;
    std::uint64_t epoch_ = 0;
    /// By receiver: its place in batches_, or kNoBatch.
    std::array<std::size_t, kShardsMax> place_of_;
    std::vector<BorderTransport::Outgoing> batches_;
};

}  // namespace marchland::shards
