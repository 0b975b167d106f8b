#include "shards/zone_threads.h"

#include "engine/assert.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <ctime>
#include <exception>
#include <iterator>
#include <utility>

namespace marchland::shards {

namespace {

std::uint64_t in_us(std::chrono::steady_clock::duration duration) {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(duration).count());
}

/// A tick from now at least, so that the threads of new shards are awake when theirs is due.
constexpr engine::Tick kNoticeTicks = 2;

/// Only the shard's thread raises it; a reader that sets it to 0 meanwhile loses one sample at
/// most.
void raise_to(std::atomic<std::uint64_t>& maximum, std::uint64_t value) {
    if (value > maximum.load(std::memory_order_relaxed)) {
        maximum.store(value, std::memory_order_relaxed);
    }
}

/// That the shards' threads share.
std::uint32_t cores_of(const ZoneOptions& options) {
    const std::uint32_t allowed = allowed_cores();
    return options.pin_cores == 0 ? allowed : std::min(options.pin_cores, allowed);
}

/// How long this thread has had a core.
std::chrono::nanoseconds time_on_core() {
    timespec time{};
    MARCHLAND_ASSERT(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

ZoneThreads::ZoneThreads(Zone& zone, OnFailure on_failure)
    : zone_(zone),
      on_failure_(std::move(on_failure)),
      core_turns_(cores_of(zone.options())),
      stall_watch_(std::chrono::milliseconds(zone.options().shard_stall_ms_max)) {}

ZoneThreads::~ZoneThreads() {
    stop();
}

void ZoneThreads::start() {
    MARCHLAND_ASSERT(runners_.empty());
    // Before the threads: the log is then there when the first of them needs it.
    spdlog::info("{} shards at {} ticks a second", zone_.shard_count(),
                 zone_.options().tick_rate_hz);
    zone_.start_executor();
    const ZoneStart& start = zone_.start();
    clock_.emplace(
        Clock::now(), zone_.options().tick_rate_hz, zone_.options().time_scale_percent_min,
        overload_steps(zone_.options().crowd), cores_of(zone_.options()),
        [this](const TickClock::Change& change) {
            zone_.set_open(change.after.is_open);
            if (const auto shed = shed_by(change.before, change.after)) {
                zone_.count_shed(*shed);
            }
            spdlog::warn("load: {}", describe_change(change.before, change.after));
        },
        start.tick, start.server_time_us);
    for (const ShardId id : zone_.running_shards()) {
        launch(zone_.shard(id));
        runners_.back().first_tick.set_value(start.tick + 1);
    }
    watcher_ = std::thread([this] {
        name_this_thread("stall watch");
        watch_for_stalls();
    });
}

void ZoneThreads::stop() {
    ask_to_stop();
    for (Runner& runner : runners_) {
        runner.thread.join();
    }
    runners_.clear();
    if (watcher_.joinable()) {
        watcher_.join();
    }
}

bool ZoneThreads::stop_within(std::chrono::milliseconds wait_max) {
    ask_to_stop();
    const auto deadline = Clock::now() + wait_max;
    const bool have_ended = std::ranges::all_of(runners_, [deadline](const Runner& runner) {
        return runner.ended.wait_until(deadline) == std::future_status::ready;
    });
    if (have_ended) {
        stop();
    }
    return have_ended;
}

engine::Tick ZoneThreads::change_layout(Layout layout) {
    join_ended();
    const std::size_t running = runners_.size();
    const auto start_newcomers = [&](engine::Tick first) {
        for (auto runner = std::next(runners_.begin(), static_cast<std::ptrdiff_t>(running));
             runner != runners_.end(); ++runner) {
            runner->first_tick.set_value(first);
        }
    };
    const auto launch_all = [&](const Zone::Newcomers& newcomers) {
        try {
            for (const std::unique_ptr<Shard>& newcomer : newcomers) {
                launch(*newcomer);
            }
        } catch (...) {
            start_newcomers(engine::kNever);
            while (runners_.size() > running) {
                runners_.back().thread.join();
                runners_.pop_back();
            }
            throw;
        }
    };
    const engine::Tick from = zone_.change_layout(std::move(layout), kNoticeTicks, launch_all);
    start_newcomers(from);
    return from;
}

/// The thread waits for its first tick, and does not touch the shard before.
void ZoneThreads::launch(Shard& shard) {
    Runner& runner = runners_.emplace_back();
    try {
        runner.thread = std::thread([this, &shard, &runner] {
            const engine::Tick first = runner.first_tick.get_future().get();
            if (first != engine::kNever) {
                run(shard, first);
            }
            runner.end.set_value();
        });
    } catch (...) {
        runners_.pop_back();
        throw;
    }
}

void ZoneThreads::join_ended() {
    std::erase_if(runners_, [](Runner& runner) {
        if (runner.ended.wait_for(Clock::duration{0}) == std::future_status::ready) {
            runner.thread.join();
            return true;
        }
        return false;
    });
}

void ZoneThreads::run(Shard& shard, engine::Tick first) {
    const ShardId id = shard.id();
    name_this_thread(fmt::format("shard {}", to_number(id)));
    const std::uint32_t cores = zone_.options().pin_cores;
    const std::uint32_t turn = cores == 0 ? 0 : core_turns_.take();
    try {
        if (cores != 0) {
            if (const auto error = pin_this_thread(turn, cores)) {
                spdlog::warn("the thread of shard '{}' is not pinned to a core: {}",
                             zone_.name_of(id), error.message());
            }
        }
        run_ticks(shard, first);  // after which there may be no shard
    } catch (const std::exception& error) {
        fail(id, error.what());
    }
    if (cores != 0) {
        core_turns_.give_back(turn);
    }
}

void ZoneThreads::watch_for_stalls() {
    do {
        const auto progress = [this](ShardId shard) {
            return zone_.metrics(shard).progress.load(std::memory_order_relaxed);
        };
        if (const auto standstill = stall_watch_.look(Clock::now(), progress)) {
            fail(standstill->shard,
                 fmt::format("it stands still in tick {}, for {} ms by now", standstill->tick,
                             zone_.options().shard_stall_ms_max));
            return;
        }
    } while (sleep_until(Clock::now() + stall_watch_.interval()));
}

void ZoneThreads::fail(ShardId shard, const std::string& what) {
    const std::string name = zone_.name_of(shard);
    spdlog::critical("shard '{}' failed: {}", name, what);
    ask_to_stop();
    if (!has_failed_.exchange(true)) {
        on_failure_("shard '" + name + "': " + what);
    }
}

void ZoneThreads::run_ticks(Shard& shard, engine::Tick first) {
    ShardMetrics& metrics = shard.metrics();
    engine::Tick tick = first;
    while (sleep_until(clock_->due(tick))) {
        run_tick(shard, tick);
        const engine::Tick due = clock_->due_at(Clock::now());
        if (due > tick) {
            metrics.ticks_late_total.fetch_add(1, std::memory_order_relaxed);
            metrics.ticks_skipped_total.fetch_add(due - tick - 1, std::memory_order_relaxed);
        }
        if (shard.is_drained() && zone_.retire(shard.id())) {
            return;  // and the shard is no more
        }
        tick = std::max(tick + 1, due);
    }
}

void ZoneThreads::run_tick(Shard& shard, engine::Tick tick) {
    const OnShard here(tick, clock_->pace(tick), clock_->server_time_us(tick));
    zone_.note_server_time(here.server_time_us());
    const auto begin = Clock::now();
    const auto on_core_before = time_on_core();
    stall_watch_.begin(shard.id(), tick);
    shard.before_gate(here, zone_.begin_tick(shard.id(), tick));

    const auto at_gate = Clock::now();
    const MissingBatches missing = zone_.transport().await(tick, at_gate + gate_wait_max());

    const auto past_gate = Clock::now();
    shard.after_gate(here, missing);

    stall_watch_.end(shard.id());
    const auto end = Clock::now();
    const auto worked = (at_gate - begin) + (end - past_gate);
    ShardMetrics& metrics = shard.metrics();
    const std::uint64_t bytes_max = zone_.options().tick_bytes_max;
    const bool is_too_much =
        bytes_max != 0 && metrics.frame_bytes_last.load(std::memory_order_relaxed) > bytes_max;
    clock_->report(worked, time_on_core() - on_core_before, zone_.shard_count(), end, is_too_much);
    const std::uint64_t worked_us = in_us(worked);
    metrics.tick_us_last.store(worked_us, std::memory_order_relaxed);
    metrics.tick_duration.add(worked);
    metrics.gate_wait.add(past_gate - at_gate);
    raise_to(metrics.tick_us_max, worked_us);
    raise_to(metrics.gate_us_max, in_us(past_gate - at_gate));
}

/// Never longer than a tick: whoever waited longer for a late shard would be late itself.
ZoneThreads::Clock::duration ZoneThreads::gate_wait_max() const {
    const ZoneOptions& options = zone_.options();
    return std::min<Clock::duration>(
        std::chrono::milliseconds(options.border_wait_ms_max),
        std::chrono::nanoseconds(1'000'000'000 / options.tick_rate_hz));
}

void ZoneThreads::ask_to_stop() {
    {
        const std::lock_guard lock(stop_mutex_);
        is_stopping_ = true;
    }
    stop_changed_.notify_all();
    zone_.transport().close();
}

bool ZoneThreads::sleep_until(Clock::time_point due) {
    std::unique_lock lock(stop_mutex_);
    return !stop_changed_.wait_until(lock, due, [this] { return is_stopping_; });
}

}  // namespace marchland::shards
