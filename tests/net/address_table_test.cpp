#include "net/address_table.h"

#include "tests/net/running_server.h"

#include <gtest/gtest.h>

#include <optional>

namespace marchland::tests {

namespace {

using net::AddressLimits;
using net::AddressTable;
using Verdict = AddressTable::Verdict;
using boost::asio::ip::make_address;

constexpr AddressLimits kLimits{3, 1'000, 2, true};
const auto kNow = AddressTable::TimePoint{};

}  // namespace

TEST(AddressTable, AnAddressHasSoManyConnectionsAtOnceAndOthersAreFree) {
    AddressTable table(kLimits);
    std::vector<AddressTable::Admission> in;
    for (int i = 0; i < 3; ++i) {
        in.push_back(table.admit(make_address("192.0.2.1"), kNow));
        ASSERT_EQ(in.back().verdict, Verdict::welcome);
        in.back().slot.end_handshake();
    }
    EXPECT_EQ(table.admit(make_address("192.0.2.1"), kNow).verdict, Verdict::tell_refuse);
    EXPECT_EQ(table.admit(make_address("192.0.2.1"), kNow).verdict, Verdict::refuse);
    EXPECT_EQ(table.admit(make_address("192.0.2.2"), kNow).verdict, Verdict::welcome);
    in.pop_back();
    EXPECT_EQ(table.admit(make_address("192.0.2.1"), kNow).verdict, Verdict::welcome);
}

TEST(AddressTable, HandshakesUnderWayHaveALimitOfTheirOwn) {
    AddressTable table(kLimits);
    auto first = table.admit(make_address("192.0.2.1"), kNow);
    const auto second = table.admit(make_address("192.0.2.1"), kNow);
    EXPECT_NE(table.admit(make_address("192.0.2.1"), kNow).verdict, Verdict::welcome);
    first.slot.end_handshake();
    first.slot.end_handshake();  // counts once
    EXPECT_EQ(table.admit(make_address("192.0.2.1"), kNow).verdict, Verdict::welcome);
}

TEST(AddressTable, ConnectionsASecondAreATokenBucketThatRefusalsEmptyToo) {
    AddressTable table({1'000, 2, 1'000, true});
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(table.admit(make_address("192.0.2.1"), kNow).verdict, Verdict::welcome);
    }
    EXPECT_NE(table.admit(make_address("192.0.2.1"), kNow).verdict, Verdict::welcome);
    const auto later = kNow + std::chrono::milliseconds(500);
    EXPECT_EQ(table.admit(make_address("192.0.2.1"), later).verdict, Verdict::welcome);
    EXPECT_NE(table.admit(make_address("192.0.2.1"), later).verdict, Verdict::welcome);
}

TEST(AddressTable, AnIpv6AddressCountsAsItsSlash64) {
    AddressTable table({1, 1'000, 1, true});
    const auto held = table.admit(make_address("2001:db8:0:1::1"), kNow);
    EXPECT_NE(table.admit(make_address("2001:db8:0:1:ffff::2"), kNow).verdict, Verdict::welcome);
    EXPECT_EQ(table.admit(make_address("2001:db8:0:2::1"), kNow).verdict, Verdict::welcome);
}

TEST(AddressTable, AMappedIpv4AddressIsTheIpv4Address) {
    AddressTable table({1, 1'000, 1, true});
    const auto held = table.admit(make_address("192.0.2.1"), kNow);
    EXPECT_NE(table.admit(make_address("::ffff:192.0.2.1"), kNow).verdict, Verdict::welcome);
}

TEST(AddressTable, LoopbackIsExemptOnlyIfItIsToBe) {
    AddressTable open({1, 1, 1, true});
    AddressTable strict({1, 1, 1, false});
    for (const auto* const address : {"127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"}) {
        const auto a = open.admit(make_address(address), kNow);
        EXPECT_EQ(open.admit(make_address(address), kNow).verdict, Verdict::welcome) << address;
    }
    const auto held = strict.admit(make_address("127.0.0.1"), kNow);
    EXPECT_NE(strict.admit(make_address("127.0.0.1"), kNow).verdict, Verdict::welcome);
}

TEST(AddressTable, ItIsBoundedAndForgetsWhoIsIdleLongest) {
    AddressTable table({1, 1, 1, true}, 4);
    std::optional<AddressTable::Admission> held(table.admit(make_address("192.0.2.1"), kNow));
    for (int i = 2; i < 100; ++i) {
        EXPECT_EQ(table.admit(make_address("192.0.2." + std::to_string(i)), kNow).verdict,
                  Verdict::welcome);
        EXPECT_LE(table.size(), 4U);
    }
    EXPECT_NE(table.admit(make_address("192.0.2.1"), kNow).verdict, Verdict::welcome);   // held
    EXPECT_NE(table.admit(make_address("192.0.2.99"), kNow).verdict, Verdict::welcome);  // kept
    EXPECT_EQ(table.admit(make_address("192.0.2.2"), kNow).verdict, Verdict::welcome);  // forgotten
}

TEST(SilentConnections, DoNotKeepAPlayerOut) {
    net::ServerOptions options = patient_server();
    options.connections_max = 1'000;
    options.handshakes_max = 100;
    RunningServer running(options);
    std::vector<TestClient> silent;
    for (int i = 0; i < 2'000; ++i) {
        silent.emplace_back(running.port());
        if (i % 500 == 499) {
            TestClient player(running.port());
            player.join();
            EXPECT_TRUE(eventually([&] { return running.metrics().connections <= 101; }));
        }
    }
    EXPECT_GE(running.metrics().evicted_handshakes_total, 1'900U);
}

TEST(SilentConnections, OfOneAddressAreRefusedBeyondItsShare) {
    net::ServerOptions options = patient_server();
    options.address_limits = {10, 1'000'000, 5, false};
    RunningServer running(options);
    std::vector<TestClient> silent;
    for (int i = 0; i < 5'000; ++i) {
        silent.emplace_back("127.0.0.2", running.port());
    }
    TestClient player(running.port());  // from 127.0.0.1
    player.join();
    EXPECT_TRUE(eventually([&] { return running.metrics().refused_addresses_total == 4'995; }));
}

}  // namespace marchland::tests
