#include "tools/clients/cpp/seen_world.h"

#include <gtest/gtest.h>

namespace marchland::client {
namespace {

constexpr engine::EntityId kSelf{9};
constexpr engine::EntityId kFirst{1};
constexpr engine::EntityId kSecond{2};

net::FrameMessage frame(engine::Tick tick) {
    net::FrameMessage made;
    made.tick = tick;
    return made;
}

SeenWorld with_one(std::uint32_t quantum_mm = 1) {
    SeenWorld world(quantum_mm, kSelf);
    net::FrameMessage first = frame(5);
    first.enters = {{kFirst, 7, {100, 200, 300}, {{0, std::int64_t{1}}}}};
    EXPECT_EQ(world.apply(first), std::nullopt);
    return world;
}

}  // namespace

TEST(SeenWorld, AppliesLeavesThenEntersThenMovesThenStates) {
    SeenWorld world = with_one(10);
    net::FrameMessage next = frame(6);
    next.leaves = {{kFirst, engine::LeaveReason::gone}};
    next.enters = {{kFirst, 8, {0, 0, 0}, {}}, {kSecond, 9, {50, 50, 50}, {}}};
    next.moves = {{kSecond, true, 1, -1, 0}};
    next.states = {{kSecond, {{0, std::int64_t{2}}}}, {kSelf, {{1, std::int64_t{3}}}}};
    ASSERT_EQ(world.apply(next), std::nullopt);
    EXPECT_EQ(world.seen().at(kFirst), (Seen{8, {0, 0, 0}, {}, 6}));
    EXPECT_EQ(world.seen().at(kSecond), (Seen{9, {60, 40, 50}, {{0, std::int64_t{2}}}, 6}));
    EXPECT_EQ(world.own_state(), (std::vector<engine::StateWrite>{{1, std::int64_t{3}}}));
    EXPECT_EQ(world.tick(), 6U);
}

TEST(SeenWorld, TakesRanksAmongThoseWhoAreSeenAfterLeavesAndEnters) {
    SeenWorld world = with_one();
    net::FrameMessage second = frame(6);
    second.enters = {{kSecond, 9, {50, 50, 50}, {}}};
    ASSERT_EQ(world.apply(second), std::nullopt);
    constexpr engine::EntityId kThird{3};
    net::FrameMessage next = frame(7);
    next.leaves = {{kFirst, engine::LeaveReason::gone}};
    next.enters = {{engine::EntityId{0}, 8, {0, 0, 0}, {}}, {kThird, 8, {0, 0, 0}, {}}};
    next.moves = {{engine::EntityId{1}, true, 1, -1, 0}};
    next.moves_by_rank = true;
    ASSERT_EQ(world.apply(next), std::nullopt);
    EXPECT_EQ(world.seen().at(kSecond).position, (engine::Position{51, 49, 50}));
    EXPECT_EQ(next.moves.front().entity, kSecond);
    EXPECT_FALSE(next.moves_by_rank);
}

TEST(SeenWorld, ForgetsAllAtAKeyframe) {
    SeenWorld world = with_one();
    net::FrameMessage keyframe = frame(6);
    keyframe.is_keyframe = true;
    keyframe.enters = {{kSecond, 9, {0, 0, 0}, {}}};
    ASSERT_EQ(world.apply(keyframe), std::nullopt);
    EXPECT_EQ(world.seen().size(), 1U);
    EXPECT_TRUE(world.seen().contains(kSecond));
}

TEST(SeenWorld, RefusesWhatDoesNotFitWhatIsKnown) {
    const auto refuses = [](net::FrameMessage wrong) {
        return with_one().apply(wrong).has_value();
    };
    net::FrameMessage leave = frame(6);
    leave.leaves = {{kSecond, engine::LeaveReason::gone}};
    net::FrameMessage enter = frame(6);
    enter.enters = {{kFirst, 7, {0, 0, 0}, {}}};
    net::FrameMessage move = frame(6);
    move.moves = {{kSecond, true, 1, 1, 1}};
    net::FrameMessage far_move = frame(6);
    far_move.moves = {{kFirst, true, INT32_MAX, 0, 0}};
    net::FrameMessage rank = frame(6);
    rank.moves_by_rank = true;
    rank.moves = {{engine::EntityId{1}, true, 1, 1, 1}};
    net::FrameMessage state = frame(6);
    state.states = {{kSecond, {}}};
    EXPECT_TRUE(refuses(frame(5)));
    EXPECT_TRUE(refuses(leave));
    EXPECT_TRUE(refuses(enter));
    EXPECT_TRUE(refuses(move));
    EXPECT_TRUE(refuses(far_move));
    EXPECT_TRUE(refuses(rank));
    EXPECT_TRUE(refuses(state));
    EXPECT_FALSE(refuses(frame(6)));
}

}  // namespace marchland::client
