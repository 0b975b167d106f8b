#include "shards/state/writer.h"

#include "engine/assert.h"
#include "shards/pin_thread.h"

#include <spdlog/spdlog.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

namespace marchland::shards {

namespace {

/// For the thread to see that it is over.
constexpr std::chrono::seconds kLastLookMax{2};

}  // namespace

/// What the thread and those who ask it share.
class StoreWriter::Work {
public:
    Work(std::unique_ptr<StateStore> store, const KeptZone& before, std::chrono::milliseconds retry)
        : store_(std::move(store)),
          retry_(retry),
          ids_end_(before.next_id + kIdsAhead),
          status_{.written_tick = before.tick} {}

    void run();
    void note_written(const Batch& batch);
    [[nodiscard]] std::chrono::milliseconds age() const {
        return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - fresh_at_);
    }
    void warn_of_readers(std::uint64_t log_bytes);

    const std::unique_ptr<StateStore> store_;  ///< the thread's
    const std::chrono::milliseconds retry_;
    bool has_warned_of_readers_ = false;  ///< likewise
    std::atomic<std::uint64_t> ids_end_;

    std::mutex mutex_;  ///< guards what follows; held for moments alone
    std::condition_variable asked_;
    std::condition_variable done_;
    std::optional<Batch> batch_;  ///< to be written; the thread's while it is there
    Backup backup_;
    Status status_;  ///< but for its age
    Clock::time_point fresh_at_ = Clock::now();
    bool is_over_ = false;
    bool has_ended_ = false;
};

void StoreWriter::Work::run() {
    std::optional<std::string> warned;
    std::unique_lock lock(mutex_);
    while (!is_over_) {
        if (std::holds_alternative<BackupPending>(backup_)) {
            const auto behind = age();
            lock.unlock();
            auto made = store_->back_up();
            lock.lock();
            if (auto* const file = std::get_if<std::shared_ptr<std::FILE>>(&made)) {
                backup_ = BackupMade{std::move(*file), status_.written_tick, behind};
            } else {
                backup_ = std::get<std::string>(std::move(made));
            }
        }
        if (!batch_) {
            asked_.wait(lock, [this] {
                return is_over_ || batch_ || std::holds_alternative<BackupPending>(backup_);
            });
            continue;
        }
        lock.unlock();
        // Nobody else touches the batch while it is there. Nor does anybody wait for the mutex
        // while the disk, the log or the memory of a batch take their time: an I/O thread asks for
        // the status with each Ping.
        const std::uint64_t ids_end = batch_->changes.zone.next_id + batch_->ids_ahead;
        const auto error = store_->write(batch_->changes, ids_end);
        const std::uint64_t log_bytes = store_->wal_bytes();
        warn_of_readers(log_bytes);
        lock.lock();
        status_.log_bytes = log_bytes;
        if (!error) {
            ids_end_.store(ids_end, std::memory_order_release);
            note_written(*batch_);
            const engine::Tick written_tick = status_.written_tick;
            std::optional<Batch> written = std::exchange(batch_, std::nullopt);
            done_.notify_all();
            lock.unlock();
            if (std::exchange(warned, std::nullopt)) {
                spdlog::info("state: written again, up to tick {}", written_tick);
            }
            written.reset();
            lock.lock();
            continue;
        }
        ++status_.failed_total;
        const engine::Tick written_tick = status_.written_tick;
        lock.unlock();
        if (std::exchange(warned, error) != error) {
            spdlog::error("state: not written since tick {}, and tried again: {}", written_tick,
                          *error);
        }
        lock.lock();
        asked_.wait_for(lock, retry_, [this] { return is_over_; });
    }
    has_ended_ = true;
    done_.notify_all();
}

void StoreWriter::Work::note_written(const Batch& batch) {
    ++status_.written_total;
    if (batch.which == Fold::Which::all) {
        status_.written_tick = batch.tick;
        fresh_at_ = batch.whole_at;
    }
}

/// Before it is too late for them.
void StoreWriter::Work::warn_of_readers(std::uint64_t log_bytes) {
    const std::uint64_t max = store_->wal_bytes_max();
    const bool is_long = log_bytes > max / 2;
    if (is_long && !has_warned_of_readers_) {
        spdlog::warn(
            "state: its log has {} bytes and grows, since somebody reads it in one transaction "
            "that does not end; at {} nothing is written any more",
            log_bytes, max);
    }
    has_warned_of_readers_ = is_long;
}

StoreWriter::StoreWriter(std::unique_ptr<StateStore> store, const KeptZone& before,
                         std::chrono::milliseconds retry)
    : work_(std::make_shared<Work>(std::move(store), before, retry)), thread_([work = work_] {
          name_this_thread("state disk");
          work->run();
      }) {}

StoreWriter::~StoreWriter() {
    static_cast<void>(finish());
    if (thread_.joinable()) {
        thread_.detach();
    }
}

bool StoreWriter::is_busy() const {
    const std::lock_guard lock(work_->mutex_);
    return work_->batch_.has_value();
}

void StoreWriter::write(Batch batch) {
    {
        const std::lock_guard lock(work_->mutex_);
        MARCHLAND_ASSERT(!work_->batch_);
        work_->batch_ = std::move(batch);
    }
    work_->asked_.notify_one();
}

bool StoreWriter::wait_until_idle(Clock::time_point deadline) const {
    std::unique_lock lock(work_->mutex_);
    return work_->done_.wait_until(lock, deadline, [this] { return !work_->batch_.has_value(); });
}

bool StoreWriter::finish() {
    if (!thread_.joinable()) {
        return true;
    }
    std::unique_lock lock(work_->mutex_);
    work_->is_over_ = true;
    work_->asked_.notify_one();
    if (!work_->done_.wait_for(lock, kLastLookMax, [this] { return work_->has_ended_; })) {
        return false;
    }
    lock.unlock();
    thread_.join();
    return true;
}

bool StoreWriter::is_reserved(engine::EntityId id) const {
    return to_number(id) < work_->ids_end_.load(std::memory_order_acquire);
}

StoreWriter::Status StoreWriter::status() const {
    const std::lock_guard lock(work_->mutex_);
    Status status = work_->status_;
    status.age = work_->age();
    return status;
}

bool StoreWriter::ask_backup() {
    const std::lock_guard lock(work_->mutex_);
    if (std::holds_alternative<BackupPending>(work_->backup_)) {
        return false;
    }
    work_->backup_ = BackupPending{};
    work_->asked_.notify_one();
    return true;
}

StoreWriter::Backup StoreWriter::take_backup() {
    const std::lock_guard lock(work_->mutex_);
    if (std::holds_alternative<BackupPending>(work_->backup_)) {
        return BackupPending{};
    }
    return std::exchange(work_->backup_, NoBackup{});
}

}  // namespace marchland::shards
