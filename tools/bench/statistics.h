#pragma once

#include <cstddef>
#include <span>

namespace marchland::bench {

/// The middle value, or the mean of the two in the middle. At least one value.
double median(std::span<const double> values);

/// The smallest value that `percent` (1 to 100) of the values do not exceed. At least one value.
double percentile(std::span<const double> values, std::size_t percent);

/// How far the values lie apart: (largest - smallest) / median.
double spread(std::span<const double> values);

/// The median of values[i] / base[i]: what two did side by side is compared pair by pair, so that a
/// machine that slows down for both does not count. As many of one as of the other.
double median_ratio(std::span<const double> values, std::span<const double> base);

}  // namespace marchland::bench
