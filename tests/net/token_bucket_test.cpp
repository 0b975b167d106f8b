#include "net/token_bucket.h"

#include <gtest/gtest.h>

namespace marchland::tests {

namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::nanoseconds;

constexpr net::TokenBucket::TimePoint kBucketStart{};

std::uint64_t taken_singly(net::TokenBucket& bucket, net::TokenBucket::TimePoint now) {
    std::uint64_t taken = 0;
    while (bucket.take(1, now)) {
        ++taken;
    }
    return taken;
}

}  // namespace

TEST(TokenBucket, GivesASecondsWorthAtOnceAndThenNone) {
    net::TokenBucket bucket(200, kBucketStart);
    EXPECT_EQ(taken_singly(bucket, kBucketStart), 200U);
}

TEST(TokenBucket, FillsAtItsRate) {
    net::TokenBucket bucket(200, kBucketStart);
    taken_singly(bucket, kBucketStart);
    EXPECT_EQ(taken_singly(bucket, kBucketStart + milliseconds(4)), 0U);
    EXPECT_EQ(taken_singly(bucket, kBucketStart + milliseconds(5)), 1U);
    EXPECT_EQ(taken_singly(bucket, kBucketStart + milliseconds(505)), 100U);
}

TEST(TokenBucket, HoldsNoMoreThanASecondsWorthHoweverLongItStands) {
    net::TokenBucket bucket(4'000'000'000U, kBucketStart);
    EXPECT_TRUE(bucket.take(4'000'000'000U, kBucketStart));
    EXPECT_TRUE(bucket.take(4'000'000'000U, kBucketStart + hours(100'000)));
    EXPECT_FALSE(bucket.take(1, kBucketStart + hours(100'000)));
}

TEST(TokenBucket, SavesAsManySecondsOfSilenceAsItMay) {
    net::TokenBucket bucket(7, kBucketStart, 10);
    EXPECT_EQ(taken_singly(bucket, kBucketStart), 7U) << "begins with one second's";
    EXPECT_FALSE(bucket.is_full(kBucketStart + milliseconds(999)));
    EXPECT_TRUE(bucket.is_full(kBucketStart + milliseconds(1'000)));
    EXPECT_EQ(taken_singly(bucket, kBucketStart + milliseconds(4'000)), 28U);
    EXPECT_EQ(taken_singly(bucket, kBucketStart + hours(1)), 70U);
    EXPECT_TRUE(bucket.is_full(kBucketStart + hours(2)));
}

TEST(TokenBucket, LosesNothingToManySmallSteps) {
    net::TokenBucket bucket(3, kBucketStart);
    taken_singly(bucket, kBucketStart);
    std::uint64_t taken = 0;
    for (int step = 1; step <= 1'000'000; ++step) {
        taken += bucket.take(1, kBucketStart + nanoseconds(1'000) * step) ? 1 : 0;
    }
    EXPECT_EQ(taken, 3U);
}

TEST(TokenBucket, TakesNothingWhenThereIsTooLittle) {
    net::TokenBucket bucket(10, kBucketStart);
    EXPECT_FALSE(bucket.take(11, kBucketStart));
    EXPECT_TRUE(bucket.take(10, kBucketStart));
}

TEST(TokenBucket, CountsAllOfATimeThatIsToBeMadeUpFor) {
    net::TokenBucket bucket(200, kBucketStart);
    taken_singly(bucket, kBucketStart);
    bucket.make_up_for(kBucketStart + milliseconds(500), kBucketStart + milliseconds(3'500));
    EXPECT_EQ(taken_singly(bucket, kBucketStart + milliseconds(3'500)), 700U);
    EXPECT_EQ(taken_singly(bucket, kBucketStart + hours(1)), 200U);
}

TEST(TokenBucket, MakesUpForHalfAMinuteHoweverOftenThatIsAsked) {
    net::TokenBucket bucket(200, kBucketStart);
    for (int minute = 0; minute < 60; ++minute) {
        bucket.make_up_for(kBucketStart + minutes(minute), kBucketStart + minutes(minute + 1));
    }
    EXPECT_EQ(taken_singly(bucket, kBucketStart + hours(1)), 31U * 200U);
}

TEST(TokenBucket, MakesUpForNoMoreThanItCanHold) {
    net::TokenBucket bucket(4'000'000'000U, kBucketStart);
    bucket.make_up_for(kBucketStart, kBucketStart + hours(100'000));
    EXPECT_TRUE(bucket.take(16'000'000'000U, kBucketStart + hours(100'000)));
    net::TokenBucket none(0, kBucketStart);
    none.make_up_for(kBucketStart, kBucketStart + hours(1));
    EXPECT_FALSE(none.take(1, kBucketStart + hours(1)));
}

TEST(LogLimit, CountsTheLinesThatItLeavesOut) {
    net::LogLimit limit(2, kBucketStart);
    EXPECT_TRUE(limit.allows_line(kBucketStart));
    EXPECT_TRUE(limit.allows_line(kBucketStart));
    EXPECT_FALSE(limit.allows_line(kBucketStart));
    EXPECT_FALSE(limit.allows_line(kBucketStart));
    EXPECT_EQ(limit.take_left_out(), 2U);
    EXPECT_EQ(limit.take_left_out(), 0U);
    EXPECT_TRUE(limit.allows_line(kBucketStart + milliseconds(500)));
}

}  // namespace marchland::tests
