#include "net/player_port.h"

#include "net/decode_server.h"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

namespace marchland::tests {

namespace {

constexpr engine::Tick kHeartbeatTicks = 20;
constexpr net::PlayerPort::Options kOptions{3, kHeartbeatTicks, 1};

engine::Entity entity_at_seven() {
    engine::Entity entity;
    entity.position = {7, 7, 7};
    return entity;
}

net::SpeedLimit any_speed() {
    return {0, 20, engine::Dimensions::two, {}};
}

/// A port between a shard that is played by the test and a session that is not there.
class PlayerPortTest : public testing::Test {
protected:
    const engine::Entity& self() const { return entities_.at(self_); }
    bool put_frame(engine::Tick tick, bool border_stale = false) {
        engine::Frame frame;
        frame.watcher = self_;
        frame.tick = tick;
        return port_->put_frame(frame, entities_, {border_stale});
    }
    bool put_leave(engine::Tick tick) {
        const engine::Leave leave{engine::EntityId{5}, engine::LeaveReason::gone};
        engine::Frame frame;
        frame.tick = tick;
        frame.leaves = {&leave, 1};
        return port_->put_frame(frame, entities_, {});
    }
    bool put_and_send(engine::Tick tick) {
        const bool is_sent = put_frame(tick);
        if (is_sent) {
            port_->frame_sent();
        }
        return is_sent;
    }
    /// In the tick after the last one, or so many later.
    shards::Inputs taken(engine::Tick ticks = 1) {
        shards::Inputs inputs;
        inputs.tick = tick_ += ticks;
        port_->take_inputs(inputs);
        return inputs;
    }
    /// As a shard does it: whoever was named takes the port's place in the same tick.
    shards::Inputs taken_by_all() {
        shards::Inputs inputs = taken();
        while (inputs.successor != nullptr) {
            port_ = std::static_pointer_cast<net::PlayerPort>(std::exchange(inputs.successor, {}));
            merge(inputs, taken(0));
        }
        return inputs;
    }
    /// A port of a client that resumes after that frame will take the place of the newest one.
    std::shared_ptr<net::PlayerPort> hand_over(net::PlayerPort& from, engine::Tick last_tick) {
        net::PlayerPort::Options options = kOptions;
        options.resumes_after = last_tick;
        auto next = std::make_shared<net::PlayerPort>(options, any_speed(), mailbox_, counters_);
        from.park();
        EXPECT_TRUE(from.hand_over_to(next));
        return next;
    }
    /// As a service does it.
    void correct(engine::Position to) {
        shards::Inputs commands;
        commands.move = to;
        port_->inputs().put_commands(std::move(commands));
    }
    void rule(net::MoveRules rules) { port_->inputs().put_commands({}, rules); }
    /// Its client's Move of that number, as a service does it.
    void answer(std::uint32_t seq, engine::Position to) {
        shards::Inputs commands;
        commands.move = to;
        port_->inputs().put_commands(std::move(commands), {{}, net::Authority::unchanged, seq});
    }
    void turn(engine::Angle facing) {
        shards::Inputs commands;
        commands.facing = facing;
        port_->inputs().put_commands(std::move(commands));
    }
    net::FrameMessage in_flight() {
        const auto bytes = port_->frame();
        const std::vector<std::byte> message(bytes.begin(), bytes.end());
        net::ServerMessage decoded;
        EXPECT_FALSE(net::decode_server(message, decoded));
        return std::get<net::FrameMessage>(decoded);
    }

    boost::asio::io_context io_;
    net::Mailbox mailbox_{io_};
    net::IoThreadCounters counters_;
    engine::Tick tick_ = engine::kNever;
    engine::EntityStore entities_;
    const engine::Slot self_ = entities_.insert(entity_at_seven());
    std::shared_ptr<net::PlayerPort> port_ =
        std::make_shared<net::PlayerPort>(kOptions, any_speed(), mailbox_, counters_);
};

}  // namespace

TEST_F(PlayerPortTest, SendsTheFirstFrameThoughItIsEmpty) {
    EXPECT_TRUE(put_frame(100));
}

TEST_F(PlayerPortTest, SendsAnEmptyFrameOnlyAsAHeartbeat) {
    ASSERT_TRUE(put_and_send(100));
    for (engine::Tick tick = 101; tick < 100 + kHeartbeatTicks; ++tick) {
        EXPECT_FALSE(put_and_send(tick)) << tick;
    }
    EXPECT_TRUE(put_and_send(100 + kHeartbeatTicks));
    EXPECT_FALSE(put_and_send(101 + kHeartbeatTicks));
}

TEST_F(PlayerPortTest, SaysWhenATickWasDueOnlyWhereItsClientExpectsItOtherwise) {
    net::PlayerPort::Options options = kOptions;
    options.expected_hz = 30;
    port_ = std::make_shared<net::PlayerPort>(options, any_speed(), mailbox_, counters_);
    net::FrameTimes client(30);
    // 0: it is not said.
    const auto said = [&](engine::Tick tick, std::uint64_t due_us) {
        const engine::Leave leave{engine::EntityId{5}, engine::LeaveReason::gone};
        engine::Frame frame;
        frame.tick = tick;
        frame.leaves = {&leave, 1};
        EXPECT_TRUE(port_->put_frame(frame, entities_, {false, 100, due_us}));
        net::ServerMessage got = in_flight();
        const std::uint64_t said_us = std::get<net::FrameMessage>(got).server_time_us;
        client.complete(got);
        EXPECT_NEAR(double(std::get<net::FrameMessage>(got).server_time_us), double(due_us), 1);
        port_->frame_sent();
        return said_us;
    };
    const auto due = [](engine::Tick tick) { return 5'000'000 + tick * 1'000'000 / 30; };
    EXPECT_EQ(said(1, due(1)), due(1));
    for (engine::Tick tick = 2; tick < 200; tick += 1 + tick % 3) {
        EXPECT_EQ(said(tick, due(tick)), 0U) << tick;
    }
    // The zone is slow for a while, and then as before.
    EXPECT_EQ(said(201, due(201) + 20'000), due(201) + 20'000);
    EXPECT_EQ(said(202, due(202) + 20'000), 0U);
    EXPECT_EQ(said(203, due(203) + 19'990), due(203) + 19'990);
}

/// One message goes in any case, also in a crowd whose frames use up all of a client's bytes: that
/// is not to be paid back for long.
TEST_F(PlayerPortTest, HasRoomForMessagesSoonAfterACrowd) {
    net::PlayerPort::Options options = kOptions;
    options.frame_bytes_max = 4'096;
    options.bytes_per_tick_max = 2'048;
    port_ = std::make_shared<net::PlayerPort>(options, any_speed(), mailbox_, counters_);
    const engine::GameMessage kilobyte{
        7, std::make_shared<const std::vector<std::byte>>(std::size_t{1'000})};
    const auto sent = [&](engine::Tick tick, std::int64_t cost) {
        engine::Frame frame;
        frame.watcher = self_;
        frame.tick = tick;
        frame.cost = cost;
        EXPECT_TRUE(port_->put_frame(frame, entities_, {}));
        const net::FrameMessage message = in_flight();
        port_->frame_sent();
        return std::pair(message.messages.size(), message.is_over_budget);
    };
    for (engine::Tick tick = 1; tick <= 100; ++tick) {
        port_->put_message(kilobyte);
        port_->put_message(kilobyte);
        EXPECT_EQ(sent(tick, 4'096), std::pair(std::size_t{1}, true)) << tick;
    }
    EXPECT_EQ(sent(104, 0), std::pair(std::size_t{3}, true)) << "after four ticks' bytes";
}

TEST_F(PlayerPortTest, SendsAnEmptyFrameThatAcknowledgesAMove) {
    put_and_send(1);
    port_->ask_move({0, {}});
    taken();
    ASSERT_TRUE(put_frame(2));
    EXPECT_EQ(in_flight().move_ack, 0U);
    port_->frame_sent();
    EXPECT_FALSE(put_and_send(3));
}

TEST_F(PlayerPortTest, SendsAnEmptyFrameThatSaysThatABorderIsStale) {
    put_and_send(1);
    ASSERT_TRUE(put_frame(2, true));
    EXPECT_TRUE(in_flight().border_stale);
}

TEST_F(PlayerPortTest, SendsAFrameThatTellsSomething) {
    put_and_send(1);
    EXPECT_TRUE(put_leave(2));
}

TEST_F(PlayerPortTest, AcknowledgesTheMoveThatTheShardTook) {
    port_->ask_move({8, {1, 1, 1}});
    taken();
    port_->ask_move({9, {2, 2, 2}});
    ASSERT_TRUE(put_frame(1));
    EXPECT_EQ(in_flight().move_ack, 8U);
}

TEST_F(PlayerPortTest, TakesOneFrameAtATime) {
    EXPECT_TRUE(port_->can_take_frame());
    put_frame(1);
    EXPECT_FALSE(port_->can_take_frame());
    port_->frame_sent();
    EXPECT_TRUE(port_->can_take_frame());
}

TEST_F(PlayerPortTest, HandsOutTheNewestOfEachInputOnce) {
    port_->ask_move({1, {1, 1, 1}, engine::Angle{7}});
    port_->inputs().put_view(engine::View::circle(5, 6));
    port_->ask_move({2, {2, 2, 2}});
    const shards::Inputs inputs = taken();
    EXPECT_EQ(inputs.move, (engine::Position{2, 2, 2}));
    EXPECT_EQ(inputs.view, engine::View::circle(5, 6));
    EXPECT_EQ(inputs.facing, engine::Angle{7});
    EXPECT_FALSE(inputs.leave);
    EXPECT_TRUE(taken().is_empty());
}

TEST_F(PlayerPortTest, PutsTheEntityWhereAServiceSaysWhateverItsClientAsks) {
    port_->ask_move({1, {1, 1, 1}});
    correct({9, 9, 9});
    port_->ask_move({2, {2, 2, 2}});
    EXPECT_EQ(taken().move, (engine::Position{9, 9, 9}));
}

TEST_F(PlayerPortTest, TakesNoFacingOfAMoveThatAServiceOverrides) {
    port_->ask_move({1, {1, 1, 1}, engine::Angle{7}});
    correct({9, 9, 9});
    EXPECT_FALSE(taken().facing);
}

TEST_F(PlayerPortTest, TurnsTheEntityAsWhoeverAskedLast) {
    port_->ask_move({1, {1, 1, 1}, engine::Angle{7}});
    turn(engine::Angle{8});
    port_->ask_move({2, {2, 2, 2}});
    const shards::Inputs inputs = taken();
    EXPECT_EQ(inputs.move, (engine::Position{2, 2, 2}));
    EXPECT_EQ(inputs.facing, engine::Angle{8});
    turn(engine::Angle{8});
    port_->ask_move({3, {3, 3, 3}, engine::Angle{9}});
    EXPECT_EQ(taken().facing, engine::Angle{9});
}

/// Of a client that guesses its number.
TEST_F(PlayerPortTest, LetsNoMoveTakeThePlaceOfACorrectionThatWaits) {
    correct({9, 9, 9});
    port_->ask_move({2, {2, 2, 2}, engine::Angle{7}, 1});
    const shards::Inputs inputs = taken();
    EXPECT_EQ(inputs.move, (engine::Position{9, 9, 9}));
    EXPECT_FALSE(inputs.facing);
}

/// A port whose client's entity, with a velocity of 10 mm a tick along x, goes on for three ticks
/// at most.
class GoingOn : public PlayerPortTest {
protected:
    GoingOn() { port_ = make(3, {-100, -100, 100, 100}); }
    std::shared_ptr<net::PlayerPort> make(std::uint32_t ticks_max, engine::Rect world,
                                          const net::SpeedLimit& speed = any_speed()) {
        net::PlayerPort::Options options = kOptions;
        options.predicted_ticks_max = ticks_max;
        options.world = world;
        return std::make_shared<net::PlayerPort>(options, speed, mailbox_, counters_);
    }
    void ask(std::int32_t x) { port_->ask_move({1, {x, 0, 0}, {}, 0, {10, 0, 0}}); }
    /// Where it is asked to be in each of the next ticks; nothing: it stays.
    std::vector<std::optional<std::int32_t>> ways(std::size_t ticks) {
        std::vector<std::optional<std::int32_t>> x;
        while (x.size() < ticks) {
            const shards::Inputs inputs = taken();
            x.push_back(inputs.move ? std::optional(inputs.move->x) : std::nullopt);
        }
        return x;
    }
    using Ways = std::vector<std::optional<std::int32_t>>;
};

TEST_F(GoingOn, EndsAfterItsTimeWhereNoMoveComes) {
    ask(0);
    EXPECT_EQ(ways(6), (Ways{0, 10, 20, 30, {}, {}}));
}

TEST_F(GoingOn, BeginsAnewWithTheNextMove) {
    ask(0);
    EXPECT_EQ(ways(3), (Ways{0, 10, 20}));
    ask(25);
    EXPECT_EQ(ways(5), (Ways{25, 35, 45, 55, {}}));
    port_->ask_move({2, {60, 0, 0}});
    EXPECT_EQ(ways(2), (Ways{60, {}})) << "without a velocity";
}

/// Its client knows nothing of it, and counts on.
TEST_F(GoingOn, IsNotHeldUpByWhateverElseTheClientAsksFor) {
    ask(0);
    EXPECT_EQ(ways(1), (Ways{0}));
    port_->inputs().put_view(engine::View::circle(5, 5));
    EXPECT_EQ(ways(1), (Ways{10}));
    port_->inputs().put_keyframe();
    EXPECT_EQ(ways(1), (Ways{20}));
}

TEST_F(GoingOn, IsForEachTickAlsoForThoseThatALateShardSkipped) {
    ask(0);
    EXPECT_EQ(ways(1), (Ways{0}));
    EXPECT_EQ(taken(2).move, (engine::Position{20, 0, 0}));
    EXPECT_EQ(taken(5).move, (engine::Position{30, 0, 0})) << "its three ticks are over";
    EXPECT_EQ(ways(1), (Ways{{}}));
}

TEST_F(GoingOn, EndsAtTheWorldsEdge) {
    ask(85);
    EXPECT_EQ(ways(3), (Ways{85, 95, {}}));
}

TEST_F(GoingOn, EndsAtTheEndOfInt32) {
    port_->ask_move({1, {0, 0, INT32_MAX - 15}, {}, 0, {0, 0, 10}});
    EXPECT_EQ(taken().move, (engine::Position{0, 0, INT32_MAX - 15}));
    EXPECT_EQ(taken().move, (engine::Position{0, 0, INT32_MAX - 5}));
    EXPECT_FALSE(taken().move);
}

TEST_F(GoingOn, EndsWhenTheLineIsLost) {
    ask(0);
    EXPECT_EQ(ways(2), (Ways{0, 10}));
    port_->park();
    EXPECT_EQ(ways(2), (Ways{{}, {}}));
}

TEST_F(GoingOn, EndsWithACorrection) {
    ask(0);
    EXPECT_EQ(ways(2), (Ways{0, 10}));
    correct({50, 0, 0});
    EXPECT_EQ(ways(2), (Ways{50, {}}));
}

TEST_F(GoingOn, EndsWithACorrectionWhereAServiceTakesTheEntityOrFreezesIt) {
    for (const net::MoveRules& rules :
         {net::MoveRules{{}, net::Authority::service}, net::MoveRules{std::uint16_t{0}}}) {
        port_ = make(3, {-100, -100, 100, 100});
        put_and_send(1);
        ask(0);
        EXPECT_EQ(ways(2), (Ways{0, 10}));
        rule(rules);
        EXPECT_EQ(ways(2), (Ways{{}, {}}));
        ASSERT_TRUE(put_frame(2));
        EXPECT_EQ(in_flight().correction, (net::Correction{1, self().position}));
        port_->frame_sent();
    }
}

TEST_F(GoingOn, GoesOnWhereAServiceLetsItGoFasterOrAsFast) {
    put_and_send(1);
    ask(0);
    EXPECT_EQ(ways(1), (Ways{0}));
    rule({std::uint16_t{100}});
    EXPECT_EQ(ways(1), (Ways{10}));
    rule({std::uint16_t{200}});
    EXPECT_EQ(ways(1), (Ways{20}));
    ASSERT_TRUE(put_frame(2));
    EXPECT_FALSE(in_flight().correction);
}

TEST_F(PlayerPortTest, LetsWhoIsFrozenNoMoreGoATicksWayInThatTick) {
    port_ = std::make_shared<net::PlayerPort>(
        kOptions, net::SpeedLimit(1'000, 20, engine::Dimensions::two, {}), mailbox_, counters_);
    rule({std::uint16_t{0}});
    port_->ask_move({1, {1, 0, 0}});
    EXPECT_FALSE(taken().move);
    rule({std::uint16_t{100}});
    port_->ask_move({2, {50, 0, 0}, {}, 1});
    EXPECT_EQ(taken().move, (engine::Position{50, 0, 0}));
}

TEST_F(GoingOn, IsNoFasterThanTheSpeedLimit) {
    port_ = make(100, {-1'000, -1'000, 1'000, 1'000},
                 net::SpeedLimit(100, 20, engine::Dimensions::two, {}));
    ask(0);
    const Ways way = ways(40);
    EXPECT_FALSE(way.back());
}

TEST_F(GoingOn, IsNotDoneWhereEveryMoveIsSent) {
    port_ = make(0, {-100, -100, 100, 100});
    ask(0);
    EXPECT_EQ(ways(2), (Ways{0, {}}));
}

TEST_F(PlayerPortTest, GivesAsManyFramesASecondAsTheGameSaysAndNoMoreThanTheClientAsksFor) {
    net::PlayerPort::Options options = kOptions;
    options.frames_hz = 10;
    port_ = std::make_shared<net::PlayerPort>(options, any_speed(), mailbox_, counters_);
    EXPECT_EQ(port_->frames_hz(), 10U);
    port_->ask_frames_hz(15);
    EXPECT_EQ(port_->frames_hz(), 10U);
    port_->ask_frames_hz(2);
    EXPECT_EQ(port_->frames_hz(), 2U);
    rule({.frames_hz = std::uint16_t{1}});
    taken();
    EXPECT_EQ(port_->frames_hz(), 1U);
    rule({.frames_hz = std::uint16_t{0}});
    taken();
    port_->ask_frames_hz(0);
    EXPECT_EQ(port_->frames_hz(), 10U);
}

TEST_F(PlayerPortTest, HandsOnHowManyFramesTheGameGivesAndNotHowManyTheClientAskedFor) {
    put_and_send(1);
    rule({.frames_hz = std::uint16_t{7}});
    taken();
    port_->ask_frames_hz(2);
    hand_over(*port_, 1);
    taken_by_all();
    EXPECT_EQ(port_->frames_hz(), 7U);
}

TEST_F(PlayerPortTest, TellsACorrectionOnceWithItsNumber) {
    put_and_send(1);
    correct({9, 9, 9});
    taken();
    ASSERT_TRUE(put_frame(2));
    EXPECT_EQ(in_flight().correction, (net::Correction{1, self().position}));
    port_->frame_sent();
    EXPECT_FALSE(put_frame(3));
}

TEST_F(PlayerPortTest, GivesACorrectionByAServiceAnotherNumberThanARefusalBeforeIt) {
    net::PendingInputs& inputs = port_->inputs();
    shards::Inputs into;
    static_cast<void>(inputs.take(into));
    correct({9, 9, 9});  // while the shard judges the move that it took
    EXPECT_EQ(inputs.refuse_move(), 1U);
    EXPECT_EQ(inputs.take(into).correction, 2U);
}

TEST_F(PlayerPortTest, PassesOverMovesFromBeforeTheCorrectionWasSeen) {
    correct({9, 9, 9});
    taken();
    port_->ask_move({2, {2, 2, 2}});
    EXPECT_FALSE(taken().move);
    port_->ask_move({3, {3, 3, 3}, {}, 1});
    EXPECT_EQ(taken().move, (engine::Position{3, 3, 3}));
}

TEST_F(PlayerPortTest, RefusesAMoveThatIsTooFarAndTellsWhereTheEntityIs) {
    const net::SpeedLimit speed(1'000, 20, engine::Dimensions::two, {});
    port_ = std::make_shared<net::PlayerPort>(kOptions, speed, mailbox_, counters_);
    put_and_send(1);
    port_->ask_move({5, {1'001, 0, 0}, engine::Angle{7}});
    const shards::Inputs inputs = taken();
    EXPECT_FALSE(inputs.move);
    EXPECT_FALSE(inputs.facing);
    ASSERT_TRUE(put_frame(2));
    EXPECT_EQ(in_flight().correction, (net::Correction{1, self().position}));
    EXPECT_EQ(in_flight().move_ack, 0U);
}

TEST_F(PlayerPortTest, LeavesAServicesFacingWhereTheClientsMoveIsTooFar) {
    const net::SpeedLimit speed(1'000, 20, engine::Dimensions::two, {});
    port_ = std::make_shared<net::PlayerPort>(kOptions, speed, mailbox_, counters_);
    turn(engine::Angle{8});
    port_->ask_move({5, {1'001, 0, 0}, engine::Angle{7}});
    EXPECT_EQ(taken().facing, engine::Angle{8});
}

TEST_F(PlayerPortTest, LetsAServicePutTheEntityAnyDistanceAway) {
    const net::SpeedLimit speed(1'000, 20, engine::Dimensions::two, {});
    port_ = std::make_shared<net::PlayerPort>(kOptions, speed, mailbox_, counters_);
    correct({500'000, 0, 0});
    EXPECT_EQ(taken().move, (engine::Position{500'000, 0, 0}));
    port_->ask_move({6, {500'900, 0, 0}, {}, 1});
    EXPECT_EQ(taken().move, (engine::Position{500'900, 0, 0}));
}

TEST_F(PlayerPortTest, CorrectsAFrozenEntitysClientAndKeepsItFrozenOverAResume) {
    put_and_send(1);
    port_->ask_move({1, {5, 0, 0}});
    port_->inputs().put_commands({}, {std::uint16_t{0}});
    EXPECT_FALSE(taken().move);  // that waited for the same tick
    ASSERT_TRUE(put_frame(2));
    EXPECT_EQ(in_flight().correction, (net::Correction{1, self().position}));
    EXPECT_EQ(in_flight().move_ack, 0U);
    port_->frame_sent();
    hand_over(*port_, 2);
    taken_by_all();
    port_->ask_move({1, {5, 0, 0}, {}, 1});
    EXPECT_FALSE(taken().move);
    port_->inputs().put_commands({}, {std::uint16_t{100}});
    port_->ask_move({2, {5, 0, 0}, {}, 2});
    EXPECT_EQ(taken().move, (engine::Position{5, 0, 0}));
}

TEST_F(PlayerPortTest, TurnsAFrozenEntityAsItsClientAsks) {
    port_->inputs().put_commands({}, {std::uint16_t{0}});
    port_->ask_move({1, {}, engine::Angle{9}});
    EXPECT_EQ(taken().facing, engine::Angle{9});
}

TEST_F(PlayerPortTest, PutsAFrozenEntityWhereAServiceSays) {
    shards::Inputs commands;
    commands.move = engine::Position{90, 0, 0};
    port_->inputs().put_commands(std::move(commands), {std::uint16_t{0}});
    EXPECT_EQ(taken().move, (engine::Position{90, 0, 0}));
    port_->ask_move({1, {91, 0, 0}, {}, 1});
    EXPECT_FALSE(taken().move);
}

TEST_F(PlayerPortTest, MakesNoMoveOfAnEntityThatServicesMoveAlsoAfterAResume) {
    put_and_send(1);
    rule({{}, net::Authority::service});
    port_->ask_move({1, {5, 0, 0}, engine::Angle{9}});
    const shards::Inputs inputs = taken();
    EXPECT_FALSE(inputs.move);
    EXPECT_FALSE(inputs.facing);
    EXPECT_FALSE(put_frame(2));  // nothing to tell yet
    hand_over(*port_, 1);
    taken_by_all();
    port_->ask_move({1, {5, 0, 0}, {}, 1});
    EXPECT_FALSE(taken().move);
    rule({{}, net::Authority::zone});
    port_->ask_move({2, {5, 0, 0}, {}, 1});
    EXPECT_FALSE(taken().move) << "its client is to be sent first where its entity is";
    port_->ask_move({3, {5, 0, 0}, {}, 2});
    EXPECT_TRUE(taken().move);
}

TEST_F(PlayerPortTest, SaysWhatARestartIsToKnowWhenItChangesAndGoesOnWithItAfterwards) {
    EXPECT_EQ(taken().port_state, std::nullopt);
    rule({std::uint16_t{0}, net::Authority::client, {}, std::uint16_t{5}});
    EXPECT_EQ(port_->inputs().put_message(1, {}), net::PendingInputs::Put::taken);
    constexpr auto kClient = static_cast<std::uint8_t>(net::Authority::client);
    const shards::PortState known{kClient, 0, 5, 1};
    EXPECT_EQ(taken().port_state, known);
    rule({std::uint16_t{0}});
    EXPECT_EQ(taken().port_state, std::nullopt) << "as it was";
    hand_over(*port_, 1);
    EXPECT_EQ(taken_by_all().port_state, std::nullopt) << "to another connection";

    net::PlayerPort::Options options = kOptions;
    options.authority = net::Authority::service;
    options.restored = known;
    port_ = std::make_shared<net::PlayerPort>(options, any_speed(), mailbox_, counters_);
    EXPECT_EQ(port_->frames_hz(), 5U);
    EXPECT_EQ(port_->inputs().put_message(1, {}), net::PendingInputs::Put::again);
    EXPECT_EQ(port_->inputs().put_message(2, {}), net::PendingInputs::Put::taken);
    port_->ask_move({1, {5, 0, 0}});
    const shards::Inputs inputs = taken();
    EXPECT_FALSE(inputs.move) << "it is frozen";
    EXPECT_EQ(inputs.port_state, (shards::PortState{kClient, 0, 5, 2}));
    ASSERT_TRUE(put_frame(1));
    EXPECT_TRUE(in_flight().correction) << "its client moves it, though services move others'";
}

TEST_F(PlayerPortTest, AcknowledgesAMoveThatAServiceMadeAndCorrectsOnlyWhereItIsAnother) {
    put_and_send(1);
    rule({{}, net::Authority::service});
    for (std::uint32_t seq = 1; seq <= 3; ++seq) {
        port_->ask_move({seq, {static_cast<std::int32_t>(seq), 0, 0}});
        taken();
    }
    answer(2, {2, 0, 0});
    EXPECT_EQ(taken().move, (engine::Position{2, 0, 0}));
    ASSERT_TRUE(put_frame(2));
    EXPECT_EQ(in_flight().move_ack, 2U);
    EXPECT_EQ(in_flight().correction, std::nullopt);
    port_->frame_sent();
    answer(3, {9, 9, 0});
    port_->ask_move({4, {4, 0, 0}});
    taken();
    ASSERT_TRUE(put_frame(3));
    EXPECT_EQ(in_flight().move_ack, 3U);
    EXPECT_EQ(in_flight().correction, (net::Correction{1, self().position}));
    port_->frame_sent();
    // Asked for before the client saw the correction, and taken all the same.
    port_->ask_move({5, {5, 0, 0}});
    taken();
    answer(5, {5, 0, 0});
    taken();
    ASSERT_TRUE(put_frame(4));
    EXPECT_EQ(in_flight().move_ack, 5U);
    EXPECT_EQ(in_flight().correction, std::nullopt);
}

TEST_F(PlayerPortTest, PassesOverWhatWasAskedForBeforeAServicePutTheEntityElsewhere) {
    rule({{}, net::Authority::service});
    taken();
    correct({9, 9, 9});
    taken();
    port_->ask_move({1, {1, 0, 0}});
    taken();
    answer(1, {1, 0, 0});
    taken();
    ASSERT_TRUE(put_frame(2));
    EXPECT_EQ(in_flight().move_ack, 0U);  // nobody was sent it
    EXPECT_EQ(in_flight().correction, (net::Correction{2, self().position}));
}

TEST_F(PlayerPortTest, CorrectsAClientThatHasItsEntityBackWhereAnAnswerComesLate) {
    put_and_send(1);
    answer(7, {50, 0, 0});
    port_->ask_move({8, {1, 0, 0}});
    EXPECT_EQ(taken().move, (engine::Position{50, 0, 0}));
    port_->ask_move({9, {1, 0, 0}});
    EXPECT_FALSE(taken().move);
    ASSERT_TRUE(put_frame(2));
    EXPECT_EQ(in_flight().move_ack, 0U);
    EXPECT_EQ(in_flight().correction, (net::Correction{1, self().position}));
}

TEST_F(PlayerPortTest, AsksForOneKeyframeASecondHoweverManyItsClientWants) {
    std::vector<int> asked;
    for (int tick = 0; tick < 3 * static_cast<int>(kHeartbeatTicks); ++tick) {
        if (tick < 30) {
            port_->inputs().put_keyframe();
        }
        if (taken().keyframe) {
            asked.push_back(tick);
        }
    }
    EXPECT_EQ(asked, (std::vector<int>{0, 20, 40}));
}

/// As those of a client with few frames: its requests wait for its turn, and the first keyframe
/// answers all of them.
TEST_F(PlayerPortTest, AnswersRequestsWithTheKeyframeThatComesAfterThem) {
    port_->inputs().put_keyframe();
    EXPECT_TRUE(taken().keyframe);
    port_->inputs().put_keyframe();
    EXPECT_FALSE(taken().keyframe);
    engine::Frame keyframe;
    keyframe.tick = 2;
    keyframe.watcher = self_;
    keyframe.is_keyframe = true;
    ASSERT_TRUE(port_->put_frame(keyframe, entities_, {}));
    port_->frame_sent();
    for (int tick = 0; tick < 2 * static_cast<int>(kHeartbeatTicks); ++tick) {
        EXPECT_FALSE(taken().keyframe);
    }
    port_->inputs().put_keyframe();
    EXPECT_TRUE(taken().keyframe);
}

TEST_F(PlayerPortTest, CarriesAKeyframeThatWaitsOnToThePortThatTakesItsPlace) {
    for (const bool waits : {false, true}) {
        port_ = std::make_shared<net::PlayerPort>(kOptions, any_speed(), mailbox_, counters_);
        put_and_send(1);
        port_->inputs().put_keyframe();
        EXPECT_TRUE(taken().keyframe);
        if (waits) {
            port_->inputs().put_keyframe();
            EXPECT_FALSE(taken().keyframe);
        }
        hand_over(*port_, 1);
        EXPECT_FALSE(taken_by_all().keyframe);
        EXPECT_EQ(port_->can_take_frame(), !waits);
        bool has_come = false;
        for (engine::Tick tick = 0; tick < kHeartbeatTicks; ++tick) {
            has_come = taken().keyframe || has_come;
        }
        EXPECT_EQ(has_come, waits);
        EXPECT_TRUE(port_->can_take_frame());
    }
}

/// Not one for each time that a client says it knows nothing; and what it is sent begins with one.
TEST_F(PlayerPortTest, GivesAClientThatResumesInEachTickOneKeyframeASecond) {
    put_and_send(1);
    std::vector<int> asked;
    for (int tick = 0; tick < 2 * static_cast<int>(kHeartbeatTicks); ++tick) {
        hand_over(*port_, engine::kNever);
        if (taken_by_all().keyframe) {
            asked.push_back(tick);
            EXPECT_TRUE(port_->can_take_frame());
        } else {
            EXPECT_FALSE(port_->can_take_frame());
        }
    }
    EXPECT_EQ(asked, (std::vector<int>{0, 20}));
}

TEST_F(PlayerPortTest, GivesATickOneDistanceHoweverManyTakeOverInIt) {
    const net::SpeedLimit speed(1'000, 20, engine::Dimensions::two, {});
    port_ = std::make_shared<net::PlayerPort>(kOptions, speed, mailbox_, counters_);
    port_->ask_move({1, {1'000, 0, 0}, {}});
    EXPECT_TRUE(taken().move);  // all that was saved up
    std::shared_ptr<net::PlayerPort> newest = port_;
    for (int i = 0; i < 10; ++i) {
        newest = hand_over(*newest, engine::kNever);
    }
    newest->ask_move({1, {1'051, 0, 0}, {}, 1});  // a tick is worth 50 mm
    EXPECT_FALSE(taken_by_all().move);
    port_->ask_move({2, {1'100, 0, 0}, {}, 2});
    EXPECT_TRUE(taken().move);
}

TEST_F(PlayerPortTest, SaysThatThereIsRoomOnceATickTookTheMessagesBeforeOneThatWaits) {
    using Put = net::PendingInputs::Put;
    net::Mailbox::Mail mail;
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < net::PendingInputs::kClientMessagesMax; ++i) {
        EXPECT_EQ(port_->inputs().put_message(++number, {}), Put::taken);
    }
    taken();
    mailbox_.take(mail);
    EXPECT_TRUE(mail.others.empty());  // none waits

    while (port_->inputs().put_message(++number, {}) == Put::taken) {
    }
    taken();
    taken();
    mailbox_.take(mail);
    ASSERT_EQ(mail.others.size(), 1U);
    EXPECT_EQ(std::get<net::Mailbox::Room>(mail.others.front()).port, port_);
    EXPECT_EQ(port_->inputs().put_message(number, {}), Put::taken);
}

TEST_F(PlayerPortTest, IsAwayOnceItsConnectionIsLostAndNotWhileAFrameIsOnItsWay) {
    put_frame(1);
    EXPECT_FALSE(port_->can_take_frame());
    EXPECT_FALSE(port_->is_away());
    port_->park();
    EXPECT_TRUE(port_->is_away());
}

TEST_F(PlayerPortTest, TakesNoFrameAfterItLeft) {
    port_->leave(net::PlayerLeftReason::left);
    EXPECT_FALSE(port_->can_take_frame());
    EXPECT_FALSE(put_frame(1));
    EXPECT_TRUE(taken().leave);
}

TEST_F(PlayerPortTest, StaysClosedWhenItLeavesWithAFrameInFlight) {
    put_leave(1);
    port_->leave(net::PlayerLeftReason::left);
    port_->frame_sent();
    EXPECT_FALSE(port_->can_take_frame());
}

TEST_F(PlayerPortTest, SaysAtOnceThatAViewIsFillingAndThatItIsFull) {
    net::PlayerPort port(kOptions, any_speed(), mailbox_, counters_);
    engine::Frame frame;
    frame.watcher = self_;
    const auto is_sent = [&](bool is_filling) {
        ++frame.tick;
        frame.is_filling = is_filling;
        const bool was_written = port.put_frame(frame, entities_, {});
        if (was_written) {
            port.frame_sent();
        }
        return was_written;
    };
    EXPECT_TRUE(is_sent(false)) << "the first frame";
    EXPECT_FALSE(is_sent(false));
    EXPECT_TRUE(is_sent(true));
    EXPECT_FALSE(is_sent(true));
    EXPECT_TRUE(is_sent(false));
}

TEST_F(PlayerPortTest, IsPostedToItsLaneWhenTheEntityIsRemoved) {
    port_->on_removed();
    net::Mailbox::Mail mail;
    mailbox_.take(mail);
    ASSERT_EQ(mail.others.size(), 1U);
    EXPECT_EQ(std::get<net::Mailbox::Removed>(mail.others.front()).port, port_);
    EXPECT_EQ(port_->io_thread(), 3U);
}

TEST_F(PlayerPortTest, IsCountedAsLongAsSomebodyHoldsIt) {
    EXPECT_EQ(counters_.ports.load(), 1U);
    port_.reset();
    EXPECT_EQ(counters_.ports.load(), 0U);
}

}  // namespace marchland::tests
