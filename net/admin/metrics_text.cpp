#include "net/admin/metrics_text.h"

#include <prometheus/text_serializer.h>

#include <sstream>
#include <utility>

namespace marchland::net {

std::string metrics_text(const std::vector<Metric>& metrics) {
    std::vector<prometheus::MetricFamily> families;
    for (const Metric& metric : metrics) {
        const bool is_counter = metric.name.ends_with("_total");
        prometheus::MetricFamily family;
        family.name = "marchland_" + metric.name;
        family.help = metric.help;
        family.type = is_counter ? prometheus::MetricType::Counter : prometheus::MetricType::Gauge;
        for (const Sample& sample : metric.samples) {
            prometheus::ClientMetric one;
            (is_counter ? one.counter.value : one.gauge.value) = sample.value;
            if (!sample.shard.empty()) {
                one.label.push_back({"shard", sample.shard});
            }
            family.metric.push_back(std::move(one));
        }
        families.push_back(std::move(family));
    }
    std::ostringstream text;
    prometheus::TextSerializer().Serialize(text, families);
    return text.str();
}

}  // namespace marchland::net
