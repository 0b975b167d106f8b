#include "net/admin/metrics_text.h"

#include "engine/assert.h"

#include <prometheus/text_serializer.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <sstream>
#include <utility>

namespace marchland::net {

namespace {

using prometheus::MetricType;

MetricType type_of(const Metric& metric) {
    if (!metric.samples.empty() && metric.samples.front().histogram) {
        return MetricType::Histogram;
    }
    return metric.name.ends_with("_total") ? MetricType::Counter : MetricType::Gauge;
}

/// Buckets count what is in those before them, too.
/// Divided, not multiplied: 100 microseconds are 0.0001, and no number beside it.
prometheus::ClientMetric::Histogram cumulative(const shards::HistogramCounts& counts, double unit) {
    const double in_one = std::round(1 / unit);
    MARCHLAND_ASSERT(counts.counts.size() == counts.bounds.size() + 1);
    prometheus::ClientMetric::Histogram histogram;
    for (std::size_t i = 0; i < counts.counts.size(); ++i) {
        histogram.sample_count += counts.counts[i];
        histogram.bucket.push_back(
            {histogram.sample_count, i < counts.bounds.size()
                                         ? static_cast<double>(counts.bounds[i]) / in_one
                                         : std::numeric_limits<double>::infinity()});
    }
    histogram.sample_sum = static_cast<double>(counts.sum) / in_one;
    return histogram;
}

}  // namespace

std::string metrics_text(const std::vector<Metric>& metrics) {
    std::vector<prometheus::MetricFamily> families;
    for (const Metric& metric : metrics) {
        prometheus::MetricFamily family;
        family.name = "marchland_" + metric.name;
        family.help = metric.help;
        family.type = type_of(metric);
        for (const Sample& sample : metric.samples) {
            prometheus::ClientMetric one;
            if (sample.histogram) {
                one.histogram = cumulative(*sample.histogram, sample.unit);
            } else {
                (family.type == MetricType::Counter ? one.counter.value : one.gauge.value) =
                    sample.value;
            }
            one.label = sample.labels;
            family.metric.push_back(std::move(one));
        }
        families.push_back(std::move(family));
    }
    std::ostringstream text;
    prometheus::TextSerializer().Serialize(text, families);
    return text.str();
}

}  // namespace marchland::net
