#include "net/token_bucket.h"

#include "net/log_limit.h"

#include <gtest/gtest.h>

namespace marchland::tests {

namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::nanoseconds;

constexpr net::TokenBucket::TimePoint kStart{};

std::uint64_t taken_singly(net::TokenBucket& bucket, net::TokenBucket::TimePoint now) {
    std::uint64_t taken = 0;
    while (bucket.take(1, now)) {
        ++taken;
    }
    return taken;
}

}  // namespace

TEST(TokenBucket, GivesASecondsWorthAtOnceAndThenNone) {
    net::TokenBucket bucket(200, kStart);
    EXPECT_EQ(taken_singly(bucket, kStart), 200U);
}

TEST(TokenBucket, FillsAtItsRate) {
    net::TokenBucket bucket(200, kStart);
    taken_singly(bucket, kStart);
    EXPECT_EQ(taken_singly(bucket, kStart + milliseconds(4)), 0U);
    EXPECT_EQ(taken_singly(bucket, kStart + milliseconds(5)), 1U);
    EXPECT_EQ(taken_singly(bucket, kStart + milliseconds(505)), 100U);
}

TEST(TokenBucket, HoldsNoMoreThanASecondsWorthHoweverLongItStands) {
    net::TokenBucket bucket(4'000'000'000U, kStart);
    EXPECT_TRUE(bucket.take(4'000'000'000U, kStart));
    EXPECT_TRUE(bucket.take(4'000'000'000U, kStart + hours(100'000)));
    EXPECT_FALSE(bucket.take(1, kStart + hours(100'000)));
}

TEST(TokenBucket, LosesNothingToManySmallSteps) {
    net::TokenBucket bucket(3, kStart);
    taken_singly(bucket, kStart);
    std::uint64_t taken = 0;
    for (int step = 1; step <= 1'000'000; ++step) {
        taken += bucket.take(1, kStart + nanoseconds(1'000) * step) ? 1 : 0;
    }
    EXPECT_EQ(taken, 3U);
}

TEST(TokenBucket, TakesNothingWhenThereIsTooLittle) {
    net::TokenBucket bucket(10, kStart);
    EXPECT_FALSE(bucket.take(11, kStart));
    EXPECT_TRUE(bucket.take(10, kStart));
}

TEST(TokenBucket, CountsAllOfATimeThatIsToBeMadeUpFor) {
    net::TokenBucket bucket(200, kStart);
    taken_singly(bucket, kStart);
    bucket.make_up_for(kStart + milliseconds(500), kStart + milliseconds(3'500));
    EXPECT_EQ(taken_singly(bucket, kStart + milliseconds(3'500)), 700U);
    EXPECT_EQ(taken_singly(bucket, kStart + hours(1)), 200U);
}

TEST(TokenBucket, MakesUpForHalfAMinuteHoweverOftenThatIsAsked) {
    net::TokenBucket bucket(200, kStart);
    for (int minute = 0; minute < 60; ++minute) {
        bucket.make_up_for(kStart + minutes(minute), kStart + minutes(minute + 1));
    }
    EXPECT_EQ(taken_singly(bucket, kStart + hours(1)), 31U * 200U);
}

TEST(TokenBucket, MakesUpForNoMoreThanItCanHold) {
    net::TokenBucket bucket(4'000'000'000U, kStart);
    bucket.make_up_for(kStart, kStart + hours(100'000));
    EXPECT_TRUE(bucket.take(16'000'000'000U, kStart + hours(100'000)));
    net::TokenBucket none(0, kStart);
    none.make_up_for(kStart, kStart + hours(1));
    EXPECT_FALSE(none.take(1, kStart + hours(1)));
}

TEST(LogLimit, CountsTheLinesThatItLeavesOut) {
    net::LogLimit limit(2, kStart);
    EXPECT_TRUE(limit.allows_line(kStart));
    EXPECT_TRUE(limit.allows_line(kStart));
    EXPECT_FALSE(limit.allows_line(kStart));
    EXPECT_FALSE(limit.allows_line(kStart));
    EXPECT_EQ(limit.take_left_out(), 2U);
    EXPECT_EQ(limit.take_left_out(), 0U);
    EXPECT_TRUE(limit.allows_line(kStart + milliseconds(500)));
}

}  // namespace marchland::tests
