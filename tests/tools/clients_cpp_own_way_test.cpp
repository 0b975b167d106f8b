#include "tools/clients/cpp/own_way.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace marchland::client {
namespace {

constexpr engine::Step kNone{};

/// What is said in each tick by one that walks to these places along x.
std::vector<std::optional<std::int16_t>> said(OwnWay& way,
                                              const std::vector<std::int32_t>& places) {
    std::vector<std::optional<std::int16_t>> velocities;
    for (const std::int32_t x : places) {
        const auto velocity = way.step({x, 0, 0});
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
    EXPECT_EQ(way.step({0, 0, 0}), std::nullopt);
    way.forget();
    EXPECT_EQ(way.step({0, 0, 0}), kNone);
}

TEST(OwnWay, HasNoVelocityOutOfACorrection) {
    OwnWay way(50, 10);
    EXPECT_EQ(said(way, {0, 70}), (Said{0, 70}));
    way.put({});
    EXPECT_EQ(said(way, {9'000, 9'070}), (Said{0, 70}));
}

TEST(OwnWay, BeginsWhereTheEntityWasMoved) {
    OwnWay way(50, 10);
    EXPECT_EQ(said(way, {0, 70}), (Said{0, 70}));
    way.put(engine::Position{9'000, 0, 0});
    EXPECT_EQ(said(way, {9'070, 9'140}), (Said{70, {}}));
}

}  // namespace
}  // namespace marchland::client
