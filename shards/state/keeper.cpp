#include "shards/state/keeper.h"

#include "engine/assert.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace marchland::shards {

namespace {

/// For the thread that writes to see that it is over.
constexpr std::chrono::seconds kLastLookMax{2};

}  // namespace

StateKeeper::StateKeeper(std::unique_ptr<StateStore> store, KeptZone before, KeeperOptions options)
    : options_(options),
      store_(std::move(store)),
      ids_end_(before.next_id + kIdsAhead),
      asked_end_(before.next_id),
      written_tick_(before.tick),
      fresh_at_(Clock::now()),
      fold_(std::move(before)),
      server_time_us_(before.server_time_us),
      next_checkpoint_(Clock::now() + options_.checkpoint) {
    folder_ = std::thread([this] { fold_until_finished(); });
    writer_ = std::thread([this] { write_until_finished(); });
}

StateKeeper::~StateKeeper() {
    static_cast<void>(finish());
    writer_.join();
}

bool StateKeeper::finish() {
    if (folder_.joinable()) {
        is_keeping_.exchange(false);
        {
            const std::lock_guard lock(mutex_);
            is_finishing_ = true;
        }
        message_came_.notify_one();
        folder_.join();
        // A disk that hangs holds its thread for as long as it likes.
        std::unique_lock lock(mutex_);
        is_stuck_ = !batch_done_.wait_for(lock, kLastLookMax, [this] { return has_writer_ended_; });
    }
    return !has_failed_.load();
}

StateKeeper::Status StateKeeper::status() const {
    return {written_tick_.load(), written_total_.load(), failed_total_.load(),
            std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - fresh_at_.load()),
            !has_failed_.load()};
}

bool StateKeeper::may_use(engine::EntityId id) {
    std::uint64_t end = asked_end_.load(std::memory_order_relaxed);
    while (end <= to_number(id) &&
           !asked_end_.compare_exchange_weak(end, to_number(id) + 1, std::memory_order_relaxed)) {
    }
    return to_number(id) < ids_end_.load(std::memory_order_acquire);
}

void StateKeeper::admit(ShardId shard, engine::Tick first) {
    post(Admitted{shard, first});
}

void StateKeeper::dismiss(ShardId shard) {
    post(Dismissed{shard});
}

void StateKeeper::add_layout(engine::Tick from, const Layout& layout) {
    post(LayoutFrom{from, layout});
}

void StateKeeper::add(ShardTick tick) {
    post(std::move(tick));
}

void StateKeeper::own(engine::EntityId entity, Owner owner) {
    post([entity, owner](Fold& fold) { fold.own(entity, owner); });
}

void StateKeeper::disown(engine::EntityId entity) {
    post([entity](Fold& fold) { fold.disown(entity); });
}

void StateKeeper::open(KeptSession session) {
    post([session = std::move(session)](Fold& fold) { fold.open(session); });
}

void StateKeeper::confirm(SessionKey session, std::uint32_t generation) {
    post([session, generation](Fold& fold) { fold.confirm(session, generation); });
}

void StateKeeper::close(SessionKey session) {
    post([session](Fold& fold) { fold.close(session); });
}

void StateKeeper::post(Message message) {
    {
        const std::lock_guard lock(mutex_);
        if (!is_keeping()) {
            return;
        }
        messages_.push_back(std::move(message));
    }
    message_came_.notify_one();
}

// The first thread

void StateKeeper::fold_until_finished() {
    try {
        std::vector<Message> messages;
        for (bool is_last = false; !is_last;) {
            {
                std::unique_lock lock(mutex_);
                const auto due =
                    std::min(next_checkpoint_, arrivals_due_.value_or(next_checkpoint_));
                message_came_.wait_until(lock, due,
                                         [this] { return is_finishing_ || !messages_.empty(); });
                is_last = is_finishing_;
                std::swap(messages, messages_);
            }
            if (auto flaw = take(messages)) {
                give_up(*flaw);
                return;
            }
            messages.clear();
            hand_over_due(Clock::now());
        }
        hand_over_last();
    } catch (const std::exception& failure) {  // no memory for what waits
        give_up(failure.what());
    }
}

std::optional<std::string> StateKeeper::take(std::vector<Message>& messages) {
    for (Message& item : messages) {
        if (auto* const tick = std::get_if<ShardTick>(&item)) {
            server_time_us_ = std::max(server_time_us_, tick->server_time_us);
            merge_.add(std::move(*tick));
        } else if (const auto* const admitted = std::get_if<Admitted>(&item)) {
            merge_.admit(admitted->shard, admitted->first);
        } else if (const auto* const dismissed = std::get_if<Dismissed>(&item)) {
            merge_.dismiss(dismissed->shard);
        } else if (const auto* const layout = std::get_if<LayoutFrom>(&item)) {
            merge_.add_layout(layout->from, layout->layout);
        } else {
            std::get<OnFold>(item)(fold_);
        }
    }
    while (merge_.take_whole(payload_)) {
        auto flaw = fold_.apply(payload_);
        payload_.clear();
        if (flaw) {
            return flaw;
        }
    }
    if (merge_.waiting_bytes() > options_.waiting_bytes_max) {
        return fmt::format("{} bytes wait for a shard that stands still, {} is the limit",
                           merge_.waiting_bytes(), options_.waiting_bytes_max);
    }
    return std::nullopt;
}

/// What is due while the second thread is busy waits in the fold, and goes with the next.
void StateKeeper::hand_over_due(Clock::time_point now) {
    if (!arrivals_due_ && fold_.has_arrivals()) {
        arrivals_due_ = now + options_.arrivals;
    }
    const bool is_all = now >= next_checkpoint_;
    if (!is_all && (!arrivals_due_ || now < *arrivals_due_)) {
        return;
    }
    arrivals_due_.reset();
    if (is_writing()) {
        next_checkpoint_ = std::max(next_checkpoint_, now + options_.arrivals);
        return;
    }
    // No shard waits at the mutex meanwhile.
    Batch batch = take_batch(is_all ? Fold::Which::all : Fold::Which::arrivals, kIdsAhead, now);
    {
        const std::lock_guard lock(mutex_);
        batch_ = std::move(batch);
    }
    batch_came_.notify_one();
    if (is_all) {
        next_checkpoint_ = now + options_.checkpoint;
    }
}

bool StateKeeper::is_writing() {
    const std::lock_guard lock(mutex_);
    return batch_.has_value();
}

/// Nobody gets an id any more: none need be reserved beyond those that were asked for.
void StateKeeper::hand_over_last() {
    const auto deadline = Clock::now() + options_.last_write_max;
    std::unique_lock lock(mutex_);
    const auto is_idle = [this] { return !batch_.has_value(); };
    bool is_written = batch_done_.wait_until(lock, deadline, is_idle);
    if (is_written) {
        batch_ = take_batch(Fold::Which::all, 0, Clock::now());
        batch_came_.notify_one();
        is_written = batch_done_.wait_until(lock, deadline, is_idle);
    }
    is_over_ = true;
    lock.unlock();
    batch_came_.notify_one();
    if (!is_written) {
        has_failed_.store(true);
        spdlog::error("state: the last ticks were not written within {} ms",
                      options_.last_write_max.count());
    }
}

StateKeeper::Batch StateKeeper::take_batch(Fold::Which which, std::uint64_t ids_ahead,
                                           Clock::time_point now) {
    Batch batch{fold_.take_changes(which), which, ids_ahead, now};
    batch.changes.zone.server_time_us = server_time_us_;
    batch.changes.zone.next_id = std::max(batch.changes.zone.next_id, asked_end_.load());
    return batch;
}

void StateKeeper::give_up(const std::string& why) {
    is_keeping_.store(false);
    has_failed_.store(true);
    spdlog::error("state: nothing is kept any more, the game goes on: {}", why);
    const std::lock_guard lock(mutex_);
    messages_ = {};
    is_over_ = true;
    batch_came_.notify_one();
}

// The second thread

void StateKeeper::write_until_finished() {
    bool has_warned = false;
    std::unique_lock lock(mutex_);
    while (true) {
        batch_came_.wait(lock, [this] { return is_over_ || batch_.has_value(); });
        if (is_over_) {
            has_writer_ended_ = true;
            batch_done_.notify_all();
            return;
        }
        lock.unlock();
        const auto error = write(*batch_);  // nobody else touches it while it is there
        lock.lock();
        if (!error) {
            if (std::exchange(has_warned, false)) {
                spdlog::info("state: written again, up to tick {}", written_tick_.load());
            }
            batch_.reset();
            batch_done_.notify_one();
            continue;
        }
        failed_total_.fetch_add(1);
        if (!std::exchange(has_warned, true)) {
            spdlog::error("state: not written since tick {}, and tried again: {}",
                          written_tick_.load(), *error);
        }
        batch_came_.wait_for(lock, options_.retry, [this] { return is_over_; });
    }
}

std::optional<std::string> StateKeeper::write(const Batch& batch) {
    const std::uint64_t ids_end = batch.changes.zone.next_id + batch.ids_ahead;
    if (auto error = store_->write(batch.changes, ids_end)) {
        return error;
    }
    ids_end_.store(ids_end, std::memory_order_release);
    written_total_.fetch_add(1);
    if (batch.which == Fold::Which::all) {
        written_tick_.store(batch.changes.zone.tick);
        fresh_at_.store(batch.taken_at);
    }
    return std::nullopt;
}

}  // namespace marchland::shards
