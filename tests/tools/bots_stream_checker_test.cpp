#include "tools/bots/stream_checker.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace marchland::bots {
namespace {

const ZoneFacts kSmallZone{
    .world = {{-1'000, -1'000, -1'000}, {1'000, 1'000, 1'000}, engine::Dimensions::two}};
constexpr std::uint32_t kNewestSeq = 10;

engine::EntityId id(std::uint64_t number) {
    return static_cast<engine::EntityId>(number);
}

net::Entered entered(std::uint64_t number, engine::Position position) {
    return {id(number), 0, position, {}};
}

net::Moved moved_by(std::uint64_t number, std::int64_t x, std::int64_t y) {
    return {id(number), true, x, y, 0};
}

net::Moved moved_to(std::uint64_t number, engine::Position position) {
    return {id(number), false, position.x, position.y, position.z};
}

net::FrameMessage frame(engine::Tick tick) {
    net::FrameMessage message;
    message.tick = tick;
    return message;
}

/// Entity 5's client; its first frame has 2 at (1, 1, 1) and 9 at (9, 9, 9).
class Stream : public testing::Test {
protected:
    Stream() {
        net::FrameMessage first = frame(1);
        first.enters = {entered(2, {1, 1, 1}), entered(9, {9, 9, 9})};
        stream_.apply(first, kNewestSeq);
    }

    void expect_one(Violation kind) const {
        EXPECT_EQ(log_.total(), 1U);
        EXPECT_EQ(log_.count(kind), 1U) << name_of(kind);
    }
    void expect_known(std::size_t place, std::uint64_t number, engine::Position position) const {
        ASSERT_LT(place, stream_.known().size());
        EXPECT_EQ(stream_.known()[place].id, id(number));
        EXPECT_EQ(stream_.known()[place].position, position);
    }

    ViolationLog log_{nullptr, 0};
    StreamChecker stream_{id(5), kSmallZone, log_};
};

TEST_F(Stream, KeyframeBeginsAnewAndHoldsTheWholeSet) {
    net::FrameMessage keyframe = frame(2);
    keyframe.is_keyframe = true;
    keyframe.enters = {entered(9, {8, 8, 8})};
    stream_.apply(keyframe, kNewestSeq);
    EXPECT_EQ(log_.total(), 0U);
    ASSERT_EQ(stream_.known().size(), 1U);
    expect_known(0, 9, {8, 8, 8});
}

TEST_F(Stream, AcknowledgementsBeginAnewOnAnotherConnection) {
    net::FrameMessage next = frame(2);
    next.move_ack = 4;
    stream_.apply(next, kNewestSeq);
    stream_.resume();
    next = frame(3);
    stream_.apply(next, kNewestSeq);
    EXPECT_EQ(log_.total(), 0U);
    next.tick = 4;
    next.move_ack = 5;
    stream_.apply(next, kNewestSeq);
    next.tick = 5;
    next.move_ack = 0;
    stream_.apply(next, kNewestSeq);
    expect_one(Violation::wrong_ack);
}

TEST_F(Stream, WellFormedFramesAreNoViolation) {
    net::FrameMessage next = frame(2);
    next.leaves = {{id(2), engine::LeaveReason::gone}};
    next.enters = {entered(2, {4, 4, 4}), entered(3, {3, 3, 3})};
    next.moves = {moved_to(9, {-7, -7, -7})};
    stream_.apply(next, kNewestSeq);
    next = frame(3);
    next.moves = {moved_by(3, 1, -1), moved_by(9, 1, 0)};
    stream_.apply(next, kNewestSeq);
    EXPECT_EQ(log_.total(), 0U);
    ASSERT_EQ(stream_.known().size(), 3U);
    expect_known(0, 2, {4, 4, 4});
    expect_known(1, 3, {4, 2, 3});
    expect_known(2, 9, {-6, -7, -7});
}

TEST_F(Stream, OnlyWhatMovedInTheLastFrameIsMarked) {
    net::FrameMessage next = frame(2);
    next.moves = {moved_by(9, 1, 0)};
    stream_.apply(next, kNewestSeq);
    EXPECT_FALSE(stream_.moved_in_last_frame(stream_.known()[0]));
    EXPECT_TRUE(stream_.moved_in_last_frame(stream_.known()[1]));
}

TEST_F(Stream, SecondEnterIsCaught) {
    net::FrameMessage next = frame(2);
    next.enters = {entered(9, {1, 2, 3})};
    stream_.apply(next, kNewestSeq);
    expect_one(Violation::double_enter);
    EXPECT_EQ(stream_.known().size(), 2U);
}

TEST_F(Stream, LeaveOfAnUnknownEntityIsCaught) {
    net::FrameMessage next = frame(2);
    next.leaves = {{id(3), engine::LeaveReason::out_of_range}};
    stream_.apply(next, kNewestSeq);
    expect_one(Violation::unknown_leave);
}

TEST_F(Stream, SecondLeaveIsCaught) {
    net::FrameMessage next = frame(2);
    next.leaves = {{id(2), engine::LeaveReason::out_of_range}};
    stream_.apply(next, kNewestSeq);
    next.tick = 3;
    stream_.apply(next, kNewestSeq);
    expect_one(Violation::unknown_leave);
}

TEST_F(Stream, MoveOfAnUnknownEntityIsCaughtAndTheOthersAreApplied) {
    net::FrameMessage next = frame(2);
    next.moves = {moved_by(2, 1, 1), moved_by(3, 1, 1), moved_by(9, 1, 1)};
    stream_.apply(next, kNewestSeq);
    expect_one(Violation::unknown_move);
    expect_known(0, 2, {2, 2, 1});
    expect_known(1, 9, {10, 10, 9});
}

TEST_F(Stream, MoveInTheFrameOfTheLeaveIsCaught) {
    net::FrameMessage next = frame(2);
    next.leaves = {{id(2), engine::LeaveReason::out_of_range}};
    next.moves = {moved_by(2, 1, 1)};
    stream_.apply(next, kNewestSeq);
    expect_one(Violation::unknown_move);
}

TEST_F(Stream, MoveInTheFrameOfTheEnterIsCaught) {
    net::FrameMessage next = frame(2);
    next.enters = {entered(1, {0, 0, 0}), entered(7, {0, 0, 0})};
    next.moves = {moved_by(2, 1, 1), moved_by(7, 1, 1), moved_by(9, 1, 1)};
    stream_.apply(next, kNewestSeq);
    expect_one(Violation::moved_on_enter);
}

TEST_F(Stream, EnterOfItselfIsCaught) {
    net::FrameMessage next = frame(2);
    next.enters = {entered(5, {0, 0, 0})};
    stream_.apply(next, kNewestSeq);
    expect_one(Violation::own_id);
    EXPECT_EQ(stream_.known().size(), 2U);
}

TEST_F(Stream, MoveOfItselfIsCaught) {
    net::FrameMessage next = frame(2);
    next.moves = {moved_by(5, 1, 1)};
    stream_.apply(next, kNewestSeq);
    expect_one(Violation::own_id);
}

TEST_F(Stream, MovesAreNamedByRankAmongThoseWhoAreKnownAfterLeavesAndEnters) {
    net::FrameMessage next = frame(2);
    next.leaves = {{id(2), engine::LeaveReason::gone}};
    next.enters = {entered(3, {3, 3, 3}), entered(7, {7, 7, 7})};
    next.moves = {moved_by(2, 1, 0)};
    next.moves_by_rank = true;
    stream_.apply(next, kNewestSeq);
    EXPECT_EQ(log_.total(), 0U);
    expect_known(2, 9, {10, 9, 9});
}

TEST_F(Stream, ARankThatNobodyHasIsCaught) {
    net::FrameMessage next = frame(2);
    next.moves = {moved_by(2, 1, 0)};
    next.moves_by_rank = true;
    stream_.apply(next, kNewestSeq);
    expect_one(Violation::unknown_move);
}

TEST_F(Stream, ARankOfOneWhoEntersIsCaught) {
    net::FrameMessage next = frame(2);
    next.enters = {entered(3, {3, 3, 3})};
    next.moves = {moved_by(1, 1, 0)};
    next.moves_by_rank = true;
    stream_.apply(next, kNewestSeq);
    expect_one(Violation::moved_on_enter);
}

TEST_F(Stream, TickThatDoesNotAscendIsCaught) {
    stream_.apply(frame(1), kNewestSeq);
    expect_one(Violation::tick_order);
}

TEST_F(Stream, TicksMayBeSkipped) {
    stream_.apply(frame(700), kNewestSeq);
    EXPECT_EQ(log_.total(), 0U);
}

TEST_F(Stream, AcknowledgementOfAMoveThatWasNeverSentIsCaught) {
    net::FrameMessage next = frame(2);
    next.move_ack = kNewestSeq + 1;
    stream_.apply(next, kNewestSeq);
    expect_one(Violation::wrong_ack);
}

TEST_F(Stream, AcknowledgementThatGoesBackIsCaught) {
    net::FrameMessage next = frame(2);
    next.move_ack = 7;
    stream_.apply(next, kNewestSeq);
    next.tick = 3;
    next.move_ack = 6;
    stream_.apply(next, kNewestSeq);
    expect_one(Violation::wrong_ack);
}

TEST_F(Stream, EnterOutsideTheWorldIsCaught) {
    net::FrameMessage next = frame(2);
    next.enters = {entered(3, {0, 1'001, 0})};
    stream_.apply(next, kNewestSeq);
    expect_one(Violation::outside_world);
}

TEST_F(Stream, MoveOutOfTheWorldIsCaught) {
    net::FrameMessage next = frame(2);
    next.moves = {moved_by(9, 992, 0)};
    stream_.apply(next, kNewestSeq);
    expect_one(Violation::outside_world);
}

TEST_F(Stream, WhoIsShownOutsideOfTheWorldWhileABorderIsStaleIsNoFault) {
    net::FrameMessage next = frame(2);
    next.border_stale = true;
    next.moves = {moved_by(9, 992, 0)};
    stream_.apply(next, kNewestSeq);
    next.tick = 3;
    next.moves = {moved_by(9, -992, 0)};
    next.enters = {entered(3, {0, 1'001, 0})};
    stream_.apply(next, kNewestSeq);
    EXPECT_EQ(log_.total(), 0U);
}

TEST_F(Stream, DifferenceBeyondAllPositionsIsCaught) {
    net::FrameMessage next = frame(2);
    next.moves = {moved_by(9, std::int64_t{1} << 32U, 0)};
    stream_.apply(next, kNewestSeq);
    expect_one(Violation::outside_world);
    expect_known(1, 9, {9, 9, 9});
}

TEST_F(Stream, EntersOutOfOrderAreCaughtAndApplied) {
    net::FrameMessage next = frame(2);
    next.enters = {entered(7, {7, 7, 7}), entered(3, {3, 3, 3})};
    stream_.apply(next, kNewestSeq);
    expect_one(Violation::list_order);
    ASSERT_EQ(stream_.known().size(), 4U);
    expect_known(1, 3, {3, 3, 3});
    expect_known(2, 7, {7, 7, 7});
}

TEST_F(Stream, MovesOutOfOrderAreCaughtAndApplied) {
    net::FrameMessage next = frame(2);
    next.moves = {moved_by(9, 1, 0), moved_by(2, 1, 0)};
    stream_.apply(next, kNewestSeq);
    expect_one(Violation::list_order);
    expect_known(0, 2, {2, 1, 1});
    expect_known(1, 9, {10, 9, 9});
}

TEST_F(Stream, LeavesOutOfOrderAreCaught) {
    net::FrameMessage next = frame(2);
    next.leaves = {{id(9), engine::LeaveReason::gone}, {id(2), engine::LeaveReason::gone}};
    stream_.apply(next, kNewestSeq);
    expect_one(Violation::list_order);
    EXPECT_TRUE(stream_.known().empty());
}

}  // namespace
}  // namespace marchland::bots
