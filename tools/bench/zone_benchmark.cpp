#include "tools/bench/zone_benchmark.h"

#include "shards/shard_metrics.h"
#include "shards/zone_threads.h"
#include "tools/process/resources.h"
#include "tools/progress/progress_line.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <iterator>
#include <malloc.h>
#include <map>
#include <mutex>
#include <ostream>
#include <stdexcept>
#include <thread>

namespace marchland::bench {
namespace {

double in_ms(std::uint64_t ns) {
    return static_cast<double>(ns) / 1e6;
}

void run_repetition(ZoneStage& stage, const Turns& turns, StageTimes& times) {
    Clocks sum;
    for (std::size_t tick = 0; tick < turns.ticks; ++tick) {
        if (turns.before_tick) turns.before_tick(stage, tick);
        const Clocks took = stage.step();
        times.tick_cpu_ms.push_back(in_ms(took.cpu_ns));
        times.tick_wall_ms.push_back(in_ms(took.wall_ns));
        sum += took;
    }
    times.repetition_cpu_ms.push_back(in_ms(sum.cpu_ns));
    stage.step_and_read();
}

std::uint32_t scaled(std::uint32_t entities, const CommonOptions& options) {
    return entities / options.shorter;
}

Turns turns_of(const CommonOptions& options) {
    Turns turns;
    turns.repetitions = options.repetitions;
    if (options.is_quick) {
        turns.warm_up_ticks = 2;
        turns.ticks = 3;
    }
    return turns;
}

Stages make_stages(const Crowd& crowd, std::span<const Cut> cuts, shards::FrameOutlet& outlet) {
    Stages stages;
    for (const Cut& cut : cuts) {
        stages.push_back(std::make_unique<ZoneStage>(crowd, cut, outlet));
        stages.back()->populate();
    }
    return stages;
}

/// What all but the layout's case do. `extend(result, stage number, times)` adds figures.
template <typename Extend>
std::vector<ZoneResult> compare(std::string_view name, const Crowd& crowd, const Stages& stages,
                                const Turns& turns, const Probes& probes, Extend&& extend) {
    const std::vector<StageTimes> times = run_in_turns(stages, turns, probes);
    std::vector<ZoneResult> results;
    for (std::size_t i = 0; i < times.size(); ++i) {
        results.push_back(result_of(name, i, crowd, stages, times));
        extend(results.back(), i, times);
    }
    return results;
}

std::vector<ZoneResult> measure_cpu(const CommonOptions& options, const Probes& probes) {
    constexpr std::array<Cut, 4> kCuts = {{{1, 1}, {2, 2}, {4, 4}, {8, 8}}};
    const Crowd crowd = open_world(scaled(10'000, options), options.seed);
    trace::NoOutlet outlet;
    const Stages stages = make_stages(crowd, kCuts, outlet);
    return compare("cpu", crowd, stages, turns_of(options), probes,
                   [&](ZoneResult& result, std::size_t i, const std::vector<StageTimes>&) {
                       result.figures.emplace_back("ghosts",
                                                   static_cast<double>(stages[i]->ghosts()));
                   });
}

/// A crowd in one shard, alone and with two threads.
std::vector<ZoneResult> measure_shared(std::string_view name, const Crowd& crowd,
                                       const Turns& turns, const Probes& probes) {
    constexpr std::array<Cut, 2> kCuts = {{{1, 1, 1}, {1, 1, 2}}};
    trace::NoOutlet outlet;
    const Stages stages = make_stages(crowd, kCuts, outlet);
    return compare(
        name, crowd, stages, turns, probes,
        [&](ZoneResult& result, std::size_t i, const std::vector<StageTimes>& times) {
            result.figures = {
                {"wall_ms_p50", median(times[i].tick_wall_ms)},
                {"wall_ratio_to_one_thread",
                 median_ratio(times[i].tick_wall_ms, times[0].tick_wall_ms)},
                {"shared_ticks",
                 static_cast<double>(
                     stages[i]->zone().metrics(shards::ShardId{}).shared_ticks_total.load())}};
        });
}

std::vector<ZoneResult> measure_crowd(const CommonOptions& options, const Probes& probes) {
    return measure_shared(
        "crowd", {.entities = scaled(3'000, options), .side_mm = 150'000, .seed = options.seed},
        turns_of(options), probes);
}

/// Everybody sees everybody, as far as it fits: the tests grow with the square.
std::vector<ZoneResult> measure_spot(const CommonOptions& options, const Probes& probes) {
    Turns turns = turns_of(options);
    turns.warm_up_ticks = 2;
    turns.ticks = 3;
    std::vector<ZoneResult> results;
    for (const std::uint32_t entities : {2'000U, 5'000U, 10'000U}) {
        const Crowd crowd{.entities = scaled(entities, options),
                          .side_mm = 2'000,
                          .seed = options.seed,
                          .is_limited = true};
        std::ranges::move(measure_shared("spot", crowd, turns, probes),
                          std::back_inserter(results));
    }
    return results;
}

std::vector<ZoneResult> measure_handoffs(const CommonOptions& options, const Probes& probes) {
    constexpr std::array<Cut, 2> kCuts = {{{1, 1}, {2, 2}}};
    Crowd crowd = open_world(scaled(10'000, options), options.seed);
    crowd.gait = Gait::jump;
    trace::NoOutlet outlet;
    const Stages stages = make_stages(crowd, kCuts, outlet);
    const Turns turns = turns_of(options);
    return compare(
        "handoffs", crowd, stages, turns, probes,
        [&](ZoneResult& result, std::size_t i, const std::vector<StageTimes>& times) {
            if (i == 0) return;
            // Every tick is like the others: those that were not timed have as many.
            const auto ticks =
                static_cast<double>(turns.warm_up_ticks + turns.repetitions * (turns.ticks + 1));
            const double per_tick = static_cast<double>(stages[i]->handoffs_total()) / ticks;
            const double ms = median(times[i].tick_cpu_ms);
            const double extra_ms = ms - median(times[0].tick_cpu_ms);
            result.figures = {{"handoffs_per_tick", per_tick},
                              {"handoffs_per_cpu_s", per_tick / ms * 1'000},
                              {"us_per_handoff", extra_ms / per_tick * 1'000}};
        });
}

std::vector<ZoneResult> measure_layout(const CommonOptions& options, const Probes& probes) {
    constexpr std::array<Cut, 2> kCuts = {{{1, 1}, {4, 4}}};
    const Crowd crowd = open_world(scaled(50'000, options), options.seed);
    trace::NoOutlet outlet;
    const Stages stages = make_stages(crowd, kCuts, outlet);
    Turns turns = turns_of(options);
    const std::size_t change_at = turns.ticks / 2;
    std::vector<double> prepare_ms;
    bool is_four_by_four = true;
    turns.before_tick = [&](ZoneStage& stage, std::size_t tick) {
        if (&stage == stages.front().get() || tick != change_at) return;
        is_four_by_four = !is_four_by_four;
        const Clocks start = clocks_now();
        is_four_by_four ? stage.change_layout(4, 4) : stage.change_layout(5, 3);
        prepare_ms.push_back(static_cast<double>((clocks_now() - start).cpu_ns) / 1e6);
    };
    return compare(
        "layout", crowd, stages, turns, probes,
        [&](ZoneResult& result, std::size_t i, const std::vector<StageTimes>& times) {
            if (i == 0) return;
            std::vector<double> change_ms;
            std::vector<double> other_ms;
            for (std::size_t tick = 0; tick < times[i].tick_cpu_ms.size(); ++tick) {
                (tick % turns.ticks == change_at ? change_ms : other_ms)
                    .push_back(times[i].tick_cpu_ms[tick]);
            }
            result.figures = {
                {"changes", static_cast<double>(change_ms.size())},
                {"change_tick_ms_p50", median(change_ms)},
                {"change_tick_ms_max", *std::ranges::max_element(change_ms)},
                {"other_tick_ms_max", *std::ranges::max_element(other_ms)},
                {"longest_to_median", result.tick_ms_max / result.tick_ms_p50},
                {"prepare_ms_max", *std::ranges::max_element(prepare_ms)},
                {"handoffs_per_change", static_cast<double>(stages[i]->handoffs_total()) /
                                            static_cast<double>(change_ms.size())}};
        });
}

// What memory an entity, a ghost and a shard take.

/// Memory in use, what the allocator only keeps for later given back.
double resident_now() {
    malloc_trim(0);
    return static_cast<double>(process::resident_bytes());
}

struct Grown {
    double empty_bytes = 0;  ///< by the zone and its shards, which nobody is in
    double crowd_bytes = 0;  ///< by everybody's joining and some ticks
    double ghosts = 0;
};

/// Appends the stage, runs it like all others, and appends its times.
Grown measure_growth(const Crowd& crowd, const Cut& cut, shards::FrameOutlet& outlet,
                     const Turns& turns, const Probes& probes, Stages& stages,
                     std::vector<StageTimes>& times) {
    const double before = resident_now();
    stages.push_back(std::make_unique<ZoneStage>(crowd, cut, outlet));
    stages.back()->step();
    const double empty = resident_now();
    stages.back()->populate();
    Stages alone;
    alone.push_back(std::move(stages.back()));
    for (StageTimes& own : run_in_turns(alone, turns, probes)) {
        times.push_back(std::move(own));
    }
    stages.back() = std::move(alone.front());
    return {empty - before, resident_now() - empty, static_cast<double>(stages.back()->ghosts())};
}

std::vector<ZoneResult> measure_memory(const CommonOptions& options, const Probes& probes) {
    constexpr std::array<Cut, 2> kCuts = {{{1, 1}, {8, 8}}};
    const Crowd crowd = open_world(scaled(50'000, options), options.seed);
    const Turns turns{.warm_up_ticks = options.is_quick ? 2U : 10U, .repetitions = 2, .ticks = 5};
    trace::NoOutlet outlet;
    Stages stages;
    std::vector<StageTimes> times;
    std::vector<Grown> grown;
    for (const Cut& cut : kCuts) {
        grown.push_back(measure_growth(crowd, cut, outlet, turns, probes, stages, times));
        if (times.size() < stages.size()) return {};
    }
    std::vector<ZoneResult> results;
    for (std::size_t i = 0; i < stages.size(); ++i) {
        results.push_back(result_of("memory", i, crowd, stages, times));
        results[i].figures = {
            {"bytes_per_entity", grown[i].crowd_bytes / crowd.entities},
            {"bytes_per_empty_shard", grown[i].empty_bytes / stages[i]->cut().shards()}};
    }
    // What the crowd took beyond what it takes without ghosts.
    results[1].figures.emplace_back("ghosts", grown[1].ghosts);
    results[1].figures.emplace_back(
        "bytes_per_ghost", (grown[1].crowd_bytes - grown[0].crowd_bytes) / grown[1].ghosts);
    return results;
}

// How many players fit into the ticks of a shard, in real time, with a thread for each shard.

/// Sends nothing, but measures what each shard's tick costs: a shard posts once in each tick that
/// has frames, so the CPU time of its thread between two posts is that of a tick. What others do on
/// the machine does not count, as it would by the clock on the wall.
///
/// Threads  post by the shards' threads, everything else by one other. A mutex guards the lists:
///          it is taken once in a tick, long after the gate, when nobody waits for anybody.
class TickTimesOutlet final : public shards::FrameOutlet {
public:
    /// Each shard's first ticks do not count: in the first of them everybody joins.
    explicit TickTimesOutlet(std::size_t warm_up_ticks) : warm_up_ticks_(warm_up_ticks) {}

    [[nodiscard]] std::uint32_t io_thread_count() const override { return 1; }
    void post(std::uint32_t, std::span<const std::shared_ptr<shards::EntityPort>>) override {
        const std::uint64_t now_ns = thread_cpu_ns();
        {
            const std::lock_guard lock(mutex_);
            ShardTimes& times = times_[std::this_thread::get_id()];
            if (times.posts++ >= warm_up_ticks_ && times.last_post_ns != 0) {
                times.tick_ms.push_back(static_cast<double>(now_ns - times.last_post_ns) / 1e6);
            }
            times.last_post_ns = now_ns;
        }
        changed_.notify_one();
    }

    /// Until so many shards have counted so many ticks each: true. False when `is_over`, which is
    /// asked ten times a second, says so before.
    bool wait_for_ticks(std::size_t shards, std::size_t ticks,
                        const std::function<bool()>& is_over) {
        std::unique_lock lock(mutex_);
        const auto is_complete = [&] {
            return times_.size() >= shards && std::ranges::all_of(times_, [&](const auto& entry) {
                       return entry.second.tick_ms.size() >= ticks;
                   });
        };
        while (!changed_.wait_for(lock, std::chrono::milliseconds(100), is_complete)) {
            if (is_over()) return false;
        }
        return true;
    }

    /// By shard, in no order. For when the shards have stopped.
    [[nodiscard]] std::vector<std::vector<double>> take_tick_ms() {
        const std::lock_guard lock(mutex_);
        std::vector<std::vector<double>> all;
        for (auto& [thread, times] : times_) {
            all.push_back(std::move(times.tick_ms));
        }
        return all;
    }

private:
    struct ShardTimes {
        std::size_t posts = 0;
        std::uint64_t last_post_ns = 0;
        std::vector<double> tick_ms;
    };

    const std::size_t warm_up_ticks_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::thread::id, ShardTimes> times_;  ///< guarded by mutex_
};

/// Nine of ten ticks of every shard fit: one that the machine disturbed does not decide.
constexpr std::size_t kPercentThatFits = 90;

struct BudgetPlan {
    std::uint32_t tick_rate_hz = 20;
    std::uint32_t players_at_first = 8'000;
    std::size_t warm_up_ticks = 10;
    std::size_t ticks = 30;
    std::uint32_t resolution = 25;  ///< the answer is within 1 / so many

    [[nodiscard]] double budget_ms() const { return 1'000.0 / tick_rate_hz; }
};

constexpr BudgetPlan kQuickPlan{
    .tick_rate_hz = 128, .players_at_first = 400, .warm_up_ticks = 2, .ticks = 5, .resolution = 2};

/// Up by doubling until something does not fit, then between the two by halves.
class Search {
public:
    Search(std::uint32_t first, std::uint32_t resolution) : next_(first), resolution_(resolution) {}

    [[nodiscard]] std::uint32_t next() const { return next_; }
    [[nodiscard]] std::uint32_t fits() const { return fits_; }
    /// 0: everything that was tried fitted.
    [[nodiscard]] std::uint32_t fits_not() const { return fits_not_; }
    [[nodiscard]] bool is_over() const {
        return next_ > kPlayersMax || (fits_not_ != 0 && fits_not_ - fits_ <= step());
    }
    void set(bool does_fit) {
        (does_fit ? fits_ : fits_not_) = next_;
        next_ = fits_not_ == 0 ? 2 * fits_ : (fits_ + fits_not_) / 2;
    }

private:
    static constexpr std::uint32_t kPlayersMax = 1'000'000;
    [[nodiscard]] std::uint32_t step() const { return std::max(fits_ / resolution_, 8U); }

    std::uint32_t next_;
    std::uint32_t resolution_;
    std::uint32_t fits_ = 0;
    std::uint32_t fits_not_ = 0;
};

struct Probe {
    std::vector<double> tick_ms;  ///< of the shard with the longest ticks
    std::uint64_t ticks_late = 0;
    std::uint64_t stale_borders = 0;

    [[nodiscard]] double fitting_ms() const { return percentile(tick_ms, kPercentThatFits); }
};

/// Runs so many players in real time; nothing after an interruption.
std::optional<Probe> run_probe(const Crowd& crowd, const Cut& cut, const BudgetPlan& plan,
                               const Probes& probes) {
    TickTimesOutlet outlet(plan.warm_up_ticks);
    ZoneStage stage(crowd, cut, outlet);
    stage.populate();
    std::atomic<bool> has_failed{false};
    shards::ZoneThreads threads(stage.zone(), [&](const std::string&) { has_failed = true; });
    threads.start();
    const bool is_complete = outlet.wait_for_ticks(
        cut.shards(), plan.ticks, [&] { return has_failed || probes.host.is_interrupted(); });
    threads.stop();
    if (has_failed) throw std::runtime_error("a shard failed; the log says why");
    if (!is_complete) return std::nullopt;

    Probe probe;
    for (std::vector<double>& times : outlet.take_tick_ms()) {
        const bool is_slowest =
            probe.tick_ms.empty() ||
            percentile(times, kPercentThatFits) > percentile(probe.tick_ms, kPercentThatFits);
        if (is_slowest) probe.tick_ms = std::move(times);
    }
    for (const shards::ShardId id : stage.zone().running_shards()) {
        const shards::ShardMetrics& metrics = stage.zone().metrics(id);
        probe.ticks_late += metrics.ticks_late_total.load();
        probe.stale_borders += metrics.stale_border_ticks_total.load();
    }
    return probe;
}

/// One way to cut the zone, its search, and the probe of the most players that fitted.
struct Contestant {
    Cut cut;
    Search search;
    Probe best;
};

ZoneResult result_of(const Contestant& contestant, const Contestant& one_shard,
                     const BudgetPlan& plan) {
    const Search& search = contestant.search;
    const Probe& best = contestant.best;
    ZoneResult result;
    result.name = "budget";
    result.shards = contestant.cut.shards();
    result.threads = contestant.cut.shards();
    result.entities = search.fits();
    if (!best.tick_ms.empty()) {
        result.tick_ms_p50 = median(best.tick_ms);
        result.tick_ms_p99 = percentile(best.tick_ms, 99);
        result.tick_ms_max = *std::ranges::max_element(best.tick_ms);
        result.spread = spread(best.tick_ms);
    }
    result.figures = {{"budget_ms", plan.budget_ms()},
                      {"players_that_do_not_fit", search.fits_not()},
                      {"late_ticks", static_cast<double>(best.ticks_late)},
                      {"stale_borders", static_cast<double>(best.stale_borders)}};
    if (one_shard.search.fits() != 0) {
        result.figures.emplace_back("players_ratio_to_one_shard",
                                    static_cast<double>(search.fits()) / one_shard.search.fits());
    }
    return result;
}

std::vector<ZoneResult> measure_budget(const CommonOptions& options, const Probes& probes) {
    const BudgetPlan plan = options.is_quick ? kQuickPlan : BudgetPlan{};
    const Search start(plan.players_at_first, plan.resolution);
    std::array<Contestant, 2> contestants = {
        {{{1, 1, 1, plan.tick_rate_hz}, start, {}}, {{2, 1, 1, plan.tick_rate_hz}, start, {}}}};
    const auto is_over = [](const Contestant& one) { return one.search.is_over(); };
    // In turns: a machine that slows down, slows down for both.
    for (std::size_t round = 0; !std::ranges::all_of(contestants, is_over); ++round) {
        probes.show(round, round + 1);
        for (Contestant& one : contestants) {
            if (is_over(one)) continue;
            const Crowd crowd = open_world(one.search.next(), options.seed);
            auto probe = run_probe(crowd, one.cut, plan, probes);
            if (!probe) return {};
            const bool does_fit = probe->fitting_ms() <= plan.budget_ms();
            if (does_fit) one.best = *std::move(probe);
            one.search.set(does_fit);
        }
    }
    return {result_of(contestants[0], contestants[0], plan),
            result_of(contestants[1], contestants[0], plan)};
}

/// One question about a zone, and how it is answered. After an interruption the answer is empty.
struct ZoneCase {
    std::string_view name;
    std::string_view summary;
    std::vector<ZoneResult> (*measure)(const CommonOptions& effort, const Probes& probes);
};

/// In the order in which they are run: memory first, while the heap has no gaps.
constexpr std::array<ZoneCase, 7> kCases = {{
    {"memory", "bytes of an entity and of a ghost: 50,000 entities, 1 and 64 shards",
     measure_memory},
    {"cpu", "10,000 entities: all CPU time of 4, 16 and 64 shards against 1", measure_cpu},
    {"crowd", "3,000 in 150 x 150 m, one shard: alone, and with two threads", measure_crowd},
    {"spot",
     "2,000, 5,000 and 10,000 in 2 x 2 m with the default budgets: alone, and with two threads",
     measure_spot},
    {"handoffs", "10,000 entities, 4 shards: all of them change their shard in each tick",
     measure_handoffs},
    {"layout", "50,000 entities, 16 shards: every tenth tick puts another layout in force",
     measure_layout},
    {"budget", "how many players fit into ticks of 50 ms: 1 shard, and 2 on 2 threads",
     measure_budget},
}};

}  // namespace

std::vector<StageTimes> run_in_turns(const Stages& stages, const Turns& turns,
                                     const Probes& probes) {
    std::vector<StageTimes> times(stages.size());
    for (const auto& stage : stages) {
        for (std::size_t tick = 0; tick < turns.warm_up_ticks; ++tick) {
            if (probes.host.is_interrupted()) return {};
            stage->step_and_read();
        }
    }
    for (std::size_t repetition = 0; repetition < turns.repetitions; ++repetition) {
        probes.show(repetition, turns.repetitions);
        for (std::size_t i = 0; i < stages.size(); ++i) {
            if (probes.host.is_interrupted()) return {};
            run_repetition(*stages[i], turns, times[i]);
        }
    }
    return times;
}

ZoneResult result_of(std::string_view name, std::size_t stage, const Crowd& crowd,
                     const Stages& stages, std::span<const StageTimes> times) {
    const StageTimes& own = times[stage];
    ZoneResult result;
    result.name = name;
    result.shards = stages[stage]->cut().shards();
    result.threads = stages[stage]->cut().executor_threads;
    result.entities = crowd.entities;
    result.cpu_ratio_to_one_shard =
        median_ratio(own.repetition_cpu_ms, times.front().repetition_cpu_ms);
    result.tick_ms_p50 = median(own.tick_cpu_ms);
    result.tick_ms_p99 = percentile(own.tick_cpu_ms, 99);
    result.tick_ms_max = *std::ranges::max_element(own.tick_cpu_ms);
    result.spread = spread(own.repetition_cpu_ms);
    if (stage != 0) {
        result.exact = stages[stage]->digest() == stages.front()->digest();
    }
    return result;
}

namespace {

constexpr const char* kFooter = R"(
Everyone watches in a circle of 50 m (leave radius 55 m), sees 20 others, and walks 0.25 m a tick. The
frames are written as for a client, and dropped: no sockets. All cases but budget run the shards of a zone
one after the other on one thread, ways to cut it in turns, and count CPU time. Budget runs a
thread for each shard against the clock; there, too, a tick's time is CPU time of its thread.

'exact': the bytes of every player's frames are those under one shard. They are compared in ticks that
are not timed; in those that are, their number is.

Exit code: 0 all is exact, 1 something is not, 2 bad arguments, 130 interrupted with Ctrl-C
(the cases that were finished are reported).

  marchland-bench zone
  marchland-bench zone --case cpu handoffs --repetitions 15 --json)";

struct Options {
    std::vector<std::string> cases;
    CommonOptions common{.repetitions = 7};
};

std::string to_json(const ZoneResult& result) {
    const std::string ratio = result.cpu_ratio_to_one_shard
                                  ? fmt::format("{:.4f}", *result.cpu_ratio_to_one_shard)
                                  : "null";
    const std::string exact = result.exact ? fmt::format("{}", *result.exact) : "null";
    std::string figures;
    for (const auto& [name, value] : result.figures) {
        figures += fmt::format(R"(,"{}":{:.3f})", name, value);
    }
    return fmt::format(
        R"({{"case":"{}","shards":{},"threads":{},"entities":{},"cpu_ratio_to_one_shard":{},)"
        R"("tick_ms_p50":{:.3f},"tick_ms_p99":{:.3f},"tick_ms_max":{:.3f},"spread":{:.3f},)"
        R"("exact":{}{}}})",
        result.name, result.shards, result.threads, result.entities, ratio, result.tick_ms_p50,
        result.tick_ms_p99, result.tick_ms_max, result.spread, exact, figures);
}

std::string_view exactness(const ZoneResult& result) {
    return !result.exact ? "-" : *result.exact ? "yes" : "NO";
}

std::string table_of(const std::vector<ZoneResult>& results) {
    std::string table =
        fmt::format("{:<9} {:>6} {:>7} {:>8} {:>12} {:>8} {:>8} {:>8} {:>7} {:>6}  {}\n", "case",
                    "shards", "threads", "entities", "of one shard", "ms p50", "ms p99", "ms max",
                    "spread", "exact", "and");
    for (const ZoneResult& result : results) {
        const std::string ratio = result.cpu_ratio_to_one_shard
                                      ? fmt::format("{:.1f}%", *result.cpu_ratio_to_one_shard * 100)
                                      : "-";
        table += fmt::format(
            "{:<9} {:>6} {:>7} {:>8} {:>12} {:>8.2f} {:>8.2f} {:>8.2f} {:>6.0f}% {:>6} ",
            result.name, result.shards, result.threads, result.entities, ratio, result.tick_ms_p50,
            result.tick_ms_p99, result.tick_ms_max, result.spread * 100, exactness(result));
        for (const auto& [name, value] : result.figures) {
            table += fmt::format(" {}={:.2f}", name, value);
        }
        table += '\n';
    }
    return table +
           "ms: CPU time of a tick, all threads and shards; in 'budget' of the slowest shard's "
           "thread.\nCompare within one run only, as 'of one shard'.\n";
}

}  // namespace

int run_zone_benchmark(int argc, const char* const* argv, const Host& host) {
    CLI::App app("What it costs to cut a zone into shards, and what it gains.",
                 "marchland-bench zone");
    app.footer(kFooter);
    Options options;
    app.add_option("--case", options.cases, listing("Only these:", kCases))
        ->check(CLI::IsMember(names_of(kCases)))
        ->type_name("NAME...");
    parse(app, options.common, "A tenth of the entities, and unsteady: does it run, is it exact?",
          argc, argv, host);
    const auto measure = [](const ZoneCase& one, const Options& of, const Host& around,
                            tools::ProgressLine& line) {
        return one.measure(of.common,
                           {around, line, fmt::format("zone: {}, repetition", one.name)});
    };
    return run_cases<ZoneResult>(
        "zone", kCases, options, host, measure, to_json, table_of,
        [](const ZoneResult& result) { return result.exact.value_or(true); });
}

}  // namespace marchland::bench
