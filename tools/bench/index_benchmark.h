#pragma once

#include "tools/bench/benchmark.h"
#include "tools/bench/contender.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// What `marchland-bench index` measures: contenders that run one workload in turns.
namespace marchland::bench {

/// What one contender did in one workload on one path.
struct CaseResult {
    std::string workload;
    std::string index;
    Path path{};
    std::uint32_t entities = 0;
    unsigned threads = 1;
    /// CPU time of all threads for one entity in one tick, or for one move: median of the
    /// repetitions.
    double ns_per_entity = 0;
    double wall_ns_per_entity = 0;             ///< the same by the clock on the wall
    double spread = 0;                         ///< (slowest - quickest repetition) / median
    std::optional<double> ratio_to_hash_grid;  ///< median over the repetitions; below 1 is quicker
    /// With limits: to the same index without them.
    std::optional<double> ratio_to_unlimited;
    bool exact = false;               ///< counts and checksum of every call are the reference's
    double allocations_per_tick = 0;  ///< on path move: per move
    std::optional<double> bytes_per_entity;  ///< at the end
    double k_mean = 0;                       ///< targets in view of a watcher, on average
    EventTotals events;                      ///< of the timed repetitions
};

/// Makes a contender at the given positions of a workload's entities.
using MakeContender =
    std::function<std::unique_ptr<Contender>(const Workload& workload, Positions at)>;

/// hash_grid where the workload is usual, and engine::InterestSystem with each of these indexes
/// (names of engine::index_names()); where limits are set, before each one the same without them;
/// where the workload is halved, beside each one two of them on two threads; engine::Aoi where kAoi
/// is among them and no limits are set.
std::vector<MakeContender> make_contenders(const Workload& workload, Path path,
                                           const std::vector<std::string>& index_names);

/// Runs the contenders, of a usual workload hash_grid first, through the same movement in turns,
/// repetition by repetition: so a machine that drifts, drifts for all. Before that come some
/// untimed calls, which fill caches and scratch memory. Where `common` says shorter, these and the
/// repetitions are, of at least one tick each. The results are in the contenders' order; none after
/// an interruption.
std::vector<CaseResult> measure(const Workload& workload, Path path, const CommonOptions& common,
                                std::span<const MakeContender> contenders, const Probes& probes);

}  // namespace marchland::bench
