#pragma once

#include "engine/ids.h"
#include "shards/state/fold.h"
#include "shards/state/store.h"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <variant>

namespace marchland::shards {

/// Writes to a store on a thread of its own, one batch at a time: nobody else ever waits for the
/// disk.
///
/// A write that fails is logged, and tried again for as long as it takes. One that does not come
/// back holds the thread and what that uses: finish() leaves them to each other.
///
/// Threads  Any; one of them hands batches over.
class StoreWriter {
public:
    using Clock = std::chrono::steady_clock;

    struct Batch {
        KeptChanges changes;
        Fold::Which which = Fold::Which::all;
        engine::Tick tick = engine::kNever;  ///< that they hold
        std::uint64_t ids_ahead = 0;         ///< reserved beyond those that were given
        Clock::time_point whole_at;          ///< when they were all that there was
    };
    struct Status {
        engine::Tick written_tick = engine::kNever;  ///< all that happened up to it is in the store
        std::uint64_t written_total = 0;             ///< transactions
        std::uint64_t failed_total = 0;              ///< that were tried
        std::chrono::milliseconds age{0};            ///< since all that there was had been written
        std::uint64_t log_bytes = 0;                 ///< of SQLite, when it was written to last
    };
    /// None was asked for; one is being made; one is there; or why none could be made.
    struct NoBackup {};
    struct BackupPending {};
    struct BackupMade {
        std::shared_ptr<std::FILE> file;
        engine::Tick tick = engine::kNever;  ///< all that happened up to it is in the copy
        std::chrono::milliseconds age{0};    ///< of the store, when it was copied
    };
    using Backup = std::variant<NoBackup, BackupPending, BackupMade, std::string>;

    /// `before`: what the store holds. `retry`: after a write that failed.
    StoreWriter(std::unique_ptr<StateStore> store, const KeptZone& before,
                std::chrono::milliseconds retry);
    StoreWriter(const StoreWriter&) = delete;
    StoreWriter& operator=(const StoreWriter&) = delete;
    /// As finish().
    ~StoreWriter();

    [[nodiscard]] bool is_busy() const;
    /// It is not busy.
    void write(Batch batch);
    /// False: the newest batch has not been written by then.
    [[nodiscard]] bool wait_until_idle(Clock::time_point deadline) const;
    /// Nothing is written any more. False: a write that was under way has not come back.
    bool finish();

    /// Has a write that was done reserved it?
    [[nodiscard]] bool is_reserved(engine::EntityId id) const;
    [[nodiscard]] Status status() const;

    /// Makes one when nothing is being written. False: the one before is not made yet.
    [[nodiscard]] bool ask_backup();
    /// What there is of it; one that is there is handed out once.
    [[nodiscard]] Backup take_backup();

private:
    class Work;
    const std::shared_ptr<Work> work_;  ///< the thread's, too
    std::thread thread_;
};

}  // namespace marchland::shards
