#include "tools/bots/figures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace marchland::bots {
namespace {

TEST(LatencyHistogramTest, HasNothingToSayWithoutValues) {
    const LatencyHistogram histogram;
    EXPECT_EQ(histogram.count(), 0U);
    EXPECT_EQ(histogram.quantile_us(0.5), 0U);
    EXPECT_EQ(histogram.max_us(), 0U);
}

TEST(LatencyHistogramTest, SmallValuesAreExact) {
    LatencyHistogram histogram;
    for (std::uint64_t value = 1; value <= 60; ++value) {
        histogram.add_us(value);
    }
    EXPECT_EQ(histogram.quantile_us(0.5), 30U);
    EXPECT_EQ(histogram.quantile_us(0.0), 1U);
    EXPECT_EQ(histogram.quantile_us(1.0), 60U);
}

TEST(LatencyHistogramTest, QuantileIsNeverBelowTheTrueOneAndWithinOneThirtySecond) {
    for (std::uint64_t value = 1; value < (std::uint64_t{1} << 36U); value = value * 5 / 4 + 1) {
        LatencyHistogram histogram;
        histogram.add_us(value);
        histogram.add_us(std::numeric_limits<std::uint64_t>::max());
        const std::uint64_t quantile = histogram.quantile_us(0.5);
        EXPECT_GE(quantile, value);
        EXPECT_LE(quantile - value, value / 32);
    }
}

TEST(LatencyHistogramTest, NoQuantileExceedsTheMaximum) {
    LatencyHistogram histogram;
    histogram.add_us(100'001);
    EXPECT_EQ(histogram.quantile_us(0.99), 100'001U);
    EXPECT_EQ(histogram.max_us(), 100'001U);
}

TEST(LatencyHistogramTest, HugeValuesAreCountedToo) {
    LatencyHistogram histogram;
    histogram.add_us(std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(histogram.count(), 1U);
    EXPECT_EQ(histogram.max_us(), std::numeric_limits<std::uint64_t>::max());
}

TEST(LatencyHistogramTest, ClearForgetsEverything) {
    LatencyHistogram histogram;
    histogram.add_us(5);
    histogram.clear();
    EXPECT_EQ(histogram.count(), 0U);
    EXPECT_EQ(histogram.quantile_us(0.5), 0U);
}

}  // namespace
}  // namespace marchland::bots
