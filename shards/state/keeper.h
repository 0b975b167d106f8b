#pragma once

#include "engine/ids.h"
#include "shards/ids.h"
#include "shards/layout/layout.h"
#include "shards/recording/tick_merge.h"
#include "shards/state/fold.h"
#include "shards/state/store.h"
#include "shards/state/writer.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

namespace marchland::shards {

/// What a zone keeps for its next start: docs/state.md.
struct StateOptions {
    bool is_on = false;
    std::string directory = "state";
    /// How often what has changed is written; more is lost at a crash, and less is written.
    std::uint32_t checkpoint_ms = 1'000;
    /// How long who was there may take to come back after a start.
    std::uint32_t restart_grace_ms = 60'000;

    friend bool operator==(const StateOptions&, const StateOptions&) = default;
};

struct KeeperOptions {
    std::chrono::milliseconds checkpoint{1'000};
    /// What comes or goes is written so soon, together with all that did.
    std::chrono::milliseconds arrivals{50};
    /// Ticks in which nobody comes or goes are folded together, those of so long at most.
    std::chrono::milliseconds ticks_together{1'000};
    /// After a write that failed.
    std::chrono::milliseconds retry{1'000};
    /// What may wait for a shard that stands still, or for the thread that folds. Beyond it nothing
    /// is kept any more, and the game goes on, whatever ids were reserved.
    std::size_t waiting_bytes_max = std::size_t{256} << 20U;
    /// How long a zone that stops waits for its disk.
    std::chrono::milliseconds last_write_max{10'000};
};

/// Keeps in a store what survives of a zone, while that runs:
///
///   shards ── ShardTick ──┐                    ┌─ changes ─► StoreWriter: another thread ─► store
///   zone   ── layouts ────┼─► a thread: Fold ──┘  once a checkpoint, arrivals sooner
///   server ── sessions ───┘
///
/// The tick never waits for the disk, and nor does the fold: while a write takes its time, rows
/// that change more than once still count once. So what waits is bounded by the zone, however long
/// the disk hangs.
///
/// Ids are reserved ahead: one that was not reserved by a write that was done is not to be used
/// (see may_use).
///
/// Life     Made before its Zone, and outlives it; finish() once nobody moves any more.
/// Threads  The owner's: the constructor, finish. The rest: any.
class StateKeeper {
public:
    /// `before`: what the store holds. It has been written to, so it can be.
    StateKeeper(std::unique_ptr<StateStore> store, KeptZone before, KeeperOptions options = {});
    StateKeeper(const StateKeeper&) = delete;
    StateKeeper& operator=(const StateKeeper&) = delete;
    ~StateKeeper();

    enum class End : std::uint8_t {
        in_order,
        /// Of its last tick that shard ran a part that nobody knows of, and clients may still come
        /// in.
        while_a_shard_hangs
    };
    /// Writes all that any shard has run. False when that cannot be done, and why is in the log.
    bool finish(End end = End::in_order);
    /// False after finish(), and when too much waited: nothing need be handed over.
    [[nodiscard]] bool is_keeping() const { return is_keeping_.load(std::memory_order_relaxed); }
    /// Will no later start give this id to somebody else? Every id is asked for before it is used;
    /// whatever becomes of it, the next write reserves beyond it.
    [[nodiscard]] bool may_use(engine::EntityId id);

    // The zone's and the shards'.
    void add(ZoneRecord record);
    // The server's: as in Fold.
    void own(engine::EntityId entity, Owner owner);
    void disown(engine::EntityId entity);
    void open(KeptSession session);
    void renew(KeptSession session);
    void close(SessionKey session);
    void set_bans(std::vector<KeptBan> bans);

    [[nodiscard]] StoreWriter::Status status() const { return writer_.status(); }
    /// Of the table's rows, and of what waits to be folded.
    [[nodiscard]] std::size_t memory_bytes() const;
    /// False once something was lost: it is not kept, or was not written in time.
    [[nodiscard]] bool is_whole() const { return !has_failed_.load(); }
    /// For backups of the store.
    [[nodiscard]] StoreWriter& writer() { return writer_; }

private:
    using Clock = std::chrono::steady_clock;
    using OnFold = std::function<void(Fold&)>;
    using Message = std::variant<ZoneRecord, OnFold>;

    enum class Due : std::uint8_t { soon, with_others };
    void post(Message message, std::size_t more_bytes, Due due);
    /// Waits until something is due, and takes all that was posted. True: it is the last.
    [[nodiscard]] bool wait_for_work(std::vector<Message>& messages, std::size_t& bytes);
    void fold_until_finished();
    void take(std::vector<Message>& messages);
    [[nodiscard]] std::optional<std::string> fold_whole();
    void hand_over_due(Clock::time_point now);
    void hand_over_last();
    [[nodiscard]] StoreWriter::Batch batch_of(KeptChanges changes, Fold::Which which,
                                              std::uint64_t ids_ahead, Clock::time_point now) const;
    void give_up(const std::string& why);

    const KeeperOptions options_;
    StoreWriter writer_;
    std::atomic<bool> is_keeping_{true};
    std::atomic<bool> has_failed_{false};
    std::atomic<std::uint64_t> asked_end_;  ///< of the ids that were asked for
    std::atomic<std::size_t> memory_bytes_{0};

    mutable std::mutex mutex_;  ///< guards what follows, while pointers move
    std::condition_variable has_work_;
    std::vector<Message> messages_;
    std::size_t messages_bytes_ = 0;
    bool is_soon_due_ = false;
    bool is_finishing_ = false;
    End end_ = End::in_order;  ///< set with is_finishing_

    // The thread's that folds.
    Fold fold_;
    TickMerge merge_;
    Bytes payload_;
    engine::Tick newest_tick_;  ///< that any shard has run
    /// Ticks that are not in the fold, since some shard has not run them, and when they were taken
    /// first.
    std::map<engine::Tick, Clock::time_point> unfolded_;
    std::uint64_t server_time_us_;
    Clock::time_point next_checkpoint_;

    std::thread folder_;
};

}  // namespace marchland::shards
