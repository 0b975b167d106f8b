#include "tools/bench/workload.h"

#include "tools/random/random.h"

#include <algorithm>
#include <array>

namespace marchland::bench {
namespace {

// The side of the map follows from k, how many a watcher sees on average:
//   k = (N - 1) * pi R^2 / side^2 * (1 - 8R / (3 pi side) + R^2 / (2 pi side^2))
// where the last factor is the part of a view that lies inside the map. Repetitions are long enough
// for a clock of microseconds and short enough for all of them together to take about two minutes.
constexpr std::array<Workload, 16> kWorkloads = {{
    {.name = "A",
     .summary = "10,000 entities, k = 20",
     .entities = 10'000,
     .side_mm = 1'960'000,
     .warm_up_ticks = 300,
     .ticks = 20,
     .moves = 4'000},
    {.name = "B",
     .summary = "10,000 entities, k = 101",
     .entities = 10'000,
     .side_mm = 860'000,
     .warm_up_ticks = 200,
     .ticks = 8,
     .moves = 1'000},
    {.name = "C",
     .summary = "100,000 entities, k = 20",
     .entities = 100'000,
     .side_mm = 6'240'000,
     .warm_up_ticks = 40,
     .ticks = 4,
     .moves = 400},
    {.name = "D",
     .summary = "10,000 entities, half of them in 1 % of the area, k = 440",
     .entities = 10'000,
     .side_mm = 1'900'000,
     .hot_side_mm = 190'000,
     .warm_up_ticks = 60,
     .ticks = 4,
     .moves = 100},
    {.name = "E",
     .summary = "1,000 entities, k = 20",
     .entities = 1'000,
     .side_mm = 604'000,
     .warm_up_ticks = 1'000,
     .ticks = 100,
     .moves = 4'000},
    {.name = "teleport",
     .summary = "A, but everyone goes anywhere in each tick",
     .entities = 10'000,
     .side_mm = 1'960'000,
     .motion = Motion::teleport,
     .warm_up_ticks = 60,
     .ticks = 10,
     .moves = 400},
    {.name = "fast",
     .summary = "A, but ten times faster: 2.5 m a tick",
     .entities = 10'000,
     .side_mm = 1'960'000,
     .steps_per_tick = 10,
     .warm_up_ticks = 300,
     .ticks = 20,
     .moves = 4'000},
    {.name = "thousand",
     .summary = "10,000 entities, k = 1,000",
     .entities = 10'000,
     .side_mm = 257'000,
     .warm_up_ticks = 20,
     .ticks = 2,
     .moves = 50},
    {.name = "hysteresis",
     .summary = "A, but radii of 40 to 50 m, leave radii 4 % wider, two layers; k = 12",
     .entities = 10'000,
     .side_mm = 1'960'000,
     .radius_min_mm = 40'000,
     .radius_max_mm = 50'000,
     .leave_wider_percent = 4,
     .layers = 2,
     .warm_up_ticks = 300,
     .ticks = 20,
     .moves = 1'000},
    {.name = "million",
     .summary = "1,000,000 entities, k = 20, on two threads; minutes, so only by its name or --all",
     .entities = 1'000'000,
     .side_mm = 19'770'000,
     .is_halved = true,
     .is_on_demand = true,
     .warm_up_ticks = 6,
     .ticks = 2},
    {.name = "crowd",
     .summary =
         "D's crowd alone: 5,000 entities in a square of 190 m, k = 855; by its name or --all",
     .entities = 5'000,
     .side_mm = 190'000,
     .is_on_demand = true,
     .warm_up_ticks = 60,
     .ticks = 4,
     .moves = 100},
    {.name = "quiet",
     .summary =
         "D's other half alone: 5,000 entities in the whole map, k = 11; by its name or --all",
     .entities = 5'000,
     .side_mm = 1'900'000,
     .is_on_demand = true,
     .warm_up_ticks = 60,
     .ticks = 4,
     .moves = 100},
    {.name = "rectangle",
     .summary = "A, but views are rectangles of 100 x 80 m; k = 20; by its name or --all",
     .entities = 10'000,
     .side_mm = 1'960'000,
     .view = View::rectangle,
     .half_y_mm = 40'000,
     .is_on_demand = true,
     .warm_up_ticks = 60,
     .ticks = 10,
     .moves = 400},
    {.name = "sector",
     .summary = "A, but views open 60 degrees to either side; k = 7; by its name or --all",
     .entities = 10'000,
     .side_mm = 1'960'000,
     .view = View::sector,
     .half_opening = 10'923,
     .is_on_demand = true,
     .warm_up_ticks = 60,
     .ticks = 10,
     .moves = 400},
    {.name = "sphere",
     .summary =
         "A in three dimensions, 200 m high: views are spheres; k = 20; by its name or --all",
     .entities = 10'000,
     .side_mm = 1'070'000,
     .height_mm = 200'000,
     .is_on_demand = true,
     .warm_up_ticks = 60,
     .ticks = 10,
     .moves = 400},
    {.name = "beacon",
     .summary = "A, but one of all is seen from 500 m; k = 20; by its name or --all",
     .entities = 10'000,
     .side_mm = 1'960'000,
     .beacons = 1,
     .beacon_mm = 500'000,
     .is_on_demand = true,
     .warm_up_ticks = 60,
     .ticks = 10,
     .moves = 400},
}};

std::int32_t wider(const Workload& workload, std::int64_t than) {
    return static_cast<std::int32_t>(than * (100 + workload.leave_wider_percent) / 100);
}

/// All but radii and layers, which are drawn.
Senses common_senses(const Workload& workload) {
    constexpr std::int32_t kHalfTurn = 32'768;
    Senses senses;
    senses.view = workload.view;
    senses.half_y_mm = workload.half_y_mm;
    senses.leave_half_y_mm = wider(workload, workload.half_y_mm);
    senses.half_opening = workload.half_opening;
    senses.leave_half_opening =
        static_cast<std::uint16_t>(std::min(wider(workload, workload.half_opening), kHalfTurn));
    return senses;
}

}  // namespace

std::vector<Senses> senses_of(const Workload& workload) {
    tools::Random random(0);  // never the movement's numbers, so that the movement stays what it is
    std::vector<Senses> all(workload.entities, common_senses(workload));
    for (std::uint32_t entity = 0; entity < std::min(workload.beacons, workload.entities);
         ++entity) {
        all[entity].beacon_mm = workload.beacon_mm;
        all[entity].leave_beacon_mm = wider(workload, workload.beacon_mm);
    }
    for (Senses& senses : all) {
        if (workload.view == View::sector) {
            senses.facing = static_cast<std::uint16_t>(random.next() % 65'536);
        }
        const std::int64_t radius = random.between(workload.radius_min_mm, workload.radius_max_mm);
        senses.radius_mm = static_cast<std::int32_t>(radius);
        senses.leave_radius_mm = wider(workload, radius);
        if (workload.layers == 1) continue;
        senses.layers = random.one_in(2) ? 1 : 2;
        senses.layers_seen = random.one_in(2) ? 3 : random.one_in(2) ? 1 : 2;
    }
    return all;
}

std::int32_t reach_mm(const Workload& workload) {
    return wider(workload, std::max(workload.radius_max_mm, workload.half_y_mm));
}

bool is_usual(const Workload& workload) {
    return workload.view == View::circle && workload.height_mm == 0 && workload.beacons == 0;
}

bool is_mutual(const Workload& workload) {
    return workload.view != View::sector && workload.beacons == 0 &&
           workload.radius_min_mm == workload.radius_max_mm && workload.layers == 1;
}

bool is_plain(const Workload& workload) {
    return is_usual(workload) && is_mutual(workload) && workload.leave_wider_percent == 0;
}

std::span<const Workload> all_workloads() {
    return kWorkloads;
}

const Workload* find_workload(std::string_view name) {
    const auto found = std::find_if(kWorkloads.begin(), kWorkloads.end(),
                                    [name](const Workload& w) { return w.name == name; });
    return found == kWorkloads.end() ? nullptr : &*found;
}

}  // namespace marchland::bench
