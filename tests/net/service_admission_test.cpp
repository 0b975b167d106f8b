#include "tests/net/hex.h"
#include "tests/net/running_server.h"
#include "tests/net/test_client.h"
#include "tests/net/test_service.h"

#include <gtest/gtest.h>

#include <thread>

// Players whom a service lets in, or does not, through a real server.

namespace marchland::tests {
namespace {

using Admission = net::ServiceOptions::Admission;
using engine::Position;
using net::ErrorCode;
using net::RefusalReason;

net::ServerOptions options_of(Admission admission, std::uint32_t ms_max = 60'000) {
    net::ServerOptions options = patient_server();
    options.services.admission = admission;
    options.services.admission_ms_max = ms_max;
    return options;
}

net::ServiceHello admitting() {
    net::ServiceHello hello;
    hello.name = "door";
    hello.admits = true;
    return hello;
}

net::Hello hello_at(Position spawn) {
    net::Hello hello;
    hello.kind = 7;
    hello.spawn = spawn;
    return hello;
}

net::PlayerAsks question_to(TestService& service) {
    return std::get<net::PlayerAsks>(service.notices(1).at(0));
}

TEST(ServiceAdmission, APlayerComesInWithWhatTheServiceGivesIt) {
    RunningServer running(options_of(Admission::required));
    TestService service(running.port());
    service.join(admitting());
    TestClient client(running.port());
    net::Hello hello = hello_at({1'000, 0, 0});
    hello.carried = bytes_of("c0ffee");
    client.send(hello);
    const net::PlayerAsks asks = question_to(service);
    EXPECT_EQ(asks.kind, 7);
    EXPECT_EQ(asks.spawn, (Position{1'000, 0, 0}));
    EXPECT_EQ(asks.carried, bytes_of("c0ffee"));
    EXPECT_EQ(running.zone().entity_count(), 0U) << "it is not in";

    net::AdmitPlayer answer{asks.request, {}};
    answer.given.position = Position{-5'000, 6'000, 0};
    answer.given.view = engine::View::circle(20'000, 21'000);
    answer.given.layers = net::Layers{6, 3};
    answer.given.state = state_of(std::vector<std::byte>(1));
    service.send(answer);
    const auto welcome = client.receive_one<net::Welcome>();
    EXPECT_EQ(welcome.spawn, (Position{-5'000, 6'000, 0}));
    EXPECT_EQ(welcome.view, engine::View::circle(20'000, 21'000));
    const auto joined = std::get<net::PlayerJoined>(service.notices(1).at(0));
    EXPECT_EQ(joined.entity, welcome.entity);
    EXPECT_EQ(joined.position, (Position{-5'000, 6'000, 0}));
    EXPECT_EQ(joined.state, answer.given.state);
    EXPECT_EQ(joined.carried, bytes_of("c0ffee"));
    client.fence();
}

TEST(ServiceAdmission, APlayerIsToldWhyItDoesNotComeIn) {
    RunningServer running(options_of(Admission::asked));
    TestService service(running.port());
    service.join(admitting());
    TestClient client(running.port());
    client.send(hello_at({0, 0, 0}));
    service.send(net::AdmitPlayer{question_to(service).request, {}, "banned until Monday"});
    const auto error = client.receive_one<net::ErrorMessage>();
    EXPECT_EQ(error.code, ErrorCode::not_admitted);
    EXPECT_EQ(error.text, "banned until Monday");
    EXPECT_EQ(client.receive(), std::nullopt);
    EXPECT_EQ(running.zone().entity_count(), 0U);
}

TEST(ServiceAdmission, WhatAPlayerSendsBehindItsHelloCountsOnceItIsIn) {
    RunningServer running(options_of(Admission::required));
    TestService service(running.port());
    service.join(admitting());
    TestClient client(running.port());
    client.send(hello_at({0, 0, 0}));
    client.send(net::Move{5, {300, 0, 0}});
    client.send(net::Ping{9});
    service.send(net::AdmitPlayer{question_to(service).request, {}});
    client.receive_one<net::Welcome>();
    EXPECT_EQ(client.receive_one<net::Pong>().nonce, 9U);
    EXPECT_EQ(running.tick({&client})[0].move_ack, 5U);
}

TEST(ServiceAdmission, WithoutAnAnswerInTimeThePlayerComesInOrDoesNotAsConfigured) {
    {
        RunningServer running(options_of(Admission::asked, 30));
        TestClient client(running.port());
        EXPECT_EQ(client.join_at({7, 8, 9}).spawn, (Position{7, 8, 9}));
    }
    RunningServer running(options_of(Admission::required, 30));
    TestClient client(running.port());
    client.send(hello_at({0, 0, 0}));
    expect_error(client, ErrorCode::not_admitted);
}

TEST(ServiceAdmission, AnAnswerThatIsNotSoundIsRefusedAndThePlayerWaitsOn) {
    RunningServer running(options_of(Admission::required));
    TestService service(running.port());
    service.join(admitting());
    TestClient client(running.port());
    client.send(hello_at({0, 0, 0}));
    const std::uint64_t request = question_to(service).request;
    net::AdmitPlayer outside{request, {}};
    outside.given.position = Position{600'000, 0, 0};
    service.send(outside);
    service.send(net::AdmitPlayer{request + 1, {}});
    const auto refused = service.refused();
    ASSERT_EQ(refused.size(), 2U);
    EXPECT_EQ(refused[0].reason, RefusalReason::out_of_world);
    EXPECT_EQ(refused[1].reason, RefusalReason::not_there);
    service.send(net::AdmitPlayer{request, {}});
    client.receive_one<net::Welcome>();
}

TEST(ServiceAdmission, TheServiceThatComesNextIsAskedWhereTheFirstIsGone) {
    RunningServer running(options_of(Admission::required));
    TestClient client(running.port());
    client.send(hello_at({0, 0, 0}));
    {
        TestService first(running.port());
        first.join(admitting());
        question_to(first);
        first.send(net::LeaveZone{});
        EXPECT_EQ(first.client().receive(), std::nullopt);
    }
    TestService next(running.port());
    next.join(admitting());
    next.send(net::AdmitPlayer{question_to(next).request, {}});
    client.receive_one<net::Welcome>();
}

TEST(ServiceAdmission, AServiceThatDoesNotSayThatItAdmitsIsNotAsked) {
    RunningServer running(options_of(Admission::required));
    TestService other(running.port());
    other.join();
    TestService door(running.port());
    door.join(admitting());
    TestClient client(running.port());
    client.send(hello_at({0, 0, 0}));
    const std::uint64_t request = question_to(door).request;
    other.send(net::AdmitPlayer{request, {}});
    const auto refused = other.refused();
    ASSERT_EQ(refused.size(), 1U);
    EXPECT_EQ(refused[0].reason, RefusalReason::not_there);
    door.send(net::AdmitPlayer{request, {}});
    const auto welcome = client.receive_one<net::Welcome>();
    const auto told = other.notices(1);
    EXPECT_EQ(std::get<net::PlayerJoined>(told[0]).entity, welcome.entity);
}

TEST(ServiceAdmission, WhoGoesWhileItWaitsIsWithdrawn) {
    RunningServer running(options_of(Admission::required));
    {
        TestClient client(running.port());
        client.send(hello_at({1, 0, 0}));
        EXPECT_TRUE(eventually([&] { return running.metrics().connections == 1; }));
    }
    EXPECT_TRUE(eventually([&] { return running.metrics().connections == 0; }));
    TestService service(running.port());
    service.join(admitting());
    std::uint64_t request = 0;
    {
        TestClient client(running.port());
        client.send(hello_at({2, 0, 0}));
        client.send(net::Ping{1});
        const net::PlayerAsks asks = question_to(service);
        EXPECT_EQ(asks.spawn, (Position{2, 0, 0})) << "nothing is asked about who was gone";
        request = asks.request;
    }
    EXPECT_TRUE(eventually([&] { return running.metrics().connections == 1; }));
    service.send(net::AdmitPlayer{request, {}});
    const auto refused = service.refused();
    ASSERT_EQ(refused.size(), 1U);
    EXPECT_EQ(refused[0].reason, RefusalReason::not_there);
    EXPECT_EQ(running.zone().entity_count(), 0U);
}

TEST(ServiceAdmission, AnAnswerThatComesTooLateIsRefused) {
    RunningServer running(options_of(Admission::required, 30));
    TestService service(running.port());
    service.join(admitting());
    TestClient client(running.port());
    client.send(hello_at({0, 0, 0}));
    const net::PlayerAsks asks = question_to(service);
    EXPECT_EQ(asks.wait_ms, 30U);
    expect_error(client, ErrorCode::not_admitted);
    service.send(net::AdmitPlayer{asks.request, {}});
    const auto refused = service.refused();
    ASSERT_EQ(refused.size(), 1U);
    EXPECT_EQ(refused[0].reason, RefusalReason::not_there);
}

TEST(ServiceAdmission, WhatWaitsBehindAHelloIsBoundedAndCountsOnceThePlayerIsIn) {
    RunningServer running(options_of(Admission::required));
    TestService service(running.port());
    service.join(admitting());
    TestClient client(running.port());
    client.send(hello_at({0, 0, 0}));
    const std::uint64_t request = question_to(service).request;
    constexpr std::uint64_t kPings = 100;  // more than the buffer of a player holds
    for (std::uint64_t nonce = 1; nonce <= kPings; ++nonce) {
        client.send(net::Ping{nonce});
    }
    service.send(net::AdmitPlayer{request, {}});
    client.receive_one<net::Welcome>();
    for (std::uint64_t nonce = 1; nonce <= kPings; ++nonce) {
        ASSERT_EQ(client.receive_one<net::Pong>().nonce, nonce);
    }
}

TEST(ServiceAdmission, AServerThatStopsTellsWhoWaits) {
    RunningServer running(options_of(Admission::required));
    TestService service(running.port());
    service.join(admitting());
    TestClient client(running.port());
    client.send(hello_at({0, 0, 0}));
    question_to(service);
    std::thread stopping([&] { running.server().stop(); });
    expect_error(client, ErrorCode::stopping);
    client.close();
    service.client().close();
    stopping.join();
    EXPECT_EQ(running.metrics().connections, 0U);
}

TEST(ServiceAdmission, WhoGoesOnWithItsSessionIsNotAskedAbout) {
    net::ServerOptions options = options_of(Admission::required);
    options.resume_grace_ms = 60'000;
    RunningServer running(options);
    TestService service(running.port());
    service.join(admitting());
    TestClient client(running.port());
    client.send(hello_at({0, 0, 0}));
    service.send(net::AdmitPlayer{question_to(service).request, {}});
    const auto welcome = client.receive_one<net::Welcome>();
    client.kill();
    TestClient again(running.port());
    net::Hello hello;
    hello.resume_token = welcome.resume_token;
    EXPECT_EQ(again.join(hello).entity, welcome.entity);
}

}  // namespace
}  // namespace marchland::tests
