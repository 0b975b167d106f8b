#include "tools/bench/statistics.h"

#include "engine/assert.h"

#include <algorithm>
#include <ctime>
#include <vector>

namespace marchland::bench {
namespace {

std::uint64_t ns_of(clockid_t clock) {
    timespec now{};
    const int failed = clock_gettime(clock, &now);
    MARCHLAND_ASSERT(failed == 0);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
           static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

Clocks clocks_now() {
    return {ns_of(CLOCK_PROCESS_CPUTIME_ID), ns_of(CLOCK_MONOTONIC)};
}

std::uint64_t thread_cpu_ns() {
    return ns_of(CLOCK_THREAD_CPUTIME_ID);
}

double median(std::span<const double> values) {
    MARCHLAND_ASSERT(!values.empty());
    std::vector<double> sorted(values.begin(), values.end());
    std::sort(sorted.begin(), sorted.end());
    const std::size_t middle = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

double percentile(std::span<const double> values, std::size_t percent) {
    MARCHLAND_ASSERT(!values.empty() && 1 <= percent && percent <= 100);
    std::vector<double> sorted(values.begin(), values.end());
    std::sort(sorted.begin(), sorted.end());
    return sorted[(sorted.size() * percent + 99) / 100 - 1];
}

double spread(std::span<const double> values) {
    const auto [smallest, largest] = std::minmax_element(values.begin(), values.end());
    return (*largest - *smallest) / median(values);
}

double median_ratio(std::span<const double> values, std::span<const double> base) {
    MARCHLAND_ASSERT(values.size() == base.size());
    std::vector<double> ratios;
    for (std::size_t i = 0; i < values.size(); ++i) {
        ratios.push_back(values[i] / base[i]);
    }
    return median(ratios);
}

}  // namespace marchland::bench
