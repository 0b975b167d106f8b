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

constexpr AddressLimits kLimits{3, 1'000, 2, 10, true};
const auto kNow = AddressTable::TimePoint{};

}  // namespace

TEST(AddressTable, AnAddressHasSoManyConnectionsAtOnceAndOthersAreFree) {
    AddressTable table(kLimits, 1'000, kNow);
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
    AddressTable table(kLimits, 1'000, kNow);
    auto first = table.admit(make_address("192.0.2.1"), kNow);
    const auto second = table.admit(make_address("192.0.2.1"), kNow);
    EXPECT_NE(table.admit(make_address("192.0.2.1"), kNow).verdict, Verdict::welcome);
    first.slot.end_handshake();
    first.slot.end_handshake();  // counts once
    EXPECT_EQ(table.admit(make_address("192.0.2.1"), kNow).verdict, Verdict::welcome);
}

TEST(AddressTable, ConnectionsASecondAreATokenBucketThatRefusalsEmptyToo) {
    AddressTable table({1'000, 2, 1'000, 10, true}, 1'000, kNow);
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(table.admit(make_address("192.0.2.1"), kNow).verdict, Verdict::welcome);
    }
    EXPECT_NE(table.admit(make_address("192.0.2.1"), kNow).verdict, Verdict::welcome);
    const auto later = kNow + std::chrono::milliseconds(500);
    EXPECT_EQ(table.admit(make_address("192.0.2.1"), later).verdict, Verdict::welcome);
    EXPECT_NE(table.admit(make_address("192.0.2.1"), later).verdict, Verdict::welcome);
}

TEST(AddressTable, AnIpv6AddressCountsAsItsSlash64) {
    AddressTable table({1, 1'000, 1, 10, true}, 1'000, kNow);
    const auto held = table.admit(make_address("2001:db8:0:1::1"), kNow);
    EXPECT_NE(table.admit(make_address("2001:db8:0:1:ffff::2"), kNow).verdict, Verdict::welcome);
    EXPECT_EQ(table.admit(make_address("2001:db8:0:2::1"), kNow).verdict, Verdict::welcome);
}

TEST(AddressTable, AMappedIpv4AddressIsTheIpv4Address) {
    AddressTable table({1, 1'000, 1, 10, true}, 1'000, kNow);
    const auto held = table.admit(make_address("192.0.2.1"), kNow);
    EXPECT_NE(table.admit(make_address("::ffff:192.0.2.1"), kNow).verdict, Verdict::welcome);
}

TEST(AddressTable, LoopbackIsExemptOnlyIfItIsToBe) {
    AddressTable open({1, 1, 1, 10, true}, 1'000, kNow);
    AddressTable strict({1, 1, 1, 10, false}, 1'000, kNow);
    for (const auto* const address : {"127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"}) {
        const auto a = open.admit(make_address(address), kNow);
        EXPECT_EQ(open.admit(make_address(address), kNow).verdict, Verdict::welcome) << address;
    }
    const auto held = strict.admit(make_address("127.0.0.1"), kNow);
    EXPECT_NE(strict.admit(make_address("127.0.0.1"), kNow).verdict, Verdict::welcome);
}

TEST(AddressTable, ItIsBoundedAndForgetsWhoIsIdleLongest) {
    AddressTable table({1, 1, 1, 10, true}, 1'000, kNow, 4);
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

TEST(AddressTable, ForgetsWhoIsAwayAsSoonAsItsRatesAreWholeAgain) {
    AddressTable table({2, 1, 1, 10, true}, 1'000, kNow);
    std::optional<AddressTable::Admission> held(table.admit(make_address("192.0.2.1"), kNow));
    for (int i = 2; i < 100; ++i) {
        static_cast<void>(table.admit(make_address("192.0.2." + std::to_string(i)), kNow));
    }
    const auto half_a_second_later = kNow + std::chrono::milliseconds(500);
    table.forget_idle(half_a_second_later);
    EXPECT_EQ(table.size(), 99U);
    EXPECT_NE(table.admit(make_address("192.0.2.2"), half_a_second_later).verdict,
              Verdict::welcome);
    table.forget_idle(kNow + std::chrono::seconds(1));
    EXPECT_EQ(table.size(), 2U) << "the one that is here, and the one that was refused";
    EXPECT_NE(table.admit(make_address("192.0.2.1"), kNow + std::chrono::seconds(1)).verdict,
              Verdict::welcome);
    held.reset();
    table.forget_idle(kNow + std::chrono::seconds(3));
    EXPECT_EQ(table.size(), 0U);
}

TEST(AddressTable, InTheFirstMinuteAnAddressMayDoManyTimesAsMuch) {
    AddressTable table({1'000, 2, 3, 10, true}, 1'000, kNow + std::chrono::seconds(60));
    std::vector<AddressTable::Admission> in;
    for (int i = 0; i < 20; ++i) {
        in.push_back(table.admit(make_address("192.0.2.1"), kNow));
        EXPECT_EQ(in.back().verdict, Verdict::welcome) << i;
    }
    EXPECT_NE(table.admit(make_address("192.0.2.1"), kNow).verdict, Verdict::welcome);
    in.clear();
    const auto later = kNow + std::chrono::seconds(60);
    EXPECT_EQ(table.admit(make_address("192.0.2.1"), later).verdict, Verdict::welcome);
    EXPECT_EQ(table.admit(make_address("192.0.2.1"), later).verdict, Verdict::welcome);
    EXPECT_NE(table.admit(make_address("192.0.2.1"), later).verdict, Verdict::welcome);
}

TEST(AddressTable, WhereNoPlaceIsLeftTheOldestOfTheAddressWithMostIsToGo) {
    AddressTable table({1'000, 1'000, 1'000, 10, true}, 4, kNow);
    std::vector<AddressTable::Admission> in;
    const auto find_place = [&](const char* address, std::uint32_t io_thread) {
        in.push_back(table.admit(make_address(address), kNow));
        return table.find_place(in.back().slot, io_thread);
    };
    for (const auto* const address : {"192.0.2.1", "192.0.2.2", "192.0.2.2", "192.0.2.3"}) {
        EXPECT_TRUE(find_place(address, 7).has_place);
    }
    const auto offer = find_place("192.0.2.4", 0);
    EXPECT_FALSE(offer.has_place);
    ASSERT_TRUE(offer.crowder);
    EXPECT_EQ(offer.crowder->io_thread, 7U);
    EXPECT_EQ(offer.crowder->place, in[1].slot.place());
    EXPECT_FALSE(offer.crowder->is_own);
    EXPECT_TRUE(find_place("192.0.2.2", 0).crowder->is_own);
    in[1].slot.end_handshake();
    EXPECT_TRUE(table.find_place(in[4].slot, 0).has_place);
    EXPECT_EQ(find_place("192.0.2.4", 0).crowder->place, in[4].slot.place());
}

TEST(AddressTable, OfAddressesWithOneHandshakeEachNobodyIsToGo) {
    AddressTable table({1'000, 1'000, 1'000, 10, true}, 2, kNow);
    auto first = table.admit(make_address("192.0.2.1"), kNow);
    auto exempt = table.admit(make_address("127.0.0.1"), kNow);
    auto last = table.admit(make_address("192.0.2.2"), kNow);
    EXPECT_TRUE(table.find_place(first.slot, 0).has_place);
    EXPECT_TRUE(table.find_place(exempt.slot, 0).has_place);
    EXPECT_FALSE(table.find_place(last.slot, 0).has_place);
    EXPECT_FALSE(table.find_place(last.slot, 0).crowder);
}

TEST(SilentConnections, DoNotKeepAPlayerOut) {
    net::ServerOptions options = patient_server();
    options.handshakes_max = 100;
    options.handshake_timeout_ms = 2'000;
    options.address_limits = {1'000, 1'000'000, 1'000, 1, false};
    RunningServer running(options);
    std::vector<TestClient> silent;
    for (int i = 0; i < 1'000; ++i) {
        silent.emplace_back(("127.0.1." + std::to_string(1 + i % 20)).c_str(), running.port());
        if (i % 250 == 249) {
            TestClient player(running.port());  // from 127.0.0.1
            player.join();
        }
    }
    EXPECT_LE(running.metrics().connections, 101U);
    EXPECT_GE(running.metrics().evicted_handshakes_total, 800U);
}

/// However long they would linger, and never read why.
TEST(RefusedConnections, TakeNoPlacesOfPlayers) {
    net::ServerOptions options = patient_server();
    options.connections_max = 100;
    options.handshakes_max = 50;
    options.linger_timeout_ms = 3'600'000;
    options.address_limits = {1'000, 1'000'000, 1'000, 1, false};
    RunningServer running(options);
    std::vector<TestClient> refused;
    for (int i = 0; i < 1'000; ++i) {
        refused.emplace_back(("127.0.1." + std::to_string(1 + i % 20)).c_str(), running.port());
        refused.back().send(net::Move{});
        if (i % 250 == 249) {
            TestClient player(running.port());  // from 127.0.0.1
            player.join();
        }
    }
    EXPECT_LE(running.metrics().connections, 51U);
    EXPECT_GE(running.metrics().closed_with_error_total, 900U);
}

TEST(HerdAtTheDoor, IsLetInWholeThoughItIsManyTimesWhatMayWaitThere) {
    net::ServerOptions options = patient_server();
    options.handshakes_max = 20;
    options.io_threads = 2;
    RunningServer running(options);
    std::vector<TestClient> herd;
    for (int i = 0; i < 1'000; ++i) {
        herd.emplace_back(running.port());
        ASSERT_TRUE(herd.back().send(net::Hello{}));
    }
    for (TestClient& client : herd) {
        client.receive_one<net::Welcome>();
    }
    EXPECT_EQ(running.metrics().evicted_handshakes_total, 0U);
}

TEST(SilentConnections, OfOneAddressAreRefusedBeyondItsShare) {
    net::ServerOptions options = patient_server();
    options.address_limits = {10, 1'000'000, 5, 1, false};
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
