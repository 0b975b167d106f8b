// How many players fit into the ticks of a shard, in real time, with a thread for each shard.

#include "shards/zone_threads.h"
#include "tools/bench/statistics.h"
#include "tools/bench/zone_cases.h"
#include "tools/bench/zone_stage.h"
#include "tools/bench/zone_tick_times.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <stdexcept>
#include <utility>

namespace marchland::bench {
namespace {

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
    void tell(bool does_fit) {
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
                               const ZoneProbes& probes) {
    TickTimesOutlet outlet(plan.warm_up_ticks);
    ZoneStage stage(crowd, cut, outlet);
    stage.populate();
    std::atomic<bool> has_failed{false};
    shards::ZoneThreads threads(stage.zone(), [&](const std::string&) { has_failed = true; });
    threads.start();
    const bool is_complete = outlet.wait_for_ticks(
        cut.shards(), plan.ticks, [&] { return has_failed || probes.is_interrupted(); });
    threads.stop();
    if (has_failed) throw std::runtime_error("zone: a shard failed; the log says why");
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

}  // namespace

std::vector<ZoneResult> measure_budget(const ZoneEffort& effort, const ZoneProbes& probes) {
    const BudgetPlan plan = effort.is_quick ? kQuickPlan : BudgetPlan{};
    const Search start(plan.players_at_first, plan.resolution);
    std::array<Contestant, 2> contestants = {
        {{{1, 1, 1, plan.tick_rate_hz}, start, {}}, {{2, 1, 1, plan.tick_rate_hz}, start, {}}}};
    const auto is_over = [](const Contestant& one) { return one.search.is_over(); };
    // In turns: a machine that slows down, slows down for both.
    for (std::size_t round = 0; !std::ranges::all_of(contestants, is_over); ++round) {
        probes.progress(round, round + 1);
        for (Contestant& one : contestants) {
            if (is_over(one)) continue;
            const Crowd crowd = open_world(one.search.next(), effort.seed);
            auto probe = run_probe(crowd, one.cut, plan, probes);
            if (!probe) return {};
            const bool does_fit = probe->fitting_ms() <= plan.budget_ms();
            if (does_fit) one.best = *std::move(probe);
            one.search.tell(does_fit);
        }
    }
    return {result_of(contestants[0], contestants[0], plan),
            result_of(contestants[1], contestants[0], plan)};
}

}  // namespace marchland::bench
