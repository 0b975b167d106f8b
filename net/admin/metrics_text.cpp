#include "net/admin/metrics_text.h"

#include "engine/assert.h"

#include <prometheus/text_serializer.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace marchland::net {

using prometheus::MetricType;

prometheus::MetricFamily& add_metric(Metrics& metrics, const std::string& name, std::string help) {
    const auto type = name.ends_with("_total") ? MetricType::Counter : MetricType::Gauge;
    return metrics.emplace_back(
        prometheus::MetricFamily{"marchland_" + name, std::move(help), type, {}});
}

void add_sample(prometheus::MetricFamily& metric, double value, Labels labels) {
    prometheus::ClientMetric& sample = metric.metric.emplace_back();
    sample.label = std::move(labels);
    (metric.type == MetricType::Counter ? sample.counter.value : sample.gauge.value) = value;
}

/// Buckets count what is in those before them, too.
/// Divided, not multiplied: 100 microseconds are 0.0001, and no number beside it.
void add_histogram(prometheus::MetricFamily& metric, const shards::HistogramCounts& counts,
                   double unit, Labels labels) {
    const double in_one = std::round(1 / unit);
    MARCHLAND_ASSERT(counts.counts.size() == counts.bounds.size() + 1);
    metric.type = MetricType::Histogram;
    prometheus::ClientMetric& sample = metric.metric.emplace_back();
    sample.label = std::move(labels);
    prometheus::ClientMetric::Histogram& histogram = sample.histogram;
    for (std::size_t i = 0; i < counts.counts.size(); ++i) {
        histogram.sample_count += counts.counts[i];
        histogram.bucket.push_back(
            {histogram.sample_count, i < counts.bounds.size()
                                         ? static_cast<double>(counts.bounds[i]) / in_one
                                         : std::numeric_limits<double>::infinity()});
    }
    histogram.sample_sum = static_cast<double>(counts.sum) / in_one;
}

std::string metrics_text(const Metrics& metrics) {
    return prometheus::TextSerializer().Serialize(metrics);
}

}  // namespace marchland::net
