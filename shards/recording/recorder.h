#pragma once

#include "engine/entity.h"
#include "engine/ids.h"
#include "shards/entity_port.h"
#include "shards/ids.h"
#include "shards/layout/layout.h"
#include "shards/recording/recording_file.h"
#include "shards/recording/tick_merge.h"
#include "shards/zone_options.h"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace marchland::shards {

class StateKeeper;

struct RecorderOptions {
    RecordingLimits limits;
    /// What may wait for the disk. Beyond it the disk is too slow: recording ends, the game goes
    /// on.
    std::size_t waiting_bytes_max = std::size_t{64} << 20U;
};

/// Writes down all that comes into a zone, tick by tick, so that it can be run again:
///
///   shard ── ShardTick ──┐                        each shard fills a buffer of its own in its
///   shard ── ShardTick ──┼──► queue ──► thread    tick, and hands it over once; the thread puts
///   zone  ── layouts ────┘              └─► file  whole ticks together and writes them
///
/// A process that dies leaves all but the last ticks that were under way.
///
/// Life     start(); then a Zone is made with it, and outlived; finish() before the zone's threads
///          are stopped: what comes after it is left out. So the ticks that the stop cuts short
///          are.
/// Threads  start, finish: the owner's. The rest: any.
/// Errors   While it runs an error is logged once and ends the recording, never the game.
class Recorder {
public:
    explicit Recorder(RecorderOptions options = {}) : options_(options) {}
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;
    ~Recorder();

    /// Returns why the file cannot be written.
    std::optional<std::string> start(const std::filesystem::path& file, const ZoneOptions& zone);
    /// Writes every tick that is whole, and the end. False when an error has ended the recording.
    bool finish();

    /// False before start(), after finish() and after an error: nothing need be handed over.
    [[nodiscard]] bool is_recording() const {
        return is_recording_.load(std::memory_order_relaxed);
    }

    // The zone's and the shards'.
    void add(ZoneRecord record);

    /// What waits for the disk and for late shards; of any thread.
    [[nodiscard]] std::size_t waiting_bytes() const {
        return waiting_bytes_.load(std::memory_order_relaxed);
    }

private:
    /// The thread.
    void run();
    std::optional<std::string> record_until_finished();
    /// Writes what is whole by now.
    std::optional<std::string> write_whole();
    std::optional<std::string> write_payload();

    const RecorderOptions options_;
    std::atomic<bool> is_recording_{false};
    std::atomic<std::size_t> waiting_bytes_{0};  ///< as it was when the thread looked last

    std::mutex mutex_;  ///< guards what follows, while pointers move
    std::condition_variable message_came_;
    std::vector<ZoneRecord> messages_;
    std::size_t content_bytes_ = 0;
    bool is_finishing_ = false;
    bool is_too_slow_ = false;

    // The thread's; the owner's while there is none.
    RecordingFile file_;
    TickMerge merge_;
    Bytes payload_;
    std::uint64_t ticks_written_ = 0;
    bool has_failed_ = false;
    std::thread thread_;
};

/// What one shard records of its tick: for a recording, and for the state that survives a restart.
/// It does nothing where there is neither.
///
/// Order    begin_tick; take_inputs, take_gone and take_join as they are taken; unframed; end_tick.
/// Threads  The shard's.
/// Cost     Off: a test of a pointer for each call. On: a few bytes for each input, and one lock
///          for each tick.
class ShardRecorder {
public:
    /// `recorder`, `keeper`: null where nobody records, or keeps a state.
    ShardRecorder(ShardId shard, Recorder* recorder, StateKeeper* keeper)
        : recorder_(recorder), keeper_(keeper), shard_(shard) {}

    /// In this tick, between begin_tick and end_tick. Frames need a check only then.
    [[nodiscard]] bool is_recording() const { return is_recording_; }

    void begin_tick(engine::Tick now, const Pace& pace, std::uint64_t server_time_us);
    /// `is_newcomer`: it joined in this tick; else it was owned before.
    void take_inputs(engine::EntityId id, const Inputs& inputs, bool has_successor,
                     bool is_newcomer);
    /// It was owned before the tick, and leaves the zone though nobody asked for that.
    void take_gone(engine::EntityId id);
    void take_join(const engine::Entity& entity, bool takes_frames);
    /// A watcher got no frame.
    void leave_unframed(engine::EntityId id);
    /// `frames_check`: the sum of frame_check over the tick's frames.
    void end_tick(bool is_stale, std::uint64_t frames_check);

private:
    [[nodiscard]] bool is_taking() const { return is_recording_ || is_keeping_; }

    Recorder* const recorder_;
    StateKeeper* const keeper_;
    const ShardId shard_;
    bool is_recording_ = false;
    bool is_keeping_ = false;
    ShardTick tick_;
};

}  // namespace marchland::shards
