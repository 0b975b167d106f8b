#include "tests/net/hex.h"
#include "tests/net/running_server.h"
#include "tests/net/test_client.h"
#include "tests/net/test_service.h"

#include <gtest/gtest.h>

#include <map>
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

void expect_not_there(TestService& service, std::uint64_t request) {
    service.send(net::AdmitPlayer{request, {}});
    const auto refused = service.refused();
    ASSERT_EQ(refused.size(), 1U);
    EXPECT_EQ(refused[0].reason, RefusalReason::not_there);
}

/// A zone in which one service answers who comes in, and a player that has sent its Hello.
struct Door {
    explicit Door(const net::ServerOptions& options = options_of(Admission::required),
                  const net::Hello& hello = hello_at({0, 0, 0}))
        : running(options) {
        service.join(admitting());
        client.send(hello);
    }
    net::PlayerAsks question() { return question_to(service); }

    RunningServer running;
    TestService service{running.port()};
    TestClient client{running.port()};
};

TEST(ServiceAdmission, AServiceIsNotAskedForAPlaceThatCountsForNothing) {
    net::ServerOptions options = options_of(Admission::required);
    options.spawn_by_client = false;
    Door door(options, hello_at({1'000, 0, 0}));
    EXPECT_EQ(door.question().spawn, std::nullopt);
}

TEST(ServiceAdmission, APlayerComesInWithWhatTheServiceGivesIt) {
    net::Hello hello = hello_at({1'000, 0, 0});
    hello.carried = bytes_of("c0ffee");
    Door door(options_of(Admission::required), hello);
    const net::PlayerAsks asks = door.question();
    EXPECT_EQ(asks.kind, 7);
    EXPECT_EQ(asks.spawn, (Position{1'000, 0, 0}));
    EXPECT_EQ(asks.carried, bytes_of("c0ffee"));
    EXPECT_EQ(door.running.zone().entity_count(), 0U) << "it is not in";

    net::AdmitPlayer answer{asks.request, {}};
    answer.given.position = Position{-5'000, 6'000, 0};
    answer.given.view = engine::View::circle(20'000, 21'000);
    answer.given.layers = net::Layers{6, 3};
    answer.given.state = state_of(std::vector<std::byte>(1));
    door.service.send(answer);
    const auto welcome = door.client.receive_one<net::Welcome>();
    EXPECT_EQ(welcome.spawn, (Position{-5'000, 6'000, 0}));
    EXPECT_EQ(welcome.view, engine::View::circle(20'000, 21'000));
    const auto joined = std::get<net::PlayerJoined>(door.service.notices(1).at(0));
    EXPECT_EQ(joined.entity, welcome.entity);
    EXPECT_EQ(joined.position, (Position{-5'000, 6'000, 0}));
    EXPECT_EQ(joined.state, answer.given.state);
    EXPECT_EQ(joined.carried, bytes_of("c0ffee"));
    EXPECT_EQ(joined.request, asks.request);
    door.client.fence();
}

TEST(ServiceAdmission, PlayerJoinedSaysWhichQuestionWasAnsweredAlsoToWhoComesLater) {
    Door door;
    const std::uint64_t first = door.question().request;
    TestClient other(door.running.port());
    other.send(hello_at({0, 0, 0}));
    const std::uint64_t second = door.question().request;
    door.service.send(net::AdmitPlayer{second, {}});
    const auto other_entity = other.receive_one<net::Welcome>().entity;
    door.service.send(net::AdmitPlayer{first, {}});
    const auto entity = door.client.receive_one<net::Welcome>().entity;
    TestService later(door.running.port());
    later.join();
    for (TestService* const service : {&door.service, &later}) {
        std::map<engine::EntityId, std::uint64_t> requests;
        for (const auto& notice : service->notices(2)) {
            const auto& joined = std::get<net::PlayerJoined>(notice);
            requests[joined.entity] = joined.request;
        }
        EXPECT_EQ(requests, (std::map<engine::EntityId, std::uint64_t>{{other_entity, second},
                                                                       {entity, first}}));
    }
}

TEST(ServiceAdmission, WhoComesInWithoutAnAnswerWasLetInByNone) {
    Door door(options_of(Admission::asked, 30));
    EXPECT_NE(door.question().request, 0U);
    door.client.receive_one<net::Welcome>();
    EXPECT_EQ(std::get<net::PlayerJoined>(door.service.notices(1).at(0)).request, 0U);
}

TEST(ServiceAdmission, APlayerLearnsWhyItDoesNotComeIn) {
    Door door(options_of(Admission::asked));
    door.service.send(net::AdmitPlayer{door.question().request, {}, "banned until Monday"});
    const auto error = door.client.receive_one<net::ErrorMessage>();
    EXPECT_EQ(error.code, ErrorCode::not_admitted);
    EXPECT_EQ(error.text, "banned until Monday");
    EXPECT_EQ(door.client.receive(), std::nullopt);
    EXPECT_EQ(door.running.zone().entity_count(), 0U);
}

TEST(ServiceAdmission, WhatAPlayerSendsBehindItsHelloCountsOnceItIsIn) {
    Door door;
    door.client.send(net::Move{5, {300, 0, 0}});
    door.client.send(net::Ping{9});
    door.service.send(net::AdmitPlayer{door.question().request, {}});
    door.client.receive_one<net::Welcome>();
    EXPECT_EQ(door.client.receive_one<net::Pong>().nonce, 9U);
    EXPECT_EQ(door.running.tick({&door.client})[0].move_ack, 5U);
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
    Door door;
    const std::uint64_t request = door.question().request;
    net::AdmitPlayer outside{request, {}};
    outside.given.position = Position{600'000, 0, 0};
    door.service.send(outside);
    door.service.send(net::AdmitPlayer{request + 1, {}});
    const auto refused = door.service.refused();
    ASSERT_EQ(refused.size(), 2U);
    EXPECT_EQ(refused[0].reason, RefusalReason::out_of_world);
    EXPECT_EQ(refused[1].reason, RefusalReason::not_there);
    door.service.send(net::AdmitPlayer{request, {}});
    door.client.receive_one<net::Welcome>();
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
    expect_not_there(other, request);
    door.send(net::AdmitPlayer{request, {}});
    const auto welcome = client.receive_one<net::Welcome>();
    const auto received = other.notices(1);
    EXPECT_EQ(std::get<net::PlayerJoined>(received[0]).entity, welcome.entity);
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
    expect_not_there(service, request);
    EXPECT_EQ(running.zone().entity_count(), 0U);
}

TEST(ServiceAdmission, AnAnswerThatComesTooLateIsRefused) {
    Door door(options_of(Admission::required, 30));
    const net::PlayerAsks asks = door.question();
    EXPECT_EQ(asks.wait_ms, 30U);
    expect_error(door.client, ErrorCode::not_admitted);
    expect_not_there(door.service, asks.request);
}

TEST(ServiceAdmission, WhatWaitsBehindAHelloIsBoundedAndCountsOnceThePlayerIsIn) {
    Door door;
    const std::uint64_t request = door.question().request;
    constexpr std::uint64_t kPings = 100;  // more than the buffer of a player holds
    for (std::uint64_t nonce = 1; nonce <= kPings; ++nonce) {
        door.client.send(net::Ping{nonce});
    }
    door.service.send(net::AdmitPlayer{request, {}});
    door.client.receive_one<net::Welcome>();
    for (std::uint64_t nonce = 1; nonce <= kPings; ++nonce) {
        ASSERT_EQ(door.client.receive_one<net::Pong>().nonce, nonce);
    }
}

TEST(ServiceAdmission, AServerThatStopsTellsWhoWaits) {
    Door door;
    door.question();
    std::thread stopping([&] { door.running.server().stop(); });
    expect_error(door.client, ErrorCode::stopping);
    door.client.close();
    door.service.client().close();
    stopping.join();
    EXPECT_EQ(door.running.metrics().connections, 0U);
}

TEST(ServiceAdmission, WhoGoesOnWithItsSessionIsNotAskedAbout) {
    net::ServerOptions options = options_of(Admission::required);
    options.resume_grace_ms = 60'000;
    Door door(options);
    door.service.send(net::AdmitPlayer{door.question().request, {}});
    const auto welcome = door.client.receive_one<net::Welcome>();
    door.client.kill();
    TestClient again(door.running.port());
    net::Hello hello;
    hello.resume_token = welcome.resume_token;
    EXPECT_EQ(again.join(hello).entity, welcome.entity);
}

}  // namespace
}  // namespace marchland::tests
