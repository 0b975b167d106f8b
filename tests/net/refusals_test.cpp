#include "net/encode_client.h"
#include "net/encode_server.h"
#include "tests/net/hex.h"
#include "tests/net/running_server.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

// Each error of the protocol, reached by its cause. Versions and limits of a Hello: handshake_test.

namespace marchland::tests {

namespace {

using net::ErrorCode;

void expect_error_for_bytes(const std::string& hex, ErrorCode code) {
    RunningServer running;
    TestClient client(running.port());
    client.send_bytes(bytes_of(hex));
    expect_error(client, code);
}

void expect_error_while_playing(const net::ClientMessage& message, ErrorCode code) {
    RunningServer running;
    TestClient client(running.port());
    client.join();
    client.send(message);
    expect_error(client, code);
}

template <typename AnyHello>
AnyHello of_next_major() {
    AnyHello hello;
    hello.protocol_major = net::kProtocolMajor + 1;
    return hello;
}

}  // namespace

TEST(Refusals, WhoeverJoinsAnOverloadedZoneIsTurnedAwayUntilItIsOpenAgain) {
    RunningServer running;
    TestClient before(running.port());
    before.join();
    running.zone().set_open(false);
    TestClient client(running.port());
    client.send(net::Hello{});
    expect_error(client, ErrorCode::overloaded);
    EXPECT_EQ(running.metrics().overloaded_joins_total, 1U);
    EXPECT_EQ(running.tick({&before}).size(), 1U) << "who is in the zone stays";
    running.zone().set_open(true);
    TestClient(running.port()).join();
}

TEST(Refusals, NoiseIsMalformed) {
    expect_error_for_bytes("10000000 00112233 44556677 8899aabb ccddeeff", ErrorCode::malformed);
    expect_error_for_bytes("00000000", ErrorCode::malformed);
}

TEST(Refusals, ALengthPrefixOverTheLimitIsTooLarge) {
    expect_error_for_bytes("ffffffff", ErrorCode::too_large);
    expect_error_for_bytes("01080000", ErrorCode::too_large);  // 2,049
}

TEST(Refusals, HttpIsTooLarge) {
    const std::string request = "GET / HTTP/1.1\r\n\r\n";
    expect_error_for_bytes(hex_of(std::as_bytes(std::span(request))), ErrorCode::too_large);
}

TEST(Refusals, AnythingBeforeHelloIsOutOfOrder) {
    const net::ClientMessage messages[] = {net::Move{}, net::SetView{}, net::Ping{},
                                           net::LeaveZone{}};
    for (const net::ClientMessage& message : messages) {
        RunningServer running;
        TestClient client(running.port());
        client.send(message);
        expect_error(client, ErrorCode::out_of_order);
    }
}

TEST(Refusals, ASecondHelloIsOutOfOrder) {
    expect_error_while_playing(net::Hello{}, ErrorCode::out_of_order);
    expect_error_while_playing(of_next_major<net::Hello>(), ErrorCode::out_of_order);
    expect_error_while_playing(of_next_major<net::ServiceHello>(), ErrorCode::out_of_order);
}

TEST(Refusals, AServersMessageIsOutOfOrder) {
    RunningServer running;
    TestClient client(running.port());
    client.join();
    flatbuffers::FlatBufferBuilder builder;
    client.send_bytes(net::encode(builder, net::Pong{1, 2}));
    expect_error(client, ErrorCode::out_of_order);
}

TEST(Refusals, AMoveOutsideTheWorldIsNotMadeAndEndsNoSession) {
    RunningServer running;
    TestClient client(running.port());
    client.join_at({0, -499'000, 0});
    running.tick({&client});
    client.send(net::Move{1, {0, -500'001, 0}});
    const net::FrameMessage frame = running.tick({&client})[0];
    EXPECT_EQ(frame.correction, (net::Correction{1, {0, -499'000, 0}}));
    client.send(net::Move{2, {0, -500'000, 0}, {}, 1});
    EXPECT_EQ(running.tick({&client})[0].move_ack, 2U);
}

TEST(Refusals, APositionOutsideTheWorldIsTheNearestInsideWhereTheEdgeClamps) {
    net::ServerOptions options = patient_server();
    options.edge = net::ServerOptions::Edge::clamp;
    RunningServer running(options);
    TestClient client(running.port());
    EXPECT_EQ(client.join_at({2'000'000, 0, 7}).spawn, (engine::Position{500'000, 0, 7}));
    TestClient watcher(running.port());
    watcher.join_at({499'000, -499'000, 0});
    running.tick({&client, &watcher});
    client.send(net::Move{1, {500'001, -600'000, 7}});
    const auto frames = running.tick({&client, &watcher});
    EXPECT_EQ(frames[0].move_ack, 1U);
    ASSERT_EQ(frames[1].enters.size(), 1U);
    EXPECT_EQ(frames[1].enters[0].position, (engine::Position{500'000, -500'000, 7}));
}

TEST(Refusals, AViewOverTheLimitIsOutOfRange) {
    expect_error_while_playing(net::SetView{engine::View::circle(0, 100'001)},
                               ErrorCode::out_of_range);
}

TEST(Refusals, ARectangleOverTheLimitAlongEitherAxisIsOutOfRange) {
    for (const engine::View& view :
         {engine::View::rectangle(0, 0, 100'001, 0), engine::View::rectangle(0, 0, 0, 100'001)}) {
        expect_error_while_playing(net::SetView{view}, ErrorCode::out_of_range);
    }
}

TEST(Refusals, ACylinderInAFlatZoneIsOutOfRange) {
    expect_error_while_playing(net::SetView{engine::View::cylinder(1, 2, 3, 4)},
                               ErrorCode::out_of_range);
}

TEST(Refusals, AViewThatContradictsItselfIsMalformed) {
    expect_error_while_playing(net::SetView{engine::View::circle(2, 1)}, ErrorCode::malformed);
}

TEST(Refusals, MoreMessagesThanTheLimitAreTooFast) {
    net::ServerOptions options = patient_server();
    options.messages_per_second_max = 50;
    RunningServer running(options);
    TestClient client(running.port());
    client.join();
    // All in one write: far more than may come in the second that this takes at most.
    flatbuffers::FlatBufferBuilder builder;
    const auto move = net::encode(builder, net::Move{});
    std::vector<std::byte> flood;
    for (int i = 0; i < 2'000; ++i) {
        flood.insert(flood.end(), move.begin(), move.end());
    }
    client.send_bytes(flood);
    expect_error(client, ErrorCode::too_fast);
}

/// As behind a line that stood still: what its client said meanwhile comes all at once.
TEST(Refusals, WhatAPlayerDidNotSaySoFarIsNotTooFast) {
    constexpr int kPerSecond = 50;
    net::ServerOptions options = patient_server();
    options.messages_per_second_max = kPerSecond;
    RunningServer running(options);
    TestClient client(running.port());
    client.join();
    std::this_thread::sleep_for(std::chrono::milliseconds(1'100));  // the line stands still
    flatbuffers::FlatBufferBuilder builder;
    const auto move = net::encode(builder, net::Move{});
    std::vector<std::byte> burst;
    for (int i = 0; i < 2 * kPerSecond - 10; ++i) {
        burst.insert(burst.end(), move.begin(), move.end());
    }
    client.send_bytes(burst);
    client.fence();
    EXPECT_EQ(running.metrics().players, 1U) << "it was closed";
}

TEST(Refusals, MoreBytesThanTheLimitAreTooFast) {
    net::ServerOptions options = patient_server();
    options.bytes_per_second_max = 4'096;
    RunningServer running(options);
    TestClient client(running.port());
    client.join();
    flatbuffers::FlatBufferBuilder builder;
    const auto move = net::encode(builder, net::Move{});
    std::vector<std::byte> flood;
    while (flood.size() < 200'000) {
        flood.insert(flood.end(), move.begin(), move.end());
    }
    client.send_bytes(flood);
    expect_error(client, ErrorCode::too_fast);
}

TEST(Refusals, NoHelloInTimeIsAHandshakeTimeout) {
    net::ServerOptions options = patient_server();
    options.handshake_timeout_ms = 30;
    RunningServer running(options);
    TestClient silent(running.port());
    TestClient halfway(running.port());
    halfway.send_bytes(bytes_of("28000000 0c000000 0800"));
    expect_error(silent, ErrorCode::handshake_timeout);
    expect_error(halfway, ErrorCode::handshake_timeout);
    EXPECT_EQ(running.metrics().failed_handshakes_total, 2U);
}

TEST(Refusals, NothingReceivedForTooLongIsAnIdleTimeout) {
    net::ServerOptions options = patient_server();
    options.idle_timeout_ms = 30;
    RunningServer running(options);
    TestClient silent(running.port());
    silent.join();
    TestClient halfway(running.port());
    halfway.join();
    halfway.send_bytes(bytes_of("34000000 0c000000"));
    running.step();
    running.step();  // it counts in ticks, too: one is a second here
    expect_error(silent, ErrorCode::idle_timeout);
    expect_error(halfway, ErrorCode::idle_timeout);
}

TEST(Refusals, TheErrorArrivesThoughTheClientStillSends) {
    RunningServer running;
    TestClient client(running.port());
    client.join();
    flatbuffers::FlatBufferBuilder builder;
    const auto move = net::encode(builder, net::Move{});
    std::vector<std::byte> bytes = bytes_of("04000000 ffffffff");
    while (bytes.size() < 100'000) {
        bytes.insert(bytes.end(), move.begin(), move.end());
    }
    client.send_bytes(bytes);
    expect_error(client, ErrorCode::malformed);
}

TEST(Refusals, TheErrorArrivesThoughTheClientHasClosedItsHalf) {
    RunningServer running;
    TestClient client(running.port());
    client.send_bytes(bytes_of("04000000 ffffffff"));
    client.end_of_stream();
    expect_error(client, ErrorCode::malformed);
}

TEST(Refusals, EveryClientLearnsThatTheServerStops) {
    RunningServer running;
    TestClient playing(running.port());
    TestClient waiting(running.port());
    playing.join();
    ASSERT_TRUE(eventually([&] { return running.metrics().connections == 2; }));
    std::thread stopping([&] { running.server().stop(); });
    expect_error(playing, ErrorCode::stopping);
    expect_error(waiting, ErrorCode::stopping);
    playing.close();
    waiting.close();
    stopping.join();
    EXPECT_EQ(running.metrics().connections, 0U);
}

TEST(Refusals, WhoeverSetsAStateOrSendsAMessageWherePlayersMayNot) {
    const net::ClientMessage messages[] = {net::SetState{}, net::SendMessage{}};
    for (const net::ClientMessage& message : messages) {
        net::ServerOptions options = patient_server();
        options.player_states_per_second_max = 0;
        RunningServer running(options);
        TestClient client(running.port());
        client.join();
        client.send(message);
        expect_error(client, ErrorCode::not_allowed);
    }
}

TEST(Refusals, WhoeverComesInWithAStateWherePlayersMayNotSetOne) {
    net::ServerOptions options = patient_server();
    options.player_states_per_second_max = 0;
    RunningServer running(options);
    TestClient client(running.port());
    net::Hello hello;
    hello.state = {{0, nullptr}};
    client.send(hello);
    expect_error(client, ErrorCode::not_allowed);
}

TEST(Refusals, WhoeverSetsASlotThatIsNotThePlayersOrDoesNotExist) {
    const engine::StateWrite health{1, std::int64_t{100}};
    const engine::StateWrite none{3, std::int64_t{1}};
    const engine::StateWrite wrong_type{0, std::int64_t{1}};
    for (const auto& [write, code] : {std::pair{health, ErrorCode::not_allowed},
                                      {none, ErrorCode::out_of_range},
                                      {wrong_type, ErrorCode::out_of_range}}) {
        RunningServer running;
        TestClient client(running.port());
        client.join();
        client.send(net::SetState{{write}});
        expect_error(client, code);
        TestClient other(running.port());
        net::Hello hello;
        hello.state = {write};
        other.send(hello);
        expect_error(other, code);
    }
}

TEST(Refusals, WhoeverSendsMoreOrLargerMessagesThanPlayersMay) {
    net::ServerOptions options = patient_server();
    options.player_messages = {2, 10};
    RunningServer running(options);
    TestClient often(running.port());
    const net::SendLimit sent = often.join().messages;
    EXPECT_EQ(sent, options.player_messages);
    for (std::uint32_t i = 1; i <= 10; ++i) {
        often.send(net::SendMessage{i, 0, std::vector<std::byte>(10)});
    }
    expect_error(often, ErrorCode::too_fast);
    TestClient large(running.port());
    large.join();
    large.send(net::SendMessage{1, 0, std::vector<std::byte>(11)});
    expect_error(large, ErrorCode::too_large);
}

}  // namespace marchland::tests
