#include "tools/bench/workload.h"

#include <algorithm>
#include <array>

namespace marchland::bench {
namespace {

// The side of the map follows from k, how many a watcher sees on average:
//   k = (N - 1) * pi R^2 / side^2 * (1 - 8R / (3 pi side) + R^2 / (2 pi side^2))
// where the last factor is the part of a view that lies inside the map. Repetitions are long enough
// for a clock of microseconds and short enough for all of them together to take about a minute.
constexpr std::array<Workload, 6> kWorkloads = {{
    {.name = "A",
     .summary = "10,000 entities, k = 20",
     .entities = 10'000,
     .side_mm = 1'960'000,
     .warm_up_ticks = 20,
     .ticks = 20,
     .moves = 1'000},
    {.name = "B",
     .summary = "10,000 entities, k = 101",
     .entities = 10'000,
     .side_mm = 860'000,
     .warm_up_ticks = 20,
     .ticks = 8,
     .moves = 400},
    {.name = "C",
     .summary = "100,000 entities, k = 20",
     .entities = 100'000,
     .side_mm = 6'240'000,
     .warm_up_ticks = 10,
     .ticks = 4,
     .moves = 400},
    {.name = "D",
     .summary = "10,000 entities, half of them in 1 % of the area, k = 440",
     .entities = 10'000,
     .side_mm = 1'900'000,
     .hot_side_mm = 190'000,
     .warm_up_ticks = 10,
     .ticks = 4,
     .moves = 100},
    {.name = "E",
     .summary = "1,000 entities, k = 20",
     .entities = 1'000,
     .side_mm = 604'000,
     .warm_up_ticks = 100,
     .ticks = 100,
     .moves = 1'000},
    {.name = "teleport",
     .summary = "A, but everyone goes anywhere in each tick",
     .entities = 10'000,
     .side_mm = 1'960'000,
     .motion = Motion::teleport,
     .warm_up_ticks = 20,
     .ticks = 10,
     .moves = 400},
}};

}  // namespace

std::span<const Workload> all_workloads() {
    return kWorkloads;
}

const Workload* find_workload(std::string_view name) {
    const auto found = std::find_if(kWorkloads.begin(), kWorkloads.end(),
                                    [name](const Workload& w) { return w.name == name; });
    return found == kWorkloads.end() ? nullptr : &*found;
}

}  // namespace marchland::bench
