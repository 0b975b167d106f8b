#include "net/player_notices.h"

#include "net/connection.h"
#include "net/mailbox.h"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <map>

namespace marchland::tests {

namespace {

using engine::EntityId;
using Notice = net::PlayerNotices::Notice;

class PlayerNoticesTest : public testing::Test {
protected:
    /// How much mail came since this was asked last.
    std::size_t mail() {
        net::Mailbox::Mail mail;
        mailbox_.take(mail);
        return mail.others.size();
    }

    std::shared_ptr<net::NoticeQueue> open_queue() {
        auto queue = std::make_shared<net::NoticeQueue>(
            mailbox_, reinterpret_cast<net::Connection&>(nobody_), false);
        EXPECT_TRUE(notices_.open_queue(queue, 2));
        return queue;
    }

    /// Who is sent now; a player who has gone as its negative; 0: all that were there are.
    std::vector<std::int64_t> sent() { return sent_to(*queue_); }
    std::vector<std::int64_t> sent_to(net::NoticeQueue& queue) {
        std::vector<std::int64_t> all;
        while (const auto notice = notices_.take(queue)) {
            const auto id = std::visit(
                [](const auto& one) -> std::int64_t {
                    if constexpr (requires { one.entity; }) {
                        return static_cast<std::int64_t>(one.entity);
                    } else {
                        return 0;
                    }
                },
                *notice);
            all.push_back(std::holds_alternative<net::PlayerLeft>(*notice) ? -id : id);
        }
        return all;
    }

    void subscribe(net::Subscribe what, engine::Tick next_tick = 1) {
        notices_.subscribe(*queue_, std::move(what), engine::Dimensions::two, next_tick);
    }
    /// Of `count` players, of the ids from 1 on, each at its id.
    void place(engine::Tick tick, std::int32_t count, bool border_stale = false) {
        net::PlayersOfTick players{tick, border_stale, {}};
        for (std::int32_t i = 1; i <= count; ++i) {
            players.players.push_back({EntityId{static_cast<std::uint64_t>(i)}, {i, 0, 0}});
        }
        notices_.place(std::make_shared<const net::PlayersOfTick>(std::move(players)));
    }
    net::Positions taken_positions() { return std::get<net::Positions>(*notices_.take(*queue_)); }

    net::PlayerNotices notices_{3, 1'000};  // messages and bytes for each service
    std::shared_ptr<net::NoticeQueue> queue_;

private:
    boost::asio::io_context io_;
    net::Mailbox mailbox_{io_};
    /// Boxes hand their connection on, and nobody here asks for it.
    alignas(net::Connection) std::byte nobody_[sizeof(net::Connection)]{};

    void SetUp() override {
        queue_ = open_queue();
        ASSERT_EQ(notices_.take(*queue_), Notice{net::PlayersListed{}});
        ASSERT_FALSE(notices_.take(*queue_));
        mail();
    }
};

}  // namespace

TEST_F(PlayerNoticesTest, SaysThatWhoWasThereIsListedThoughSomeGoAndOthersComeMeanwhile) {
    for (std::uint64_t id = 1; id <= 3; ++id) {
        notices_.add(EntityId{id}, {});
    }
    const auto later = open_queue();
    notices_.remove(EntityId{3}, net::PlayerLeftReason::left);
    notices_.add(EntityId{4}, {});
    EXPECT_EQ(sent_to(*later), (std::vector<std::int64_t>{1, 2, 0, 4}));
}

TEST_F(PlayerNoticesTest, PostsABoxOnceHoweverOftenPlayersComeAndGo) {
    for (std::uint64_t id = 1; id <= 100; ++id) {
        notices_.add(EntityId{id}, {});
        notices_.remove(EntityId{id}, net::PlayerLeftReason::left);
    }
    EXPECT_EQ(mail(), 1U);
    EXPECT_TRUE(sent().empty());
}

TEST_F(PlayerNoticesTest, PostsABoxAgainOnceItWasReadToItsEnd) {
    notices_.add(EntityId{1}, {});
    EXPECT_EQ(mail(), 1U);
    notices_.add(EntityId{2}, {});
    EXPECT_EQ(mail(), 0U);
    EXPECT_EQ(sent(), (std::vector<std::int64_t>{1, 2}));
    notices_.remove(EntityId{1}, net::PlayerLeftReason::left);
    EXPECT_EQ(mail(), 1U);
    EXPECT_EQ(sent(), (std::vector<std::int64_t>{-1}));
}

TEST_F(PlayerNoticesTest, TellWhoIsAwayToAServiceThatLearnsLateOfItsComing) {
    notices_.add(EntityId{1}, {});
    notices_.lose(EntityId{1}, 0, 500);
    EXPECT_EQ(notices_.take(*queue_), (Notice{net::PlayerJoined{EntityId{1}, 0, {}, {}}}));
    EXPECT_EQ(notices_.take(*queue_), (Notice{net::PlayerAway{EntityId{1}, 500}}));
    EXPECT_FALSE(notices_.take(*queue_).has_value());
}

TEST_F(PlayerNoticesTest, TellTheNewestAloneOfWhoIsLostAndBackOverAndOver) {
    notices_.add(EntityId{1}, {});
    EXPECT_EQ(sent().size(), 1U);
    std::uint32_t line = 0;
    for (int i = 0; i < 10; ++i) {
        notices_.lose(EntityId{1}, line, 500);
        line = notices_.come_back(EntityId{1}, "{}");
    }
    EXPECT_EQ(notices_.take(*queue_), (Notice{net::PlayerBack{EntityId{1}, "{}"}}));
    EXPECT_FALSE(notices_.take(*queue_).has_value());
}

TEST_F(PlayerNoticesTest, DoNotTakeTheLossOfAFormerConnectionForThatOfTheNewOne) {
    notices_.add(EntityId{1}, {});
    notices_.come_back(EntityId{1}, "");
    notices_.lose(EntityId{1}, 0, 500);
    EXPECT_EQ(sent(), (std::vector<std::int64_t>{1}));
}

TEST_F(PlayerNoticesTest, TellOfNoPresenceOfWhoIsGone) {
    notices_.add(EntityId{1}, {});
    EXPECT_EQ(sent().size(), 1U);
    notices_.lose(EntityId{1}, 0, 500);
    notices_.remove(EntityId{1}, net::PlayerLeftReason::lost);
    EXPECT_EQ(notices_.take(*queue_),
              (Notice{net::PlayerLeft{EntityId{1}, net::PlayerLeftReason::lost}}));
    EXPECT_FALSE(notices_.take(*queue_).has_value());
}

TEST_F(PlayerNoticesTest, KeepTheNewestMessagesAndSayHowManyWereLost) {
    const auto said_at = [](std::uint16_t kind, engine::Tick tick) {
        return Notice{net::PlayerMessage{EntityId{1}, kind, tick, {1, 2, 3}, {}}};
    };
    subscribe({{9, 8}});
    notices_.add(EntityId{1}, {});
    for (std::uint16_t i = 0; i < 5; ++i) {
        const std::vector<engine::GameMessage> said{{8, {}}, {7, {}}, {9, {}}};
        notices_.say(EntityId{1}, 10U + i, {1, 2, 3}, said);
    }
    notices_.remove(EntityId{1}, net::PlayerLeftReason::left);
    EXPECT_EQ(mail(), 1U);
    // Who came, said something and went is sent, though late.
    EXPECT_EQ(notices_.take(*queue_), Notice{net::MessagesLost{7}});
    EXPECT_EQ(notices_.take(*queue_), (Notice{net::PlayerJoined{EntityId{1}, 0, {}, {}}}));
    EXPECT_EQ(notices_.take(*queue_), said_at(9, 13));
    EXPECT_EQ(notices_.take(*queue_), said_at(8, 14));
    EXPECT_EQ(notices_.take(*queue_), said_at(9, 14));
    EXPECT_EQ(notices_.take(*queue_),
              (Notice{net::PlayerLeft{EntityId{1}, net::PlayerLeftReason::left}}));
    EXPECT_FALSE(notices_.take(*queue_).has_value());
}

TEST_F(PlayerNoticesTest, KeepOfEachPlayerTheNewestMoveThatItAsksFor) {
    subscribe({{}, false, {}, true});
    notices_.add(EntityId{1}, {});
    notices_.add(EntityId{2}, {});
    sent();
    for (std::uint32_t seq = 1; seq <= 1'000; ++seq) {
        notices_.ask_move({EntityId{1 + seq % 2}, seq, seq, {}});
    }
    notices_.ask_move({EntityId{1}, 1'001, 1'001, {}, engine::Angle{9}});
    notices_.ask_move({EntityId{1}, 1'002, 1'002, {}});
    notices_.ask_move({EntityId{3}, 1, 1, {}});  // is out of the zone by now
    EXPECT_EQ(notices_.take(*queue_),
              Notice(net::PlayerMove{EntityId{1}, 1'002, 1'002, {}, engine::Angle{9}}));
    notices_.remove(EntityId{2}, net::PlayerLeftReason::left);
    EXPECT_EQ(sent(), std::vector<std::int64_t>{-2});
    subscribe({});
    notices_.ask_move({EntityId{1}, 2, 2, {}});
    EXPECT_TRUE(sent().empty());
}

TEST_F(PlayerNoticesTest, TellAServiceThatReadsSlowlyOfEverybodysMovesAndOfTicks) {
    subscribe({{}, true, {}, true});
    for (std::uint64_t id = 1; id <= 4; ++id) {
        notices_.add(EntityId{id}, {});
    }
    sent();
    std::map<std::uint64_t, std::size_t> moves;
    std::size_t parts = 0;
    std::uint64_t ticks = 0;
    for (engine::Tick tick = 1; tick <= 30; ++tick) {
        for (std::uint64_t id = 1; id <= 4; ++id) {
            notices_.ask_move({EntityId{id}, 1, tick, {}});
        }
        place(tick, 1'500);  // two messages
        const auto notice = *notices_.take(*queue_);
        if (const auto* const move = std::get_if<net::PlayerMove>(&notice)) {
            EXPECT_EQ(move->tick, tick) << "the newest";
            ++moves[to_number(move->entity)];
        } else {
            const auto& part = std::get<net::Positions>(notice);
            ++parts;
            ticks += part.ticks_lost + (part.has_more ? 0U : 1U);
        }
    }
    EXPECT_EQ(moves, (std::map<std::uint64_t, std::size_t>{{1, 5}, {2, 5}, {3, 5}, {4, 5}}));
    EXPECT_EQ(parts, 10U);
    EXPECT_EQ(ticks, 29U) << "sent, or lost and counted, before the last part";
}

TEST_F(PlayerNoticesTest, TellATickWithPositionsInPartsAndLoseTheTicksThatCameMeanwhile) {
    subscribe({{}, true});
    place(1, 1'500);
    const net::Positions first = taken_positions();
    place(2, 1);
    place(3, 1);
    place(4, 2);
    const net::Positions rest = taken_positions();
    EXPECT_EQ(mail(), 1U);
    EXPECT_EQ(first.tick, 1U);
    EXPECT_TRUE(first.has_more);
    EXPECT_EQ(first.players.size(), net::kServiceItemsMax);
    EXPECT_EQ(rest.tick, 1U);
    EXPECT_FALSE(rest.has_more);
    EXPECT_EQ(rest.players.size(), 1'500 - net::kServiceItemsMax);
    EXPECT_EQ(rest.players.front(), (net::Placed{EntityId{1'025}, {1'025, 0, 0}}));
    EXPECT_EQ(
        taken_positions(),
        (net::Positions{4, {{EntityId{1}, {1, 0, 0}}, {EntityId{2}, {2, 0, 0}}}, false, false, 2}));
    EXPECT_FALSE(notices_.take(*queue_).has_value());
    place(5, 0);
    EXPECT_EQ(mail(), 1U);
    EXPECT_EQ(taken_positions(), net::Positions{5});
}

TEST_F(PlayerNoticesTest, TellWhoIsInTheAreaAlone) {
    subscribe({{}, true, net::Circle{{10, 0, 999}, 2}});
    place(1, 100);
    const net::Positions received = taken_positions();
    ASSERT_EQ(received.players.size(), 5U);
    EXPECT_EQ(received.players.front().entity, EntityId{8});
    EXPECT_EQ(received.players.back().entity, EntityId{12});
}

TEST_F(PlayerNoticesTest, AskShardsForPositionsOnlyWhileSomebodyWantsThem) {
    EXPECT_FALSE(notices_.wants_positions(1'000));
    subscribe({{}, true}, 7);
    EXPECT_FALSE(notices_.wants_positions(6));
    EXPECT_TRUE(notices_.wants_positions(7));
    place(7, 1, true);  // some shard had begun it before
    EXPECT_FALSE(notices_.take(*queue_).has_value());
    place(8, 1, true);
    EXPECT_TRUE(taken_positions().border_stale);
    subscribe({{1}}, 9);
    EXPECT_FALSE(notices_.wants_positions(9));
    place(9, 1);
    EXPECT_FALSE(notices_.take(*queue_).has_value());
    subscribe({{}, true}, 10);
    place(9, 1, true);  // what shards had gathered when the last one went
    EXPECT_FALSE(notices_.take(*queue_).has_value());
    notices_.close_queue(*queue_);
    EXPECT_FALSE(notices_.wants_positions(1'000));
}

TEST_F(PlayerNoticesTest, ForgetWhoCameAndWentWhenAllItsMessagesAreLost) {
    subscribe({{8}});
    for (std::uint64_t id = 1; id <= 100; ++id) {
        notices_.add(EntityId{id}, {});
        notices_.say(EntityId{id}, id, {}, std::vector<engine::GameMessage>{{8, {}}});
        notices_.remove(EntityId{id}, net::PlayerLeftReason::left);
    }
    // The newest three: each comes, says something (0 is what was lost), and goes.
    EXPECT_EQ(sent(), (std::vector<std::int64_t>{0, 98, 99, 100, 98, -98, 99, -99, 100, -100}));
}

TEST_F(PlayerNoticesTest, ForgetWhoGoesWhenAllItsMessagesAreLost) {
    subscribe({{8}});
    notices_.add(EntityId{1}, {});
    for (std::uint64_t id = 2; id <= 100; ++id) {
        notices_.add(EntityId{id}, {});
        notices_.say(EntityId{id}, id, {}, std::vector<engine::GameMessage>{{8, {}}});
    }
    notices_.say(EntityId{1}, 101, {}, std::vector<engine::GameMessage>(3, {8, {}}));
    for (std::uint64_t id = 1; id <= 100; ++id) {
        notices_.remove(EntityId{id}, net::PlayerLeftReason::left);
    }
    EXPECT_EQ(sent(), (std::vector<std::int64_t>{0, 1, 1, 1, 1, -1}));
}

/// Of the bytes that may wait for a service those are, too, that a player leaves behind who is sent
/// for its messages alone.
TEST_F(PlayerNoticesTest, CountWhatIsLeftOfWhoHasGone) {
    subscribe({{8}});
    net::PlayerNotices::Player large;
    large.joined.claims.assign(700, 'x');
    for (std::uint64_t id = 1; id <= 3; ++id) {
        notices_.add(EntityId{id}, large);
        notices_.say(EntityId{id}, id, {}, std::vector<engine::GameMessage>{{8, {}}});
        notices_.remove(EntityId{id}, net::PlayerLeftReason::left);
    }
    EXPECT_EQ(sent(), (std::vector<std::int64_t>{0, 3, 3, -3}));
    notices_.add(EntityId{4}, large);
    notices_.say(EntityId{4}, 4, {}, std::vector<engine::GameMessage>(3, {8, {}}));
    EXPECT_EQ(sent(), (std::vector<std::int64_t>{4, 4, 4, 4})) << "nothing is counted any more";
}

TEST_F(PlayerNoticesTest, TellOfGoingsBeforeComings) {
    notices_.add(EntityId{1}, {});
    EXPECT_EQ(sent(), (std::vector<std::int64_t>{1}));
    notices_.remove(EntityId{1}, net::PlayerLeftReason::left);
    notices_.add(EntityId{2}, {});
    EXPECT_EQ(sent(), (std::vector<std::int64_t>{-1, 2}));
}

TEST_F(PlayerNoticesTest, TellOfAPlayersGoingAfterItsMessages) {
    subscribe({{8}});
    notices_.add(EntityId{1}, {});
    EXPECT_EQ(sent().size(), 1U);
    notices_.say(EntityId{1}, 1, {}, std::vector<engine::GameMessage>(2, {8, {}}));
    notices_.remove(EntityId{1}, net::PlayerLeftReason::left);
    notices_.add(EntityId{2}, {});
    EXPECT_EQ(sent(), (std::vector<std::int64_t>{2, 1, 1, -1}));
}

TEST_F(PlayerNoticesTest, PostsNothingBetweenTwoNoticesOfABoxThatIsBeingRead) {
    notices_.add(EntityId{1}, {});
    EXPECT_EQ(mail(), 1U);
    EXPECT_TRUE(notices_.take(*queue_).has_value());
    notices_.add(EntityId{2}, {});
    EXPECT_EQ(mail(), 0U);
    EXPECT_EQ(sent(), (std::vector<std::int64_t>{2}));
}

namespace {

using shards::Counted;

constexpr Counted kOne{EntityId{1}, {10, 0, 0}};
constexpr Counted kTwo{EntityId{2}, {20, 0, 0}};

class PlayerPositionsTest : public testing::Test {
protected:
    std::vector<std::shared_ptr<const net::PlayersOfTick>> received_;
    net::PlayerPositions positions_{[this](const auto& players) { received_.push_back(players); }};
};

}  // namespace

TEST_F(PlayerPositionsTest, TellsATickOnceAllShardsOfTheLayoutHaveInAscendingId) {
    positions_.post({1, 2, true, false, {kTwo}});
    EXPECT_TRUE(received_.empty());
    positions_.post({1, 2, false, false, {}});  // of a shard that has no region any more
    EXPECT_TRUE(received_.empty());
    positions_.post({1, 2, true, false, {kOne}});
    ASSERT_EQ(received_.size(), 1U);
    EXPECT_EQ(received_[0]->tick, 1U);
    EXPECT_FALSE(received_[0]->border_stale);
    EXPECT_EQ(received_[0]->players, (std::vector{kOne, kTwo}));
}

TEST_F(PlayerPositionsTest, WaitsForNoLateShardAndSaysSo) {
    positions_.post({1, 2, true, false, {kOne}});
    positions_.post({2, 2, true, true, {kOne}});
    ASSERT_EQ(received_.size(), 1U);
    EXPECT_TRUE(received_[0]->border_stale);
    EXPECT_EQ(received_[0]->players, (std::vector{kOne}));
    positions_.post({1, 2, true, false, {kTwo}});  // too late
    positions_.post({2, 2, true, false, {kTwo}});
    ASSERT_EQ(received_.size(), 2U);
    EXPECT_TRUE(received_[1]->border_stale);
    EXPECT_EQ(received_[1]->players, (std::vector{kOne, kTwo}));
}

TEST_F(PlayerPositionsTest, TellsNobodyTwiceWhomTwoShardsHaveInOneTick) {
    positions_.post({1, 2, true, true, {kOne, kTwo}});
    positions_.post({1, 2, true, true, {kOne}});
    ASSERT_EQ(received_.size(), 1U);
    EXPECT_EQ(received_[0]->players.size(), 2U);
}

}  // namespace marchland::tests
