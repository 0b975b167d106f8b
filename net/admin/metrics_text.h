#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace marchland::net {

/// One value of a metric.
struct Sample {
    double value = 0;
    std::string shard = {};  ///< its name, where there is a value for each shard
};

/// A metric: `marchland_` and its name, the unit last; counters end in `_total`.
struct Metric {
    std::string name;
    std::string help;
    std::vector<Sample> samples;
};

/// Prometheus' text format. Whatever ends in `_total` is a counter, everything else a gauge.
std::string metrics_text(const std::vector<Metric>& metrics);

}  // namespace marchland::net
