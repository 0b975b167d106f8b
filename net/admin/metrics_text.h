#pragma once

#include "shards/histogram.h"

#include <prometheus/client_metric.h>

#include <optional>
#include <string>
#include <vector>

namespace marchland::net {

using Label = prometheus::ClientMetric::Label;

/// One value of a metric.
struct Sample {
    double value = 0;
    std::vector<Label> labels = {};
    /// Instead of the value: of whole numbers, each of which is so many units of the metric.
    std::optional<shards::HistogramCounts> histogram = {};
    double unit = 1;
};

/// A metric: `marchland_` and its name, the unit last; counters end in `_total`. All its samples have the same labels,
/// and either all are histograms or none is.
struct Metric {
    std::string name;
    std::string help;
    std::vector<Sample> samples;
};

/// Prometheus' text format. Whatever ends in `_total` is a counter, whatever has no histogram a gauge.
std::string metrics_text(const std::vector<Metric>& metrics);

}  // namespace marchland::net
