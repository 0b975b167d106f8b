#include "net/resume_store.h"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

// Who may come back, by a clock of the test's own.

namespace marchland::tests {

namespace {

using namespace std::chrono_literals;
using net::ResumeStore;

const auto kStart = ResumeStore::TimePoint{} + 24h;
constexpr net::PlayerPort::Options kPortOptions{3, 20, 1};

class ResumeStoreTest : public testing::Test {
protected:
    struct Joined {
        std::shared_ptr<net::PlayerPort> port;
        net::SessionPass pass;
    };

    std::shared_ptr<net::PlayerPort> port() {
        return std::make_shared<net::PlayerPort>(
            kPortOptions, net::SpeedLimit(0, 20, engine::Dimensions::two, {}), mailbox_, counters_);
    }
    Joined join(std::uint64_t address, ResumeStore::TimePoint joined_at) {
        auto made = port();
        const auto pass = store_.issue(
            net::ResumablePlayer{engine::EntityId{next_id_++}, made, {}, {}, {}, joined_at},
            {"", address});
        return {made, pass};
    }
    /// False: it had to give up.
    bool rests(const Joined& player, ResumeStore::TimePoint now) {
        store_.rest(player.pass, now);
        return !is_asked_to_leave(player);
    }
    static bool is_asked_to_leave(const Joined& player) {
        return player.port->left_reason() == net::PlayerLeftReason::lost;
    }
    bool comes_back(const Joined& player, ResumeStore::TimePoint now) {
        return store_.take<net::ResumablePlayer>(store_.sign(player.pass), "", now).has_value();
    }

    std::uint64_t next_id_ = 1;
    boost::asio::io_context io_;
    net::Mailbox mailbox_{io_};
    net::IoThreadCounters counters_;
    ResumeStore store_{{10s, 3}, {10s, 1}, kStart};
};

}  // namespace

TEST_F(ResumeStoreTest, WhoPlayedLongKeepsAPlaceFromManyAddressesThatOnlyCameToLoseTheirs) {
    const auto player = join(1, kStart - 1min);
    std::vector<Joined> strangers;
    for (std::uint64_t address = 2; address < 102; ++address) {
        strangers.push_back(join(address, kStart - 1s));
        EXPECT_EQ(rests(strangers.back(), kStart), address < 5);
    }
    EXPECT_TRUE(rests(player, kStart));
    EXPECT_EQ(std::ranges::count_if(strangers, is_asked_to_leave), 98) << "one of three made room";
    EXPECT_FALSE(rests(join(102, kStart - 1s), kStart));
    EXPECT_TRUE(comes_back(player, kStart + 9s));
}

TEST_F(ResumeStoreTest, AGraceCountsAQuarterWhileAnyIoThreadLetsNewcomersWait) {
    const auto player = join(1, kStart);
    const auto other = join(2, kStart);
    EXPECT_TRUE(rests(player, kStart));
    EXPECT_TRUE(rests(other, kStart));
    store_.set_behind(1, true, kStart);
    store_.set_behind(0, false, kStart);
    for (auto now = kStart; now <= kStart + 36s; now += 500ms) {
        store_.expire(now);  // as I/O threads do
    }
    EXPECT_TRUE(comes_back(player, kStart + 36s));
    store_.set_behind(1, false, kStart + 36s);
    for (auto now = kStart + 36s; now <= kStart + 38s; now += 500ms) {
        store_.expire(now);
    }
    EXPECT_FALSE(comes_back(other, kStart + 38s));
}

TEST_F(ResumeStoreTest, WhoWasThereBeforeARestartIsGoneAfterItsGraceAndNotBefore) {
    const auto restored = [&](std::uint64_t id) {
        Joined player{port(), {{shards::SessionKey::Kind::player, id}, 1}};
        store_.restore(net::ResumablePlayer{engine::EntityId{id}, player.port, {}, {}, {1, 1}, {}},
                       {"", std::nullopt}, 60s, kStart);
        return player;
    };
    const auto player = restored(7);
    const auto other = restored(8);
    auto expire_until = [&, now = kStart](ResumeStore::TimePoint end) mutable {
        for (; now < end; now += 500ms) {
            store_.expire(now);
        }
    };
    expire_until(kStart + 60s);
    EXPECT_FALSE(is_asked_to_leave(player));
    EXPECT_TRUE(comes_back(other, kStart + 60s - 1ms));
    store_.expire(kStart + 60s);
    EXPECT_TRUE(is_asked_to_leave(player));
    EXPECT_FALSE(comes_back(player, kStart + 60s));
    expire_until(kStart + 80s);
    EXPECT_FALSE(is_asked_to_leave(other)) << "it is there again";
}

}  // namespace marchland::tests
