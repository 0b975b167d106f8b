#include "net/notice_board.h"

#include "net/connection.h"
#include "net/mailbox.h"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace marchland::tests {

namespace {

using engine::EntityId;

class NoticeBoardTest : public testing::Test {
protected:
    /// How much mail came since this was asked last.
    std::size_t mail() {
        net::Mailbox::Mail mail;
        mailbox_.take(mail);
        return mail.notices.size();
    }

    /// Who is told of now; a player who has gone as its negative.
    std::vector<std::int64_t> told() {
        std::vector<std::int64_t> all;
        while (const auto notice = board_.take(*box_)) {
            const auto id = static_cast<std::int64_t>(notice->entity);
            all.push_back(notice->player ? id : -id);
        }
        return all;
    }

    net::NoticeBoard board_;
    std::shared_ptr<net::NoticeBox> box_;

private:
    boost::asio::io_context io_;
    net::Mailbox mailbox_{io_};
    /// Boxes hand their connection on, and nobody here asks for it.
    alignas(net::Connection) std::byte nobody_[sizeof(net::Connection)]{};

    void SetUp() override {
        box_ = board_.open_box(mailbox_, reinterpret_cast<net::Connection&>(nobody_), 1);
    }
};

}  // namespace

TEST_F(NoticeBoardTest, PostsABoxOnceHoweverOftenPlayersComeAndGo) {
    for (std::uint64_t id = 1; id <= 100; ++id) {
        board_.add(EntityId{id}, {});
        board_.remove(EntityId{id});
    }
    EXPECT_EQ(mail(), 1U);
    EXPECT_TRUE(told().empty());
}

TEST_F(NoticeBoardTest, PostsABoxAgainOnceItWasReadToItsEnd) {
    board_.add(EntityId{1}, {});
    EXPECT_EQ(mail(), 1U);
    board_.add(EntityId{2}, {});
    EXPECT_EQ(mail(), 0U);
    EXPECT_EQ(told(), (std::vector<std::int64_t>{1, 2}));
    board_.remove(EntityId{1});
    EXPECT_EQ(mail(), 1U);
    EXPECT_EQ(told(), (std::vector<std::int64_t>{-1}));
}

TEST_F(NoticeBoardTest, PostsNothingBetweenTwoNoticesOfABoxThatIsBeingRead) {
    board_.add(EntityId{1}, {});
    EXPECT_EQ(mail(), 1U);
    EXPECT_TRUE(board_.take(*box_).has_value());
    board_.add(EntityId{2}, {});
    EXPECT_EQ(mail(), 0U);
    EXPECT_EQ(told(), (std::vector<std::int64_t>{2}));
}

}  // namespace marchland::tests
