#include "tools/clients/cpp/own_way.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace marchland::client {
namespace {

constexpr engine::Step kNone{};

/// What is said in each tick by one that walks to these places along x.
std::vector<std::optional<std::int16_t>> said(OwnWay& way, const std::vector<std::int32_t>& places,
                                              engine::Tick first = 1) {
    std::vector<std::optional<std::int16_t>> velocities;
    for (const std::int32_t x : places) {
        const auto velocity = way.step({x, 0, 0}, first++);
        velocities.push_back(velocity ? std::optional(velocity->x) : std::nullopt);
    }
    return velocities;
}
using Said = std::vector<std::optional<std::int16_t>>;

TEST(OwnWay, IsSaidInEachTickWhereEveryMoveIsSent) {
    OwnWay way(0, 10);
    EXPECT_EQ(said(way, {0, 70, 70}), (Said{0, 0, 0}));
}

TEST(OwnWay, IsSaidWhenItTurnsOrStops) {
    OwnWay way(50, 10);
    EXPECT_EQ(said(way, {0, 70, 140, 210, 210, 210, 140}), (Said{0, 70, {}, {}, 0, {}, -70}));
}

TEST(OwnWay, IsNotSaidWhileItIsWrongByNoMoreThanTheBound) {
    OwnWay way(50, 10);
    EXPECT_EQ(said(way, {0, 50, 51}), (Said{0, {}, 1}));
}

TEST(OwnWay, IsSaidAgainBeforeTheServerEndsIt) {
    OwnWay way(50, 4);
    EXPECT_EQ(said(way, {0, 70, 140, 210, 280, 350, 420}), (Said{0, 70, {}, {}, 70, {}, {}}));
}

TEST(OwnWay, IsSaidAnewWhenItWasForgotten) {
    OwnWay way(50, 10);
    EXPECT_EQ(said(way, {0}), Said{0});
    EXPECT_EQ(way.step({0, 0, 0}, 2), std::nullopt);
    way.forget();
    EXPECT_EQ(way.step({0, 0, 0}, 3), kNone);
}

TEST(OwnWay, HasNoVelocityOutOfACorrection) {
    OwnWay way(50, 10);
    EXPECT_EQ(said(way, {0, 70}), (Said{0, 70}));
    way.begin_anywhere();
    EXPECT_EQ(said(way, {9'000, 9'070}, 3), (Said{0, 70}));
}

TEST(OwnWay, BeginsWhereTheEntityWasMoved) {
    OwnWay way(50, 10);
    EXPECT_EQ(said(way, {0, 70}), (Said{0, 70}));
    way.begin_at({9'000, 0, 0}, 2);
    EXPECT_EQ(said(way, {9'070, 9'140}, 3), (Said{70, {}}));
}

TEST(OwnWay, HasNoVelocityAfterAPause) {
    OwnWay way(50, 10);
    EXPECT_EQ(said(way, {0}), Said{0});
    EXPECT_EQ(said(way, {400}, 5), Said{0});
    EXPECT_EQ(said(way, {600}, 7), Said{100}) << "of two ticks";
}

}  // namespace
}  // namespace marchland::client
