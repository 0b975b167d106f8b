#include "engine/frame/departures.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <malloc.h>
#include <vector>

namespace marchland::engine {
namespace {

TEST(Departures, HoldWhatWasRecorded) {
    Departures departures;
    departures.record({EntityId{0}, 3}, 5);
    EXPECT_TRUE(departures.contains({EntityId{0}, 3}));
    EXPECT_FALSE(departures.contains({EntityId{1}, 3}));
}

TEST(Departures, HoldTheEarlierLivesOfAnIdAndNotTheLaterOnes) {
    Departures departures;
    departures.record({EntityId{7}, 3}, 5);
    EXPECT_TRUE(departures.contains({EntityId{7}, 2}));
    EXPECT_FALSE(departures.contains({EntityId{7}, 4}));
}

TEST(Departures, ForgetWhatIsOlderThanTheWindow) {
    Departures departures;
    departures.record({EntityId{1}, 1}, 5);
    departures.record({EntityId{2}, 1}, 6);
    departures.forget_before(6);
    EXPECT_FALSE(departures.contains({EntityId{1}, 1}));
    EXPECT_TRUE(departures.contains({EntityId{2}, 1}));
    EXPECT_EQ(departures.size(), 1U);
}

TEST(Departures, RememberAnIdAsLongAsItsLastDeparture) {
    Departures departures;
    departures.record({EntityId{1}, 1}, 5);
    departures.record({EntityId{1}, 6}, 8);
    departures.forget_before(7);
    EXPECT_TRUE(departures.contains({EntityId{1}, 6}));
    departures.forget_before(9);
    EXPECT_FALSE(departures.contains({EntityId{1}, 6}));
    EXPECT_EQ(departures.size(), 0U);
}

TEST(Departures, RememberALateRecordOfAnEarlierLife) {
    Departures departures;
    departures.record({EntityId{1}, 6}, 8);
    departures.record({EntityId{1}, 1}, 9);
    EXPECT_TRUE(departures.contains({EntityId{1}, 6}));
    departures.forget_before(9);
    EXPECT_TRUE(departures.contains({EntityId{1}, 1}));
}

TEST(Departures, RememberEachLifeOnceHoweverOftenItIsRecorded) {
    Departures departures;
    departures.record({EntityId{1}, 1}, 5);
    departures.record({EntityId{1}, 6}, 8);
    departures.record({EntityId{1}, 1}, 9);
    departures.record({EntityId{1}, 6}, 9);
    EXPECT_EQ(departures.size(), 2U);
    departures.forget_before(9);
    EXPECT_EQ(departures.size(), 0U);
    EXPECT_FALSE(departures.contains({EntityId{1}, 1}));
    departures.record({EntityId{1}, 1}, 9);
    EXPECT_TRUE(departures.contains({EntityId{1}, 1})) << "it is recorded anew";
}

TEST(Departures, RememberEachLifeOfAnId) {
    Departures departures;
    departures.record({EntityId{1}, 1}, 5);
    departures.record({EntityId{1}, 6}, 8);
    EXPECT_EQ(departures.remembered(),
              (std::vector<RecordedDeparture>{{{EntityId{1}, 1}, 5}, {{EntityId{1}, 6}, 8}}));
}

TEST(Departures, ForgetWhatIsReceivedLaterNoLaterThanWhoeverSendsIt) {
    Departures departures;
    departures.record({EntityId{1}, 1}, 8);
    departures.record({EntityId{2}, 1}, 5);
    EXPECT_EQ(departures.remembered(),
              (std::vector<RecordedDeparture>{{{EntityId{2}, 1}, 5}, {{EntityId{1}, 1}, 8}}));
    departures.forget_before(6);
    EXPECT_FALSE(departures.contains({EntityId{2}, 1}));
    EXPECT_TRUE(departures.contains({EntityId{1}, 1}));
}

TEST(Departures, GiveBackWhatACrowdTookAndRememberWhoLeftAfterIt) {
    constexpr std::uint64_t kCrowd = 100'000;
    Departures departures;
    departures.record({EntityId{kCrowd + 1}, 1}, 6);
    [[maybe_unused]] const std::size_t before = mallinfo2().uordblks;
    for (std::uint64_t id = 0; id < kCrowd; ++id) {
        departures.record({EntityId{id}, 1}, 5);
    }
    departures.record({EntityId{kCrowd + 2}, 3}, 7);
    departures.forget_before(6);
    EXPECT_EQ(departures.remembered(),
              (std::vector<RecordedDeparture>{{{EntityId{kCrowd + 1}, 1}, 6},
                                              {{EntityId{kCrowd + 2}, 3}, 7}}));
    EXPECT_TRUE(departures.contains({EntityId{kCrowd + 2}, 2}));
    EXPECT_FALSE(departures.contains({EntityId{kCrowd + 2}, 4}));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // their heaps count nothing
    EXPECT_LT(mallinfo2().uordblks, before + 100'000);
#endif
}

}  // namespace
}  // namespace marchland::engine
