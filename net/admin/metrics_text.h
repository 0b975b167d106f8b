#pragma once

#include "shards/histogram.h"

#include <prometheus/client_metric.h>
#include <prometheus/metric_family.h>

#include <string>
#include <vector>

namespace marchland::net {

using Metrics = std::vector<prometheus::MetricFamily>;
using Labels = std::vector<prometheus::ClientMetric::Label>;

/// A metric without a sample yet: `marchland_` and the name, the unit last. Counters end in
/// `_total`; all else is a gauge, or becomes a histogram. All its samples have the same labels, and
/// either all are histograms or none is.
prometheus::MetricFamily& add_metric(Metrics& metrics, const std::string& name, std::string help);
void add_sample(prometheus::MetricFamily& metric, double value, Labels labels = {});
/// Of whole numbers, each of which is so many units of the metric.
void add_histogram(prometheus::MetricFamily& metric, const shards::HistogramCounts& counts,
                   double unit, Labels labels = {});

/// Prometheus' text format.
std::string metrics_text(const Metrics& metrics);

}  // namespace marchland::net
