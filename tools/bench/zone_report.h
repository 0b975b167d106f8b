#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace marchland::bench {

/// What one way to run a zone did in one case.
struct ZoneResult {
    std::string name;  ///< of the case
    std::uint32_t shards = 1;
    std::uint32_t threads = 1;  ///< that work at the same time
    std::uint32_t entities = 0;
    /// CPU time of all threads against that of one shard on one thread, the same ticks side by side.
    /// None where that was not run.
    std::optional<double> cpu_ratio_to_one_shard;
    /// CPU time of a whole tick, all threads and shards; in the case `budget` of one shard's thread.
    double tick_ms_p50 = 0;
    double tick_ms_p99 = 0;
    double tick_ms_max = 0;
    double spread = 0;  ///< of the repetitions; see statistics.h
    /// Everybody was told the same bytes as under one shard. None where there is nothing to compare.
    std::optional<bool> exact;
    /// What only this case has, each name with its unit last.
    std::vector<std::pair<std::string, double>> figures;
};

/// The object of the contract, one line without its end.
std::string zone_json(std::span<const ZoneResult> results, std::string_view commit,
                      bool is_interrupted);
/// For people.
std::string zone_table(std::span<const ZoneResult> results);

}  // namespace marchland::bench
