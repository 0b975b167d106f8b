#include "net/mailbox.h"

#include "net/player_port.h"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <thread>

namespace marchland::tests {

namespace {

class MailboxTest : public testing::Test {
protected:
    using Port = std::shared_ptr<shards::EntityPort>;

    Port port() {
        return std::make_shared<net::PlayerPort>(
            net::PlayerPort::Options{0, 1}, net::SpeedLimit(0, 20, engine::Dimensions::two, {}),
            mailbox_, counters_);
    }

    /// Runs the I/O thread's part until `count` ports came, and says how often it was woken.
    std::size_t wakes_until(std::size_t count) {
        std::size_t wakes = 0;
        while (received_ < count) {
            mailbox_.async_wait([&] {
                ++wakes;
                net::Mailbox::Mail mail;
                mailbox_.take(mail);
                received_ += mail.items();
            });
            io_.restart();
            io_.run();
        }
        return wakes;
    }

    boost::asio::io_context io_;
    net::Mailbox mailbox_{io_};
    net::IoThreadCounters counters_;
    std::size_t received_ = 0;
};

}  // namespace

TEST_F(MailboxTest, WakesOnceForPostsIntoAFullMailbox) {
    const std::vector<Port> ports = {port(), port()};
    mailbox_.post_frames(ports);
    mailbox_.post_frames(ports);
    mailbox_.post(net::Mailbox::Removed{ports.front()});
    EXPECT_EQ(wakes_until(5), 1U);
}

/// Were it given back, it would be handled twice, and no post would wake anybody any more.
TEST_F(MailboxTest, GoesOnWithoutWhatWasNotHandled) {
    const std::vector<Port> ports = {port(), port()};
    net::Mailbox::Mail mail;
    mailbox_.post_frames(ports);
    mailbox_.take(mail);
    ASSERT_EQ(mail.frames.size(), 2U);
    mailbox_.take(mail);
    ASSERT_EQ(mail.items(), 0U);
    mailbox_.post(net::Mailbox::Removed{ports.front()});
    EXPECT_EQ(wakes_until(1), 1U);
}

TEST_F(MailboxTest, LosesNothingThatOtherThreadsPost) {
    constexpr std::size_t kPosts = 2'000;
    const std::vector<Port> ports = {port(), port(), port()};
    std::vector<std::thread> shards;
    for (int i = 0; i < 3; ++i) {
        shards.emplace_back([&] {
            for (std::size_t post = 0; post < kPosts; ++post) {
                mailbox_.post_frames(ports);
            }
        });
    }
    wakes_until(3 * kPosts * ports.size());
    for (std::thread& shard : shards) {
        shard.join();
    }
    EXPECT_EQ(received_, 3 * kPosts * ports.size());
}

TEST_F(MailboxTest, TakesNothingOnceItIsClosed) {
    mailbox_.post(net::Mailbox::Removed{port()});
    mailbox_.close();
    mailbox_.post(net::Mailbox::Removed{port()});
    EXPECT_EQ(counters_.ports.load(), 0U);
}

}  // namespace marchland::tests
