#include "shards/recording/recorder.h"

#include "engine/assert.h"
#include "shards/pin_thread.h"
#include "shards/recording/records.h"
#include "shards/state/keeper.h"

#include <spdlog/spdlog.h>

#include <exception>
#include <utility>

namespace marchland::shards {

Recorder::~Recorder() {
    finish();
}

std::optional<std::string> Recorder::start(const std::filesystem::path& file,
                                           const ZoneOptions& zone) {
    MARCHLAND_ASSERT(!thread_.joinable());
    if (auto error = file_.open(file, zone, options_.limits)) {
        return error;
    }
    is_recording_.store(true);
    thread_ = std::thread([this] {
        name_this_thread("recorder");
        run();
    });
    return std::nullopt;
}

bool Recorder::finish() {
    if (thread_.joinable()) {
        is_recording_.store(false);
        {
            const std::lock_guard lock(mutex_);
            is_finishing_ = true;
        }
        message_came_.notify_one();
        thread_.join();
    }
    return !has_failed_;
}

void Recorder::add(ZoneRecord record) {
    const auto* const tick = std::get_if<ShardTick>(&record);
    const std::size_t bytes = tick == nullptr ? 0 : tick->size();
    {
        const std::lock_guard lock(mutex_);
        if (!is_recording()) {
            return;
        }
        content_bytes_ += bytes;
        messages_.push_back(std::move(record));
        if (content_bytes_ > options_.waiting_bytes_max) {
            // The thread may hang in a write for long: here is where the growth ends.
            is_recording_.store(false);
            is_too_slow_ = true;
            messages_ = {};
        }
    }
    message_came_.notify_one();
}

void Recorder::run() {
    std::optional<std::string> error;
    try {
        error = record_until_finished();
    } catch (const std::exception& failure) {  // no memory for what waits
        error = failure.what();
    }
    is_recording_.store(false);
    if (!error) {
        spdlog::info("recording: ticks={} stale_ticks={} bytes={} parts={}", merge_.tick_count(),
                     merge_.stale_tick_count(), file_.bytes_total(), file_.part_count());
        return;
    }
    has_failed_ = true;
    spdlog::error("the recording ends after {} ticks, the game goes on: {}", ticks_written_,
                  *error);
    merge_ = {};
    const std::lock_guard lock(mutex_);
    messages_ = {};
}

std::optional<std::string> Recorder::record_until_finished() {
    std::vector<ZoneRecord> messages;
    bool is_last = false;
    while (!is_last) {
        {
            std::unique_lock lock(mutex_);
            message_came_.wait(
                lock, [this] { return is_finishing_ || is_too_slow_ || !messages_.empty(); });
            if (is_too_slow_) {
                return fmt::format("{} bytes wait for the disk, {} is the limit", content_bytes_,
                                   options_.waiting_bytes_max);
            }
            is_last = is_finishing_;
            std::swap(messages, messages_);
            content_bytes_ = 0;
        }
        for (ZoneRecord& record : messages) {
            merge_.add(std::move(record));
        }
        messages.clear();
        if (auto error = write_whole()) {
            return error;
        }
    }
    return file_.close();
}

/// A block for each tick, or for several that have become whole together.
std::optional<std::string> Recorder::write_whole() {
    constexpr std::size_t kBlockBytesWanted = std::size_t{64} << 10U;
    while (merge_.take_whole(payload_)) {
        if (payload_.size() >= kBlockBytesWanted) {
            if (auto error = write_payload()) {
                return error;
            }
        }
    }
    waiting_bytes_.store(merge_.waiting_bytes() + payload_.capacity(), std::memory_order_relaxed);
    if (merge_.waiting_bytes() > options_.waiting_bytes_max) {
        return fmt::format("{} bytes wait for a shard that stands still, {} is the limit",
                           merge_.waiting_bytes(), options_.waiting_bytes_max);
    }
    return payload_.empty() ? std::nullopt : write_payload();
}

std::optional<std::string> Recorder::write_payload() {
    if (payload_.size() > kBlockBytesMax) {
        return fmt::format("one tick takes {} bytes, {} is the limit", payload_.size(),
                           kBlockBytesMax);
    }
    auto error = file_.append(payload_);
    payload_.clear();
    if (!error) {
        ticks_written_ = merge_.tick_count();
    }
    return error;
}

void ShardRecorder::begin_tick(engine::Tick now, const Pace& pace, std::uint64_t server_time_us) {
    is_recording_ = recorder_ != nullptr && recorder_->is_recording();
    is_keeping_ = keeper_ != nullptr && keeper_->is_keeping();
    tick_.shard = shard_;
    tick_.tick = now;
    tick_.pace = pace;
    tick_.server_time_us = server_time_us;
}

void ShardRecorder::take_inputs(engine::EntityId id, const Inputs& inputs, bool has_successor,
                                bool is_newcomer) {
    if (is_taking()) {
        tick_.has_arrivals = tick_.has_arrivals || inputs.leave;
        encode_inputs(id, inputs, has_successor, is_newcomer ? tick_.joins : tick_.inputs);
    }
}

void ShardRecorder::take_gone(engine::EntityId id) {
    if (is_keeping_) {
        tick_.has_arrivals = true;
        encode_gone(id, tick_.gone);
    }
}

void ShardRecorder::take_join(const engine::Entity& entity, bool takes_frames) {
    if (is_taking()) {
        tick_.has_arrivals = true;
        encode_join(entity, takes_frames, tick_.joins);
    }
}

void ShardRecorder::leave_unframed(engine::EntityId id) {
    if (is_recording_) {
        encode_unframed(id, tick_.unframed);
    }
}

void ShardRecorder::end_tick(bool is_stale, std::uint64_t frames_check) {
    if (!is_taking()) {
        return;
    }
    // The next tick is about as long.
    ShardTick next;
    next.inputs.reserve(tick_.inputs.size());
    next.joins.reserve(tick_.joins.size());
    next.unframed.reserve(tick_.unframed.size());
    tick_.is_stale = is_stale;
    tick_.frames_check = frames_check;
    if (is_keeping_) {
        ShardTick kept = is_recording_ ? tick_ : std::move(tick_);
        kept.unframed = {};
        keeper_->add(std::move(kept));
    }
    if (is_recording_) {
        tick_.gone = {};
        recorder_->add(std::move(tick_));
    }
    tick_ = std::move(next);
}

}  // namespace marchland::shards
