#include "net/player_notices.h"

#include "net/connection.h"
#include "net/mailbox.h"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

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
        return mail.notices.size();
    }

    /// Who is told of now; a player who has gone as its negative.
    std::vector<std::int64_t> sent() {
        std::vector<std::int64_t> all;
        while (const auto notice = notices_.take(*box_)) {
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

    net::PlayerNotices notices_{3};  // messages for each service
    std::shared_ptr<net::NoticeQueue> box_;

private:
    boost::asio::io_context io_;
    net::Mailbox mailbox_{io_};
    /// Boxes hand their connection on, and nobody here asks for it.
    alignas(net::Connection) std::byte nobody_[sizeof(net::Connection)]{};

    void SetUp() override {
        box_ = notices_.open_box(mailbox_, reinterpret_cast<net::Connection&>(nobody_), 1);
    }
};

}  // namespace

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

TEST_F(PlayerNoticesTest, TellWhoIsAwayToAServiceThatIsToldLateOfItsComing) {
    notices_.add(EntityId{1}, {});
    notices_.lose(EntityId{1}, 0, 500);
    EXPECT_EQ(notices_.take(*box_), (Notice{net::PlayerJoined{EntityId{1}, 0, {}, {}}}));
    EXPECT_EQ(notices_.take(*box_), (Notice{net::PlayerAway{EntityId{1}, 500}}));
    EXPECT_FALSE(notices_.take(*box_).has_value());
}

TEST_F(PlayerNoticesTest, TellTheNewestAloneOfWhoIsLostAndBackOverAndOver) {
    notices_.add(EntityId{1}, {});
    EXPECT_EQ(sent().size(), 1U);
    std::uint32_t line = 0;
    for (int i = 0; i < 10; ++i) {
        notices_.lose(EntityId{1}, line, 500);
        line = notices_.come_back(EntityId{1}, "{}");
    }
    EXPECT_EQ(notices_.take(*box_), (Notice{net::PlayerBack{EntityId{1}, "{}"}}));
    EXPECT_FALSE(notices_.take(*box_).has_value());
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
    EXPECT_EQ(notices_.take(*box_),
              (Notice{net::PlayerLeft{EntityId{1}, net::PlayerLeftReason::lost}}));
    EXPECT_FALSE(notices_.take(*box_).has_value());
}

TEST_F(PlayerNoticesTest, KeepTheNewestMessagesAndSayHowManyWereLost) {
    const auto said_at = [](std::uint16_t kind, engine::Tick tick) {
        return Notice{net::PlayerMessage{EntityId{1}, kind, tick, {1, 2, 3}, {}}};
    };
    notices_.subscribe(*box_, {9, 8});
    notices_.add(EntityId{1}, {});
    for (std::uint16_t i = 0; i < 5; ++i) {
        const std::vector<net::Said> said{{8, {}}, {7, {}}, {9, {}}};
        notices_.say(EntityId{1}, 10U + i, {1, 2, 3}, said);
    }
    notices_.remove(EntityId{1}, net::PlayerLeftReason::left);
    EXPECT_EQ(mail(), 1U);
    // Who came, said something and went is told of, though late.
    EXPECT_EQ(notices_.take(*box_), (Notice{net::PlayerJoined{EntityId{1}, 0, {}, {}}}));
    EXPECT_EQ(notices_.take(*box_), Notice{net::MessagesLost{7}});
    EXPECT_EQ(notices_.take(*box_), said_at(9, 13));
    EXPECT_EQ(notices_.take(*box_), said_at(8, 14));
    EXPECT_EQ(notices_.take(*box_), said_at(9, 14));
    EXPECT_EQ(notices_.take(*box_),
              (Notice{net::PlayerLeft{EntityId{1}, net::PlayerLeftReason::left}}));
    EXPECT_FALSE(notices_.take(*box_).has_value());
}

TEST_F(PlayerNoticesTest, ForgetWhoCameAndWentWhenAllItsMessagesAreLost) {
    notices_.subscribe(*box_, {8});
    for (std::uint64_t id = 1; id <= 100; ++id) {
        notices_.add(EntityId{id}, {});
        notices_.say(EntityId{id}, id, {}, std::vector<net::Said>{{8, {}}});
        notices_.remove(EntityId{id}, net::PlayerLeftReason::left);
    }
    // The newest three: each comes, says something (0 is what was lost), and goes.
    EXPECT_EQ(sent(), (std::vector<std::int64_t>{98, 99, 100, 0, 98, -98, 99, -99, 100, -100}));
}

TEST_F(PlayerNoticesTest, TellOfAPlayersGoingAfterItsMessages) {
    notices_.subscribe(*box_, {8});
    notices_.add(EntityId{1}, {});
    EXPECT_EQ(sent().size(), 1U);
    notices_.say(EntityId{1}, 1, {}, std::vector<net::Said>(2, {8, {}}));
    notices_.remove(EntityId{1}, net::PlayerLeftReason::left);
    notices_.add(EntityId{2}, {});
    EXPECT_EQ(sent(), (std::vector<std::int64_t>{2, 1, 1, -1}));
}

TEST_F(PlayerNoticesTest, PostsNothingBetweenTwoNoticesOfABoxThatIsBeingRead) {
    notices_.add(EntityId{1}, {});
    EXPECT_EQ(mail(), 1U);
    EXPECT_TRUE(notices_.take(*box_).has_value());
    notices_.add(EntityId{2}, {});
    EXPECT_EQ(mail(), 0U);
    EXPECT_EQ(sent(), (std::vector<std::int64_t>{2}));
}

}  // namespace marchland::tests
