#include "net/encode_client.h"
#include "tests/net/running_server.h"
#include "tests/net/small_world_welcome.h"

#include <gtest/gtest.h>

namespace marchland::tests {

using net::ErrorCode;

TEST(Handshake, WelcomeSaysWhoAndWhereTheClientIs) {
    RunningServer running;
    TestClient client(running.port());
    running.step();

    net::Hello hello;
    hello.spawn = engine::Position{1'000, -2'000, 30};
    hello.view = engine::View::circle(20'000, 25'000);
    const net::Welcome welcome = client.join(hello);
    net::Welcome expected = small_world_welcome(welcome.entity);
    expected.tick = 1;
    expected.tick_rate_hz = 1;
    expected.frames_hz = 1;
    expected.spawn = *hello.spawn;
    expected.view = *hello.view;
    expected.server_time_us = 1'000'000;
    expected.states_per_second_max = 10;
    expected.slots = small_zone().slots;
    EXPECT_EQ(welcome, expected);
    EXPECT_EQ(running.metrics().players, 1U);
}

TEST(Handshake, WelcomeTellsTheDefaultsToWhoAsksForNothing) {
    net::ServerOptions options = patient_server();
    options.default_spawn = {7'000, 8'000, 9};
    options.default_view = engine::View::circle(10'000, 11'000);
    RunningServer running(options);
    TestClient client(running.port());
    const net::Welcome welcome = client.join();
    EXPECT_EQ(welcome.spawn, options.default_spawn);
    EXPECT_EQ(welcome.view, options.default_view);
}

TEST(Handshake, APlaceThatIsAskedForCountsForNothingWhereTheZoneSaysSo) {
    net::ServerOptions options = patient_server();
    options.default_spawn = {7'000, 8'000, 9};
    options.spawn_by_client = false;
    RunningServer running(options);
    TestClient client(running.port());
    EXPECT_EQ(client.join_at({100, 200, 0}).spawn, options.default_spawn);
}

TEST(Handshake, WelcomePrecedesTheFirstFrameWhichComesThoughItIsEmpty) {
    RunningServer running;
    TestClient client(running.port());
    client.send(net::Hello{});
    ASSERT_TRUE(eventually([&] { return running.zone().entity_count() == 1; }));
    running.step();
    client.receive_one<net::Welcome>();
    EXPECT_EQ(client.receive_one<net::FrameMessage>(), empty_frame(1));
}

TEST(Handshake, EntityIdsAreGivenOnce) {
    RunningServer running;
    TestClient first(running.port());
    TestClient second(running.port());
    EXPECT_NE(first.join().entity, second.join().entity);
}

TEST(Handshake, OfAnotherMajorVersionIsRefused) {
    RunningServer running;
    TestClient client(running.port());
    net::Hello hello;
    hello.protocol_major = 1;
    client.send(hello);
    expect_error(client, ErrorCode::unsupported_version);
}

TEST(Handshake, OutsideTheWorldIsRefused) {
    RunningServer running;
    TestClient client(running.port());
    net::Hello hello;
    hello.spawn = engine::Position{500'001, 0, 0};
    client.send(hello);
    expect_error(client, ErrorCode::out_of_range);
}

TEST(Handshake, WithAViewOverTheLimitIsRefused) {
    RunningServer running;
    TestClient client(running.port());
    net::Hello hello;
    hello.view = engine::View::circle(1, 100'001);
    client.send(hello);
    expect_error(client, ErrorCode::out_of_range);
}

TEST(Handshake, MayComeInSingleBytes) {
    RunningServer running;
    TestClient client(running.port());
    flatbuffers::FlatBufferBuilder builder;
    const auto hello = net::encode(builder, net::Hello{});
    for (const std::byte byte : hello) {
        client.send_bytes({&byte, 1});
    }
    EXPECT_EQ(client.receive_one<net::Welcome>().protocol_major, net::kProtocolMajor);
}

TEST(Handshake, IsRefusedWhenTheServerHoldsAsManyConnectionsAsItMay) {
    net::ServerOptions options = patient_server();
    options.connections_max = 1;
    RunningServer running(options);
    {
        TestClient first(running.port());
        first.join();
        TestClient second(running.port());
        expect_error(second, ErrorCode::full);
        first.fence();
    }
    ASSERT_TRUE(eventually([&] { return running.metrics().connections == 0; }));
    TestClient third(running.port());
    third.join();
}

TEST(Handshake, IsRefusedWhenTheZoneHoldsAsManyEntitiesAsItMay) {
    shards::ZoneOptions zone = small_zone();
    zone.entities_max = 1;
    RunningServer running(patient_server(), zone);
    TestClient first(running.port());
    first.join();
    TestClient second(running.port());
    second.send(net::Hello{});
    expect_error(second, ErrorCode::full);
    EXPECT_EQ(running.tick({&first}).size(), 1U);
}

}  // namespace marchland::tests
