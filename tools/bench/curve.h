#pragma once

#include "tools/bench/measure.h"
#include "tools/bench/workload.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace marchland::bench {

/// Workloads that differ in one number.
struct Curve {
    struct Point {
        double at = 0;  ///< that number
        Workload workload;
    };
    std::string_view name;
    std::string_view summary;
    std::vector<Path> paths;           ///< that are measured when none is named
    std::vector<std::string> indexes;  ///< the same
    std::vector<Point> (*points)() = nullptr;
};

std::span<const Curve> all_curves();

/// Null when there is none of that name.
const Curve* find_curve(std::string_view name);

/// The edge of a map on which each of `entities` sees `k` others on average through a circle of
/// kRadiusMm, rounded up to metres. `k` is less than `entities` and at least 1.
std::int32_t side_mm_for(std::uint32_t entities, double k);

}  // namespace marchland::bench
