#include "tools/bench/index_benchmark.h"

#include "engine/assert.h"
#include "engine/sweep/candidates.h"
#include "tools/bench/reference.h"
#include "tools/bench/statistics.h"
#include "tools/progress/progress_line.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <ostream>

namespace marchland::bench {
namespace {

/// One call of a contender is a step: a tick, or a batch of single moves.
struct Shape {
    std::size_t warm_up_steps = 0;
    std::size_t steps = 0;     ///< of one repetition
    std::size_t entities = 0;  ///< or moves, of one step
};

Shape shape_of(const Workload& workload, Path path, const CommonOptions& common) {
    const auto shortened = [&](std::uint32_t count) {
        return std::max<std::size_t>(1, count / common.shorter);
    };
    if (path == Path::move) {
        // Everyone has moved once then, and lists have their sizes; on a large map, most around.
        constexpr std::uint32_t kWarmUpMovesMax = 10'000;
        const std::size_t warm_up = shortened(std::min(workload.entities, kWarmUpMovesMax));
        const std::size_t moves = shortened(workload.moves);
        return {.warm_up_steps = warm_up / moves + 1, .steps = 1, .entities = moves};
    }
    return {shortened(workload.warm_up_ticks), shortened(workload.ticks), workload.entities};
}

Workload without_limits(Workload workload) {
    workload.limits = {};
    return workload;
}

/// What every step must count, computed before anything is timed.
struct Reference {
    std::vector<EventTotals> steps;
    double k_mean = 0;
};

Reference tick_reference(const Workload& workload, Movement movement, std::size_t steps) {
    Reference reference;
    const auto count = make_tick_reference(workload, movement.positions());
    std::uint64_t pairs = 0;
    for (std::size_t i = 0; i < steps; ++i) {
        reference.steps.push_back(count->advance(movement.advance_tick()));
        pairs += count->visible_pairs();
    }
    reference.k_mean =
        static_cast<double>(pairs) / static_cast<double>(steps * movement.positions().size());
    return reference;
}

Reference move_reference(const Workload& workload, Movement movement, std::size_t steps,
                         std::size_t moves) {
    Reference reference;
    const auto count = make_move_reference(workload, movement.positions());
    for (std::size_t i = 0; i < steps; ++i) {
        reference.steps.push_back(count(movement.advance_some(moves)));
    }
    const auto last = make_tick_reference(workload, movement.positions());
    reference.k_mean = static_cast<double>(last->visible_pairs()) /
                       static_cast<double>(movement.positions().size());
    return reference;
}

/// A contender on its way through a movement of its own, which is everybody's.
class Run {
public:
    Run(std::unique_ptr<Contender> contender, const Movement& movement, Path path, Shape shape,
        const Reference& reference)
        : contender_(std::move(contender)),
          movement_(movement),
          path_(path),
          shape_(shape),
          reference_(reference) {}

    void warm_up() {
        for (std::size_t i = 0; i < shape_.warm_up_steps; ++i) {
            step();
        }
    }

    /// One repetition; its figure goes to ns_per_entity().
    void repeat(const Probes& probes) {
        Clocks spent;
        for (std::size_t i = 0; i < shape_.steps; ++i) {
            spent += step(&probes);
        }
        const auto units = static_cast<double>(shape_.steps * shape_.entities);
        ns_per_entity_.push_back(static_cast<double>(spent.cpu_ns) / units);
        wall_ns_per_entity_.push_back(static_cast<double>(spent.wall_ns) / units);
    }

    [[nodiscard]] const std::vector<double>& ns_per_entity() const { return ns_per_entity_; }

    [[nodiscard]] bool is_limited() const { return contender_->is_limited(); }

    /// The others are null where they do not run.
    [[nodiscard]] CaseResult result(const Workload& workload, const Run* hash_grid,
                                    const Run* unlimited) const {
        const std::size_t steps = ns_per_entity_.size() * shape_.steps;
        const std::size_t units = path_ == Path::move ? steps * shape_.entities : steps;
        return {
            .workload = std::string(workload.name),
            .index = std::string(contender_->name()),
            .path = path_,
            .entities = workload.entities,
            .threads = contender_->threads(),
            .ns_per_entity = median(ns_per_entity_),
            .wall_ns_per_entity = median(wall_ns_per_entity_),
            .spread = spread(ns_per_entity_),
            .ratio_to_hash_grid = ratio_to(hash_grid),
            .ratio_to_unlimited = ratio_to(unlimited),
            .exact = is_exact_,
            .allocations_per_tick = static_cast<double>(allocations_) / static_cast<double>(units),
            .bytes_per_entity = contender_->bytes_per_entity(),
            .k_mean = reference_.k_mean,
            .events = events_};
    }

private:
    [[nodiscard]] std::optional<double> ratio_to(const Run* other) const {
        if (other == nullptr) return std::nullopt;
        return median_ratio(ns_per_entity_, other->ns_per_entity_);
    }

    /// One step; `probes` only where it is timed. Making the movement is never part of the time.
    Clocks step(const Probes* probes = nullptr) {
        Positions to;
        std::span<const Move> moves;
        if (path_ == Path::move) {
            moves = movement_.advance_some(shape_.entities);
        } else {
            to = movement_.advance_tick();
        }
        const std::uint64_t allocations_before = probes ? probes->host.allocation_count() : 0;
        const Clocks start = clocks_now();
        const EventTotals totals =
            path_ == Path::move ? contender_->run_moves(moves) : contender_->run_tick(to);
        const Clocks spent = clocks_now() - start;

        is_exact_ = is_exact_ && totals == reference_.steps.at(next_step_++);
        if (probes) {
            allocations_ += probes->host.allocation_count() - allocations_before;
            events_ += totals;
        }
        return spent;
    }

    std::unique_ptr<Contender> contender_;
    Movement movement_;
    const Path path_;
    const Shape shape_;
    const Reference& reference_;
    std::size_t next_step_ = 0;
    std::vector<double> ns_per_entity_;       ///< by repetition
    std::vector<double> wall_ns_per_entity_;  ///< by repetition
    std::uint64_t allocations_ = 0;
    EventTotals events_;
    bool is_exact_ = true;
};

}  // namespace

std::vector<MakeContender> make_contenders(const Workload& workload, Path path,
                                           const std::vector<std::string>& index_names) {
    std::vector<MakeContender> contenders;
    if (is_usual(workload)) {
        contenders.emplace_back(make_hash_grid);
    }
    for (const std::string& name : index_names) {
        if (name == kAoi) {
            if (!workload.limits.is_any_set()) contenders.emplace_back(make_aoi);
            continue;
        }
        if (workload.limits.is_any_set()) {
            contenders.emplace_back([name](const Workload& of, Positions at) {
                return make_interest(name, without_limits(of), at);
            });
        }
        contenders.emplace_back(std::bind_front(make_interest, name));
        if (path == Path::tick && workload.is_halved) {
            contenders.emplace_back(std::bind_front(make_halves, name));
        }
    }
    return contenders;
}

std::vector<CaseResult> measure(const Workload& workload, Path path, const CommonOptions& common,
                                std::span<const MakeContender> contenders, const Probes& probes) {
    MARCHLAND_ASSERT(common.repetitions > 0 && common.shorter > 0);
    const Shape shape = shape_of(workload, path, common);
    const std::size_t steps = shape.warm_up_steps + common.repetitions * shape.steps;
    const Movement movement(workload, common.seed);
    probes.show(0, common.repetitions);
    const Reference reference = path == Path::move
                                    ? move_reference(workload, movement, steps, shape.entities)
                                    : tick_reference(workload, movement, steps);
    const Reference unlimited = workload.limits.is_any_set()
                                    ? tick_reference(without_limits(workload), movement, steps)
                                    : Reference{};

    std::vector<Run> runs;
    for (const MakeContender& make : contenders) {
        if (probes.host.is_interrupted()) return {};
        auto contender = make(workload, movement.positions());
        const bool is_as_set = contender->is_limited() == workload.limits.is_any_set();
        runs.emplace_back(std::move(contender), movement, path, shape,
                          is_as_set ? reference : unlimited);
        runs.back().warm_up();
    }
    for (std::size_t i = 0; i < common.repetitions; ++i) {
        for (Run& run : runs) {
            if (probes.host.is_interrupted()) return {};
            run.repeat(probes);
        }
        probes.show(i + 1, common.repetitions);
    }

    std::vector<CaseResult> results;
    results.reserve(runs.size());
    for (std::size_t i = 0; i < runs.size(); ++i) {
        MARCHLAND_ASSERT(!runs[i].is_limited() || (i > 0 && !runs[i - 1].is_limited()));
        results.push_back(runs[i].result(workload, is_usual(workload) ? &runs.front() : nullptr,
                                         runs[i].is_limited() ? &runs[i - 1] : nullptr));
    }
    return results;
}

namespace {

constexpr const char* kFooter = R"(
Everyone watches and is watched in a circle of 50 m and walks 0.25 m a tick. Path tick: all moves, then
the exact events and frames of everybody. Path move: one move at a time, its events known after each.
Beside our index the same run times hash_grid, the usual home-made solution (3 x 3 cells of a hash
table, sorted visible sets, their difference): the ratio is what to compare between machines. It
knows only circles, and no limits: workloads of others run without it. Where limits are set, the same
index runs without them beside it.

Every count is compared with a slow and independent one, outside the timed part: 'exact'.

Exit code: 0 all counts are exact, 1 some are not, 2 bad arguments, 130 interrupted with Ctrl-C
(what was finished is reported).

  marchland-bench index
  marchland-bench index --workload A C --repetitions 20 --json
  marchland-bench index --workload million
  marchland-bench index --workload A --simd AVX2
  marchland-bench index --workload A --path move --index grid_cross_list aoi)";

struct Options {
    std::vector<std::string> cases;  ///< workloads; empty: those that are not on demand
    std::vector<std::string> paths;
    std::vector<std::string> indexes;
    std::string simd;
    bool all = false;
    CommonOptions common{.repetitions = 7};
};

constexpr std::string_view kAllIndexes = "all";

std::vector<std::string> known_indexes() {
    const auto ours = engine::index_names();
    std::vector<std::string> names(ours.begin(), ours.end());
    names.emplace_back(kAoi);
    names.emplace_back(kAllIndexes);
    return names;
}

void declare(CLI::App& app, Options& options) {
    CLI::Option* const workload =
        app.add_option("--workload", options.cases, listing("Only these:", all_workloads()))
            ->check(CLI::IsMember(names_of(all_workloads())))
            ->type_name("NAME...");
    app.add_flag("--all", options.all, "All workloads, also those that only run by their name")
        ->excludes(workload);
    app.add_option("--path", options.paths, "Only these: tick, move (default: both)")
        ->check(CLI::IsMember({"tick", "move"}))
        ->type_name("NAME...");
    app.add_option("--index", options.indexes,
                   "Of ours, which (default: grid_cross_list); all: all indexes;\n"
                   "aoi: engine/aoi.h, the library, with its index by default")
        ->check(CLI::IsMember(known_indexes()))
        ->type_name("NAME...");
    app.add_option("--simd", options.simd,
                   "Instructions that the engine scans with: AVX3 (which is AVX-512), AVX2, SSE4,\n"
                   "SSSE3, or the portable SCALAR or EMU128; the best that the machine has")
        ->type_name("NAME");
}

std::string_view name_of(Path path) {
    return path == Path::tick ? "tick" : "move";
}

double wall_ms(const CaseResult& result) {
    return result.wall_ns_per_entity * result.entities / 1e6;
}

/// Not on path move, where there are no ticks.
std::string ms_per_tick(const CaseResult& result) {
    if (result.path == Path::move) return "";
    return fmt::format(R"("ms_per_tick":{:.3f},)", wall_ms(result));
}

/// `grid_cross_list`, or `grid_cross_list x2` on two threads.
std::string contender(const CaseResult& result) {
    return result.threads == 1 ? result.index : fmt::format("{} x{}", result.index, result.threads);
}

std::string number_or_null(const std::optional<double>& number) {
    return number ? fmt::format("{:.4f}", *number) : "null";
}

std::string to_json(const CaseResult& result) {
    return fmt::format(
        R"({{"workload":"{}","index":"{}","path":"{}","ns_per_entity":{:.1f},)"
        R"("ratio_to_hash_grid":{},"ratio_to_unlimited":{},"exact":{},"allocations_per_tick":{:.3f},"spread":{:.3f},"bytes_per_entity":{},)"
        R"("k_mean":{:.2f},"entities":{},"threads":{},{}"events":{{"enter":{},"leave":{},"move":{},"checksum":"{:016x}"}}}})",
        result.workload, result.index, name_of(result.path), result.ns_per_entity,
        number_or_null(result.ratio_to_hash_grid), number_or_null(result.ratio_to_unlimited),
        result.exact, result.allocations_per_tick, result.spread,
        number_or_null(result.bytes_per_entity), result.k_mean, result.entities, result.threads,
        ms_per_tick(result), result.events.enter, result.events.leave, result.events.move,
        result.events.checksum);
}

/// A table for people, with a line that says how to read it.
std::string table_of(std::span<const CaseResult> results) {
    std::string table = fmt::format(
        "{:<14} {:>6}  {:<5} {:<24} {:>10} {:>9} {:>7} {:>13} {:>6} {:>8}\n", "workload", "k",
        "path", "index", "ns/entity", "ms/tick", "spread", "of yardstick", "exact", "allocs");
    for (const CaseResult& result : results) {
        const std::string ms =
            result.path == Path::move ? "" : fmt::format("{:.3f}", wall_ms(result));
        const auto ratio =
            result.ratio_to_unlimited ? result.ratio_to_unlimited : result.ratio_to_hash_grid;
        table += fmt::format(
            "{:<14} {:>6.1f}  {:<5} {:<24} {:>10.1f} {:>9} {:>6.0f}% {:>13} {:>6} {:>8.2f}\n",
            result.workload, result.k_mean, name_of(result.path), contender(result),
            result.ns_per_entity, ms, result.spread * 100,
            ratio ? fmt::format("{:.1f}%", *ratio * 100) : "", result.exact ? "yes" : "NO",
            result.allocations_per_tick);
    }
    return table +
           fmt::format(
               "ns/entity: CPU time of all threads, per entity and tick (path move: per "
               "move);\nms/tick: by the clock on the wall. Medians of the "
               "repetitions. Compare within one run only,\nas 'of yardstick': hash_grid, with "
               "limits the same index without. Allocs: per tick, or per move. SIMD: {}.\n",
               engine::simd_target());
}

/// Of ours, those that are measured.
std::vector<std::string> chosen_indexes(const Options& options) {
    const auto all = engine::index_names();
    if (options.indexes.empty()) return {std::string(all.front())};
    if (!has(options.indexes, kAllIndexes)) return options.indexes;
    return {all.begin(), all.end()};
}

bool is_chosen(const Options& options, const Workload& workload, Path path) {
    const bool is_named = options.cases.empty() ? options.all || !workload.is_on_demand
                                                : has(options.cases, workload.name);
    return is_named && (options.paths.empty() || has(options.paths, name_of(path))) &&
           (path == Path::tick || workload.moves > 0);
}

std::vector<CaseResult> measure_paths(const Workload& workload, const Options& options,
                                      const Host& host, tools::ProgressLine& line) {
    std::vector<CaseResult> results;
    for (const Path path : {Path::tick, Path::move}) {
        if (host.is_interrupted()) break;
        if (!is_chosen(options, workload, path)) continue;
        const Probes probes{
            host, line,
            fmt::format("index: {}, path {}, repetition", workload.name, name_of(path))};
        const auto contenders = make_contenders(workload, path, chosen_indexes(options));
        for (CaseResult& result : measure(workload, path, options.common, contenders, probes)) {
            results.push_back(std::move(result));
        }
    }
    return results;
}

}  // namespace

int run_index_benchmark(int argc, const char* const* argv, const Host& host) {
    CLI::App app("The engine's index against the usual home-made one.", "marchland-bench index");
    app.footer(kFooter);
    Options options;
    declare(app, options);
    parse(app, options.common, "Shorter and unsteady: does it run, are the counts exact?", argc,
          argv, host);
    if (!engine::use_simd_target(options.simd)) {
        throw tools::BadInput(
            fmt::format("--simd: this machine or build has no '{}'; its best is {}", options.simd,
                        engine::simd_target()));
    }
    const auto has_any = [&](const Workload& workload) {
        return is_chosen(options, workload, Path::tick) || is_chosen(options, workload, Path::move);
    };
    if (std::ranges::none_of(all_workloads(), has_any)) {
        throw tools::BadInput("--path: these workloads run on path tick alone");
    }
    return run_cases<CaseResult>(
        "index", all_workloads(), options, host, measure_paths, to_json, table_of,
        [](const CaseResult& result) { return result.exact; },
        fmt::format(R"("simd":"{}",)", engine::simd_target()));
}

}  // namespace marchland::bench
