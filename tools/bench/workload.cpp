#include "tools/bench/workload.h"

#include <algorithm>
#include <array>
#include <numbers>

namespace marchland::bench {
namespace {

// The side of the map follows from k, how many a watcher sees on average:
//   k = (N - 1) * pi R^2 / side^2 * (1 - 8R / (3 pi side) + R^2 / (2 pi side^2))
// where the last factor is the part of a view that lies inside the map. Repetitions are long enough
// for a clock of microseconds and short enough for all of them together to take about two minutes.
constexpr std::array<Workload, 22> kWorkloads = {{
    {.name = "A",
     .summary = "10,000 entities, k = 20",
     .warm_up_ticks = 300,
     .ticks = 20,
     .moves = 4'000},
    {.name = "B",
     .summary = "10,000 entities, k = 101",
     .side_mm = 860'000,
     .warm_up_ticks = 200,
     .ticks = 8,
     .moves = 1'000},
    {.name = "C",
     .summary = "100,000 entities, k = 20",
     .entities = 100'000,
     .side_mm = 6'240'000,
     .warm_up_ticks = 40,
     .ticks = 4},
    {.name = "D",
     .summary = "10,000 entities, half of them in 1 % of the area, k = 440",
     .side_mm = 1'900'000,
     .hot_side_mm = 190'000,
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
     .gait = Gait::teleport},
    {.name = "fast",
     .summary = "A, but ten times faster: 2.5 m a tick",
     .steps_per_tick = 10,
     .warm_up_ticks = 300,
     .ticks = 20,
     .moves = 4'000},
    {.name = "thousand",
     .summary = "10,000 entities, k = 1,000",
     .side_mm = 257'000,
     .warm_up_ticks = 20,
     .ticks = 2,
     .moves = 50},
    {.name = "hysteresis",
     .summary = "A, but radii of 40 to 50 m, leave radii 4 % wider, two layers; k = 12",
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
     .ticks = 2,
     .moves = 0},
    {.name = "crowd",
     .summary =
         "D's crowd alone: 5,000 entities in a square of 190 m, k = 855; by its name or --all",
     .entities = 5'000,
     .side_mm = 190'000,
     .is_on_demand = true,
     .ticks = 4,
     .moves = 100},
    {.name = "quiet",
     .summary =
         "D's other half alone: 5,000 entities in the whole map, k = 11; by its name or --all",
     .entities = 5'000,
     .side_mm = 1'900'000,
     .is_on_demand = true,
     .ticks = 4,
     .moves = 100},
    {.name = "rectangle",
     .summary = "A, but views are rectangles of 100 x 80 m; k = 20; by its name or --all",
     .view = View::rectangle,
     .half_y_mm = 40'000,
     .is_on_demand = true},
    {.name = "sector",
     .summary = "A, but views open 60 degrees to either side; k = 7; by its name or --all",
     .view = View::sector,
     .half_opening = 10'923,
     .is_on_demand = true},
    {.name = "sphere",
     .summary =
         "A in three dimensions, 200 m high: views are spheres; k = 20; by its name or --all",
     .side_mm = 1'070'000,
     .height_mm = 200'000,
     .is_on_demand = true},
    {.name = "beacon",
     .summary = "A, but one of all is seen from 500 m; k = 20; by its name or --all",
     .notify_sources = 1,
     .notify_mm = 500'000,
     .is_on_demand = true},
    {.name = "A_nearest",
     .summary = "A, but each sees the nearest 10 alone; beside it without limits; by name or --all",
     .limits = {.visible_max = 10},
     .is_on_demand = true,
     .moves = 0},
    {.name = "D_nearest",
     .summary = "D, but each sees the nearest 100 alone; likewise",
     .side_mm = 1'900'000,
     .hot_side_mm = 190'000,
     .limits = {.visible_max = 100},
     .is_on_demand = true,
     .ticks = 4,
     .moves = 0},
    {.name = "A_rings",
     .summary = "A, but beyond 20 m each other move is sent, beyond 35 m each fourth; likewise",
     .limits = {.rings = {{{20'000, 2}, {35'000, 4}}}},
     .is_on_demand = true,
     .moves = 0},
    {.name = "A_budget",
     .summary = "A, but a frame has 160 bytes, which twelve moves take; likewise",
     .limits = {.frame_bytes_max = 160, .stale_ticks_max = engine::kStaleTicksMax},
     .is_on_demand = true,
     .moves = 0},
    {.name = "A_room",
     .summary = "A, but a frame has 65,536 bytes, which none reaches; likewise",
     .limits = {.frame_bytes_max = 65'536, .stale_ticks_max = engine::kStaleTicksMax},
     .is_on_demand = true,
     .moves = 0},
    {.name = "tenth",
     .summary = "A, but a tenth moves in each tick; by name or --all",
     .mover_one_in = 10,
     .is_on_demand = true,
     .warm_up_ticks = 300,
     .ticks = 20,
     .moves = 0},
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

/// Steps of exactly 250 mm, from the Pythagorean triples (3, 4, 5) * 50 and (7, 24, 25) * 10.
/// Walkers, who are older, know only those of the first: so their figures stay what they are.
constexpr std::array<std::array<std::int32_t, 2>, 5> kQuarterOfSteps = {
    {{250, 0}, {240, 70}, {200, 150}, {150, 200}, {70, 240}}};
constexpr std::array<std::array<std::int32_t, 2>, 3> kQuarterOfWalkerSteps = {
    {{250, 0}, {200, 150}, {150, 200}}};

constexpr std::uint64_t kTurnOneIn = 32;
constexpr std::int64_t kClimbMaxMm = 100;

engine::Rect map_of(const Workload& workload) {
    return {0, 0, workload.side_mm, workload.side_mm};
}

engine::Rect hot_area_of(const Workload& workload) {
    if (workload.hot_side_mm == 0) return map_of(workload);
    const std::int64_t margin_mm = (workload.side_mm - workload.hot_side_mm) / 2;
    return map_of(workload).grown_by(-margin_mm);
}

Ways ways_in(const engine::Rect& area, const Workload& workload) {
    return {area, workload.gait, kQuarterOfSteps, workload.steps_per_tick, workload.height_mm};
}

}  // namespace

std::vector<Senses> senses_of(const Workload& workload) {
    tools::Random random(0);  // never the movement's numbers, so that the movement stays what it is
    std::vector<Senses> all(workload.entities, common_senses(workload));
    for (std::uint32_t entity = 0; entity < std::min(workload.notify_sources, workload.entities);
         ++entity) {
        all[entity].notify_mm = workload.notify_mm;
        all[entity].leave_notify_mm = wider(workload, workload.notify_mm);
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
    return workload.view == View::circle && workload.height_mm == 0 &&
           workload.notify_sources == 0 && !workload.limits.is_any_set();
}

bool is_mutual(const Workload& workload) {
    return workload.view != View::sector && workload.notify_sources == 0 &&
           workload.radius_min_mm == workload.radius_max_mm && workload.layers == 1;
}

std::span<const Workload> all_workloads() {
    return kWorkloads;
}

std::int32_t side_mm_for(std::uint32_t entities, double k) {
    constexpr double kRadiusM = kRadiusMm / 1000.0;
    constexpr double kPi = std::numbers::pi;
    // The formula above. It holds for maps wider than a view; k falls as the side grows.
    const auto k_on = [&](double side_m) {
        const double rim = 1 - 8 * kRadiusM / (3 * kPi * side_m) +
                           kRadiusM * kRadiusM / (2 * kPi * side_m * side_m);
        return (entities - 1) * kPi * kRadiusM * kRadiusM / (side_m * side_m) * rim;
    };
    std::int32_t low_m = static_cast<std::int32_t>(kRadiusM);
    std::int32_t high_m = 2'000'000;
    while (high_m - low_m > 1) {
        const std::int32_t middle_m = (low_m + high_m) / 2;
        (k_on(middle_m) > k ? low_m : high_m) = middle_m;
    }
    return high_m * 1'000;
}

engine::Position Ways::anywhere(tools::Random& random) const {
    const auto x = static_cast<std::int32_t>(random.between(area.min_x, area.max_x));
    const auto y = static_cast<std::int32_t>(random.between(area.min_y, area.max_y));
    // A flat map draws no more numbers than it needs: its movement stays what it is.
    const auto z = height_mm == 0 ? 0 : static_cast<std::int32_t>(random.between(0, height_mm));
    return {x, y, z};
}

Ways::Direction Ways::turn(tools::Random& random) const {
    const auto step = quarter[random.next() % quarter.size()];
    Direction direction{step[0] * steps_per_tick, step[1] * steps_per_tick, 0};
    for (std::uint64_t quarters = random.next() % 4; quarters > 0; --quarters) {
        direction = {-direction.y, direction.x, 0};
    }
    if (height_mm != 0) {
        const std::int64_t climb_mm = random.between(-kClimbMaxMm, kClimbMaxMm);
        direction.z = static_cast<std::int32_t>(climb_mm) * steps_per_tick;
    }
    return direction;
}

void Ways::advance(engine::Position& at, Direction& direction, tools::Random& random) const {
    if (gait == Gait::teleport) {
        at = anywhere(random);
        return;
    }
    if (gait == Gait::jump) {
        const auto half = static_cast<std::int32_t>(area.max_x / 2);
        at.x += at.x < half ? half : -half;
        return;
    }
    if (random.one_in(kTurnOneIn)) direction = turn(random);
    const auto is_outside = [](std::int64_t next, std::int64_t min, std::int64_t max) {
        return next < min || next > max;
    };
    if (is_outside(at.x + direction.x, area.min_x, area.max_x)) direction.x = -direction.x;
    if (is_outside(at.y + direction.y, area.min_y, area.max_y)) direction.y = -direction.y;
    if (is_outside(at.z + direction.z, 0, height_mm)) direction.z = -direction.z;
    at.x += direction.x;
    at.y += direction.y;
    at.z += direction.z;
}

Movement::Movement(const Workload& workload, std::uint64_t seed)
    : mover_one_in_(workload.mover_one_in),
      map_ways_(ways_in(map_of(workload), workload)),
      hot_ways_(ways_in(hot_area_of(workload), workload)),
      random_(seed),
      positions_(workload.entities),
      directions_(workload.entities) {
    for (std::uint32_t entity = 0; entity < workload.entities; ++entity) {
        positions_[entity] = ways_of(entity).anywhere(random_);
        directions_[entity] = ways_of(entity).turn(random_);
    }
}

std::span<const engine::Position> Movement::advance_tick() {
    for (auto entity = tick_++ % mover_one_in_; entity < positions_.size();
         entity += mover_one_in_) {
        advance(entity);
    }
    return positions_;
}

std::span<const Move> Movement::advance_some(std::size_t count) {
    // A prime stride, so that in the end everyone's turn comes; odd, so that hot and cold
    // alternate.
    constexpr std::uint32_t kStride = 7'919;
    moves_.clear();
    while (moves_.size() < count) {
        advance(next_mover_);
        moves_.push_back({next_mover_, positions_[next_mover_]});
        next_mover_ = static_cast<std::uint32_t>((next_mover_ + kStride) % positions_.size());
    }
    return moves_;
}

const Ways& Movement::ways_of(std::uint32_t entity) const {
    return entity % 2 == 0 ? hot_ways_ : map_ways_;
}

void Movement::advance(std::uint32_t entity) {
    ways_of(entity).advance(positions_[entity], directions_[entity], random_);
}

Walker::Walker(const engine::Rect& area, Gait gait, std::uint64_t seed)
    : ways_{area, gait, kQuarterOfWalkerSteps},
      random_(seed),
      at_(ways_.anywhere(random_)),
      direction_(ways_.turn(random_)) {}

engine::Position Walker::step() {
    ways_.advance(at_, direction_, random_);
    return at_;
}

}  // namespace marchland::bench
