#include "tools/bench/curve.h"

#include <algorithm>
#include <array>
#include <numbers>

namespace marchland::bench {
namespace {

constexpr std::uint32_t kEntities = 10'000;
constexpr double kUsual = 20;  ///< targets in view

/// Repetitions of about as many entities, or of as many pairs, whatever the point: long enough for a
/// clock, short enough for a curve in minutes.
std::uint32_t ticks_for(double entities, double k) {
    constexpr double kPairs = 4e6;
    return static_cast<std::uint32_t>(std::clamp(kPairs / (entities * (k + 10)), 1.0, 200.0));
}

Workload crowd(std::uint32_t entities, double k, std::int32_t side_mm) {
    const std::uint32_t ticks = ticks_for(entities, k);
    return {.entities = entities,
            .side_mm = side_mm,
            .warm_up_ticks = 2 * ticks + 2,
            .ticks = ticks,
            .moves = std::max<std::uint32_t>(50, static_cast<std::uint32_t>(20'000 / (k + 10)))};
}

std::vector<Curve::Point> by_entities() {
    std::vector<Curve::Point> points;
    for (const std::uint32_t n :
         {1'000U, 3'000U, 10'000U, 30'000U, 100'000U, 300'000U, 1'000'000U}) {
        points.push_back({static_cast<double>(n), crowd(n, kUsual, side_mm_for(n, kUsual))});
    }
    return points;
}

std::vector<Curve::Point> by_density() {
    std::vector<Curve::Point> points;
    for (const double k : {5, 10, 20, 50, 100, 200, 500, 1'000}) {
        points.push_back({k, crowd(kEntities, k, side_mm_for(kEntities, k))});
    }
    return points;
}

std::vector<Curve::Point> by_movers() {
    std::vector<Curve::Point> points;
    for (const std::uint32_t movers : {1U, 3U, 10U, 30U, 100U, 300U, 1'000U, 3'000U, 10'000U}) {
        Workload workload = crowd(kEntities, kUsual, side_mm_for(kEntities, kUsual));
        workload.movers = movers;
        workload.warm_up_ticks = 100;  // until the engine has seen that few move
        workload.moves = std::max(movers, 200U);
        points.push_back({100.0 * movers / kEntities, workload});
    }
    return points;
}

/// 3 x 3 cells of the default width with so many in each.
std::vector<Curve::Point> by_crowd_of_a_cell(std::int32_t radius_mm) {
    std::vector<Curve::Point> points;
    for (const std::uint32_t in_cell : {8U, 16U, 32U, 64U, 96U, 128U, 256U, 512U, 1'024U}) {
        Workload workload = crowd(9 * in_cell, 5.0 * in_cell, 3 * kRadiusMm);
        workload.radius_min_mm = radius_mm;
        workload.radius_max_mm = radius_mm;
        points.push_back({static_cast<double>(in_cell), workload});
    }
    return points;
}

const std::vector<std::string> kDefault{"grid_cross_list"};
const std::vector<std::string> kCellKinds{"unordered_cells", "ordered_cells", "grid_cross_list",
                                          "grid"};

const std::array<Curve, 5> kCurves = {{
    {"n", "by entities, 1,000 to 1,000,000, k = 20", {Path::tick}, kDefault, by_entities},
    {"k", "by density, k = 5 to 1,000, 10,000 entities", {Path::tick}, kDefault, by_density},
    {"movers",
     "by the share that moves in a tick, 0.01 % to 100 % of 10,000, k = 20",
     {Path::tick, Path::move},
     kDefault,
     by_movers},
    {"crowded-cell",
     "by entities in a cell, 8 to 1,024, views as wide as a cell",
     {Path::query},
     kCellKinds,
     [] { return by_crowd_of_a_cell(kRadiusMm); }},
    {"crowded-cell-narrow",
     "the same, views of 10 m, a fifth of a cell",
     {Path::query},
     kCellKinds,
     [] { return by_crowd_of_a_cell(kRadiusMm / 5); }},
}};

}  // namespace

std::span<const Curve> all_curves() {
    return kCurves;
}

const Curve* find_curve(std::string_view name) {
    const auto found = std::find_if(kCurves.begin(), kCurves.end(),
                                    [name](const Curve& curve) { return curve.name == name; });
    return found == kCurves.end() ? nullptr : &*found;
}

std::int32_t side_mm_for(std::uint32_t entities, double k) {
    constexpr double kRadiusM = kRadiusMm / 1000.0;
    constexpr double kPi = std::numbers::pi;
    // The formula of workload.cpp. It holds for maps wider than a view; k falls as the side grows.
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

}  // namespace marchland::bench
