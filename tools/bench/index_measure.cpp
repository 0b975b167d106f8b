#include "engine/assert.h"
#include "tools/bench/index_benchmark.h"
#include "tools/bench/reference.h"
#include "tools/bench/statistics.h"

#include <algorithm>

namespace marchland::bench {
namespace {

/// One call of a contender is a step: a tick, or a batch of single moves.
struct Shape {
    std::size_t warm_up_steps = 0;
    std::size_t steps = 0;     ///< of one repetition
    std::size_t entities = 0;  ///< or moves, of one step
};

Shape shape_of(const Workload& workload, Path path, const Effort& effort) {
    const auto shortened = [&](std::uint32_t count) {
        return std::max<std::size_t>(1, count / effort.shorter);
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
        reference.steps.push_back(count->advance(movement.advance_some(moves)));
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
        const std::uint64_t allocations_before = probes ? probes->allocation_count() : 0;
        const Clocks start = clocks_now();
        const EventTotals totals =
            path_ == Path::move ? contender_->run_moves(moves) : contender_->run_tick(to);
        const Clocks spent = clocks_now() - start;

        is_exact_ = is_exact_ && totals == reference_.steps.at(next_step_++);
        if (probes) {
            allocations_ += probes->allocation_count() - allocations_before;
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
    const auto with_index = [](auto make, const std::string& name) {
        return [make, name](const Workload& of, Positions at) { return make(name, of, at); };
    };
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
        contenders.emplace_back(with_index(make_interest, name));
        if (path == Path::tick && workload.is_halved) {
            contenders.emplace_back(with_index(make_halves, name));
        }
    }
    return contenders;
}

std::vector<CaseResult> measure(const Workload& workload, Path path, const Effort& effort,
                                std::span<const MakeContender> contenders, const Probes& probes) {
    MARCHLAND_ASSERT(effort.repetitions > 0 && effort.shorter > 0);
    const Shape shape = shape_of(workload, path, effort);
    const std::size_t steps = shape.warm_up_steps + effort.repetitions * shape.steps;
    const Movement movement(workload, effort.seed);
    probes.progress(0, effort.repetitions);
    const Reference reference = path == Path::move
                                    ? move_reference(workload, movement, steps, shape.entities)
                                    : tick_reference(workload, movement, steps);
    const Reference unlimited = workload.limits.is_any_set()
                                    ? tick_reference(without_limits(workload), movement, steps)
                                    : Reference{};

    std::vector<Run> runs;
    for (const MakeContender& make : contenders) {
        if (probes.is_interrupted()) return {};
        auto contender = make(workload, movement.positions());
        const bool is_as_set = contender->is_limited() == workload.limits.is_any_set();
        runs.emplace_back(std::move(contender), movement, path, shape,
                          is_as_set ? reference : unlimited);
        runs.back().warm_up();
    }
    for (std::size_t i = 0; i < effort.repetitions; ++i) {
        for (Run& run : runs) {
            if (probes.is_interrupted()) return {};
            run.repeat(probes);
        }
        probes.progress(i + 1, effort.repetitions);
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

}  // namespace marchland::bench
