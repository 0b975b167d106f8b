#include "shards/state/keeper.h"

#include "shards/pin_thread.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace marchland::shards {

namespace {

/// For as long as a zone may run that nothing is kept of.
constexpr std::uint64_t kIdsForGood = std::uint64_t{1} << 32U;

std::size_t bytes_of(const KeptSession& session) {
    return sizeof session + session.subject.size() + session.claims.size();
}

}  // namespace

StateKeeper::StateKeeper(std::unique_ptr<StateStore> store, KeptZone before, KeeperOptions options)
    : options_(options),
      writer_(std::move(store), before, options.retry),
      asked_end_(before.next_id),
      fold_(std::move(before)),
      newest_tick_(fold_.head().tick),
      server_time_us_(fold_.head().server_time_us),
      next_checkpoint_(Clock::now() + options_.checkpoint) {
    folder_ = std::thread([this] {
        name_this_thread("state");
        fold_until_finished();
    });
}

StateKeeper::~StateKeeper() {
    static_cast<void>(finish());
}

bool StateKeeper::finish(End end) {
    if (folder_.joinable()) {
        {
            const std::lock_guard lock(mutex_);
            is_keeping_.store(false);
            is_finishing_ = true;
            end_ = end;
        }
        has_work_.notify_one();
        folder_.join();
        if (!writer_.finish()) {
            spdlog::error("state: a write never came back; the disk of the state hangs");
        }
    }
    return is_whole();
}

bool StateKeeper::may_use(engine::EntityId id) {
    std::uint64_t end = asked_end_.load(std::memory_order_relaxed);
    while (end <= to_number(id) &&
           !asked_end_.compare_exchange_weak(end, to_number(id) + 1, std::memory_order_relaxed)) {
    }
    return writer_.is_reserved(id);
}

void StateKeeper::add(ZoneRecord record) {
    std::size_t bytes = 0;
    Due due = Due::with_others;
    if (const auto* const tick = std::get_if<ShardTick>(&record)) {
        bytes = tick->size();
        due = tick->has_arrivals ? Due::soon : Due::with_others;
    } else if (const auto* const layout = std::get_if<LayoutFrom>(&record)) {
        bytes = layout->layout.size() * sizeof(Region);
        due = Due::soon;
    }
    post(std::move(record), bytes, due);
}

void StateKeeper::own(engine::EntityId entity, Owner owner) {
    post([entity, owner](Fold& fold) { fold.own(entity, owner); }, 0, Due::with_others);
}

void StateKeeper::disown(engine::EntityId entity) {
    post([entity](Fold& fold) { fold.disown(entity); }, 0, Due::with_others);
}

void StateKeeper::open(KeptSession session) {
    const std::size_t bytes = bytes_of(session);
    post([session = std::move(session)](Fold& fold) { fold.open(session); }, bytes, Due::soon);
}

void StateKeeper::renew(KeptSession session) {
    const std::size_t bytes = bytes_of(session);
    post([session = std::move(session)](Fold& fold) { fold.renew(session); }, bytes, Due::soon);
}

void StateKeeper::close(SessionKey session) {
    post([session](Fold& fold) { fold.close(session); }, 0, Due::soon);
}

void StateKeeper::set_bans(std::vector<KeptBan> bans) {
    std::size_t bytes = 0;
    for (const KeptBan& ban : bans) {
        bytes += sizeof ban + ban.subject.size() + ban.address.size() + ban.reason.size();
    }
    post([bans = std::move(bans)](Fold& fold) { fold.set_bans(bans); }, bytes, Due::soon);
}

std::size_t StateKeeper::memory_bytes() const {
    const std::lock_guard lock(mutex_);
    return memory_bytes_.load() + messages_bytes_;
}

void StateKeeper::post(Message message, std::size_t more_bytes, Due due) {
    bool is_first = false;
    {
        const std::lock_guard lock(mutex_);
        if (!is_keeping()) {
            return;
        }
        messages_bytes_ += sizeof message + more_bytes;
        if (messages_bytes_ > options_.waiting_bytes_max) {
            is_keeping_.store(false);  // the thread that folds sees why, and frees what waits
        } else {
            messages_.push_back(std::move(message));
        }
        const bool is_much = messages_bytes_ > options_.waiting_bytes_max / 16;
        is_first = (due == Due::soon || is_much) && !std::exchange(is_soon_due_, true);
    }
    if (is_first) {
        has_work_.notify_one();
    }
}

// The thread that folds

void StateKeeper::fold_until_finished() {
    try {
        std::vector<Message> messages;
        std::size_t bytes = 0;
        for (bool is_last = false; !is_last;) {
            is_last = wait_for_work(messages, bytes);
            memory_bytes_ += bytes;
            if (bytes > options_.waiting_bytes_max) {
                messages = {};
                give_up(fmt::format("{} bytes wait for the thread that keeps them, {} is the limit",
                                    bytes, options_.waiting_bytes_max));
                return;
            }
            take(messages);
            messages.clear();
            if (is_last) {
                merge_.end();
                fold_.set_lenient(end_ == End::while_a_shard_hangs);
            }
            if (auto flaw = fold_whole()) {
                give_up(*flaw);
                return;
            }
            hand_over_due(Clock::now());
        }
        hand_over_last();
    } catch (const std::exception& failure) {  // no memory for what waits
        give_up(failure.what());
    }
}

/// Ticks in which nobody comes or goes wait for others, since a wake-up for each costs more than to
/// fold it.
bool StateKeeper::wait_for_work(std::vector<Message>& messages, std::size_t& bytes) {
    const auto is_finishing = [this] { return is_finishing_; };
    const auto in = [this](Clock::duration wait) {
        return std::min(next_checkpoint_, Clock::now() + wait);
    };
    // What a look has left: the writer was busy, or a shard was late.
    const bool has_left = fold_.has_arrivals() || merge_.has_arrivals_waiting();
    std::unique_lock lock(mutex_);
    if (!has_left) {
        has_work_.wait_until(lock, in(options_.ticks_together),
                             [this] { return is_finishing_ || is_soon_due_; });
    }
    if (has_left || is_soon_due_) {
        has_work_.wait_until(lock, in(options_.arrivals), is_finishing);
    }
    is_soon_due_ = false;
    std::swap(messages, messages_);
    bytes = std::exchange(messages_bytes_, 0);
    return is_finishing_;
}

void StateKeeper::take(std::vector<Message>& messages) {
    const auto now = Clock::now();
    for (Message& item : messages) {
        if (auto* const on_fold = std::get_if<OnFold>(&item)) {
            (*on_fold)(fold_);
            continue;
        }
        auto& record = std::get<ZoneRecord>(item);
        if (const auto* const tick = std::get_if<ShardTick>(&record)) {
            unfolded_.emplace(tick->tick, now);
            newest_tick_ = std::max(newest_tick_, tick->tick);
            server_time_us_ = std::max(server_time_us_, tick->server_time_us);
        }
        merge_.add(std::move(record));
    }
}

std::optional<std::string> StateKeeper::fold_whole() {
    while (merge_.take_whole(payload_)) {
        auto flaw = fold_.apply(payload_);
        payload_.clear();
        if (flaw) {
            return flaw;
        }
    }
    unfolded_.erase(unfolded_.begin(), unfolded_.upper_bound(fold_.head().tick));
    memory_bytes_.store(fold_.memory_bytes() + merge_.waiting_bytes() + payload_.capacity());
    if (merge_.waiting_bytes() > options_.waiting_bytes_max) {
        return fmt::format("{} bytes wait for a shard that stands still, {} is the limit",
                           merge_.waiting_bytes(), options_.waiting_bytes_max);
    }
    return std::nullopt;
}

/// What is due while the writer is busy waits in the fold, and goes with the next.
void StateKeeper::hand_over_due(Clock::time_point now) {
    const bool is_all = now >= next_checkpoint_;
    if (!is_all && !fold_.has_arrivals()) {
        return;
    }
    const bool is_busy = writer_.is_busy();
    if (!is_busy) {
        const auto which = is_all ? Fold::Which::all : Fold::Which::all_but_moves;
        writer_.write(batch_of(fold_.take_changes(which), which, kIdsAhead, now));
    }
    if (is_all) {
        next_checkpoint_ = now + (is_busy ? options_.arrivals : options_.checkpoint);
    }
}

void StateKeeper::hand_over_last() {
    const auto deadline = Clock::now() + options_.last_write_max;
    bool is_written = writer_.wait_until_idle(deadline);
    if (is_written) {
        const std::uint64_t ids_ahead = end_ == End::while_a_shard_hangs ? kIdsAhead : 0;
        writer_.write(batch_of(fold_.take_changes(Fold::Which::all), Fold::Which::all, ids_ahead,
                               Clock::now()));
        is_written = writer_.wait_until_idle(deadline);
    }
    if (!is_written) {
        has_failed_.store(true);
        spdlog::error("state: the last ticks were not written within {} ms",
                      options_.last_write_max.count());
    }
}

StoreWriter::Batch StateKeeper::batch_of(KeptChanges changes, Fold::Which which,
                                         std::uint64_t ids_ahead, Clock::time_point now) const {
    changes.zone.tick = newest_tick_;
    changes.zone.server_time_us = server_time_us_;
    changes.zone.written_at_us = std::chrono::duration_cast<std::chrono::microseconds>(
                                     std::chrono::system_clock::now().time_since_epoch())
                                     .count();
    changes.zone.next_id = std::max(fold_.head().next_id, asked_end_.load());
    changes.zone.next_owner = fold_.head().next_owner;
    const auto whole_at = unfolded_.empty() ? now : unfolded_.begin()->second;
    return {std::move(changes), which, fold_.head().tick, ids_ahead, whole_at};
}

void StateKeeper::give_up(const std::string& why) {
    is_keeping_.store(false);
    has_failed_.store(true);
    spdlog::error("state: nothing is kept any more, the game goes on: {}", why);
    std::vector<Message> nobodys;  // is freed while nobody waits for the mutex
    {
        const std::lock_guard lock(mutex_);
        nobodys.swap(messages_);
        messages_bytes_ = 0;
    }
    nobodys = {};
    if (!writer_.wait_until_idle(Clock::now() + options_.last_write_max)) {
        spdlog::error("state: nor are more ids reserved: after {} more nobody comes in", kIdsAhead);
        return;
    }
    writer_.write(batch_of({}, Fold::Which::all_but_moves, kIdsForGood, Clock::now()));
}

}  // namespace marchland::shards
