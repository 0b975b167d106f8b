#pragma once

#include "tools/bench/zone_report.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace marchland::bench {

/// How much is measured. Larger is steadier and takes longer, in proportion.
struct ZoneEffort {
    std::size_t repetitions = 7;  ///< timed ones, of some ticks each
    std::uint64_t seed = 1;       ///< of who walks where
    bool is_quick = false;        ///< a tenth of the entities, two repetitions: does it run?
};

/// What a case needs from the program around it.
struct ZoneProbes {
    std::function<bool()> is_interrupted;
    std::function<void(std::size_t done, std::size_t of)> progress;
};

/// One question about a zone, and how it is answered. After an interruption the answer is empty.
struct ZoneCase {
    std::string_view name;
    std::string_view summary;
    std::vector<ZoneResult> (*measure)(const ZoneEffort& effort, const ZoneProbes& probes);
};

/// In the order in which they are run: memory first, while the heap has no gaps.
std::span<const ZoneCase> zone_cases();

std::vector<ZoneResult> measure_memory(const ZoneEffort& effort, const ZoneProbes& probes);
std::vector<ZoneResult> measure_cpu(const ZoneEffort& effort, const ZoneProbes& probes);
std::vector<ZoneResult> measure_crowd(const ZoneEffort& effort, const ZoneProbes& probes);
std::vector<ZoneResult> measure_handoffs(const ZoneEffort& effort, const ZoneProbes& probes);
std::vector<ZoneResult> measure_layout(const ZoneEffort& effort, const ZoneProbes& probes);
std::vector<ZoneResult> measure_budget(const ZoneEffort& effort, const ZoneProbes& probes);

}  // namespace marchland::bench
