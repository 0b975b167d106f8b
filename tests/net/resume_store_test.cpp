#include "net/resume_store.h"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <memory>

// Who may come back, by a clock of the test's own.

namespace marchland::tests {

namespace {

using namespace std::chrono_literals;
using net::ResumeStore;

const auto kStart = ResumeStore::TimePoint{} + 24h;
constexpr net::PlayerPort::Options kPortOptions{3, 20, 1};

class ResumeStoreTest : public testing::Test {
protected:
    net::SessionPass join(std::uint64_t address, ResumeStore::TimePoint joined_at) {
        auto port = std::make_shared<net::PlayerPort>(
            kPortOptions, net::SpeedLimit(0, 20, engine::Dimensions::two, {}), mailbox_, counters_);
        return store_.issue(
            net::ResumablePlayer{engine::EntityId{next_id_++}, port, {}, {}, joined_at},
            {"", address});
    }
    bool comes_back(const net::SessionPass& pass, ResumeStore::TimePoint now) {
        return store_.take<net::ResumablePlayer>(store_.sign(pass), "", now).has_value();
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
    for (std::uint64_t address = 2; address < 102; ++address) {
        const auto stranger = join(address, kStart - 1s);
        (void)store_.rest(stranger, kStart);
    }
    EXPECT_EQ(store_.rest(player, kStart), ResumeStore::Rest::rests);
    const auto late = join(102, kStart - 1s);
    EXPECT_EQ(store_.rest(late, kStart), ResumeStore::Rest::no_room);
    EXPECT_TRUE(comes_back(player, kStart + 9s));
}

TEST_F(ResumeStoreTest, AGraceCountsAQuarterWhileAnyIoThreadLetsNewcomersWait) {
    const auto player = join(1, kStart);
    const auto other = join(2, kStart);
    EXPECT_EQ(store_.rest(player, kStart), ResumeStore::Rest::rests);
    EXPECT_EQ(store_.rest(other, kStart), ResumeStore::Rest::rests);
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

}  // namespace marchland::tests
