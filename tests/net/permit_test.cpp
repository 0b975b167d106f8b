#include "net/permit_rules.h"
#include "tests/net/running_server.h"
#include "tests/net/test_service.h"
#include "tests/net/token_maker.h"

#include <gtest/gtest.h>

#include <chrono>

// A server that asks for tokens, and what they change for who shows them.

namespace marchland::tests {

namespace {

using net::ErrorCode;

const std::string kPermitSecret = "0123456789abcdef0123456789abcdef";

net::ServerOptions asking_server(const KeyFolder& keys) {
    net::ServerOptions options = patient_server();
    options.auth.mode = net::AuthOptions::Mode::jwt;
    options.auth.audience = "zone";
    options.resume_grace_ms = 60'000;
    options.auth.keys = {{keys.write("secret", kPermitSecret), net::TokenAlgorithm::hs256, ""}};
    return options;
}

/// Good for an hour, with these claims besides.
std::string token(const std::string& more = "") {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto expires_s = std::chrono::duration_cast<std::chrono::seconds>(now).count() + 3'600;
    return hs256_token(R"({"aud":"zone","exp":)" + std::to_string(expires_s) + more + '}',
                       kPermitSecret);
}

net::Hello hello_with_token(const std::string& shown) {
    net::Hello hello;
    hello.token = shown;
    return hello;
}

class Asking : public testing::Test {
protected:
    KeyFolder keys;
    RunningServer running{asking_server(keys)};

    void expect_unauthorized(const net::ClientMessage& message) {
        TestClient client(running.port());
        client.send(message);
        expect_error(client, ErrorCode::unauthorized);
    }
};

}  // namespace

TEST_F(Asking, WithoutATokenNobodyComesIn) {
    expect_unauthorized(net::Hello{});
    expect_unauthorized(hello_with_token("no token"));
    expect_unauthorized(hello_with_token(hs256_token(R"({"aud":"zone","exp":1})", kPermitSecret)));
    EXPECT_EQ(running.metrics().players, 0U);
    EXPECT_EQ(running.metrics().refused_tokens_total, 3U);
    TestClient player(running.port());
    EXPECT_NE(player.join(hello_with_token(token())).entity, engine::EntityId{});
}

TEST_F(Asking, ATokenIsForPlayersOrForServices) {
    expect_unauthorized(hello_with_token(token(R"(,"role":"service")")));
    net::TokenGate gate(asking_server(keys).auth);
    ASSERT_TRUE(gate.reload().empty());
    const auto is_let_in = [&](const std::string& shown, net::Permit::Role role) {
        const auto permit = net::permit_for(gate, shown, role, std::chrono::system_clock::now());
        return std::holds_alternative<net::Permit>(permit);
    };
    const std::string service = token(R"(,"role":"service")");
    EXPECT_TRUE(is_let_in(service, net::Permit::Role::service));
    EXPECT_FALSE(is_let_in(service, net::Permit::Role::player));
    EXPECT_FALSE(is_let_in(token(), net::Permit::Role::service));
}

TEST_F(Asking, KindAndPlaceAreTheTokens) {
    TestClient watcher(running.port());
    net::Hello hello = hello_with_token(token());
    hello.spawn = engine::Position{1'000, 2'000, 0};
    watcher.join(hello);
    running.step();
    watcher.receive_one<net::FrameMessage>();

    TestClient player(running.port());
    net::Hello wish = hello_with_token(token(R"(,"kind":7,"spawn":{"x":1500,"y":2500})"));
    wish.kind = 3;
    wish.spawn = engine::Position{-9'000, 0, 0};
    EXPECT_EQ(player.join(wish).spawn, (engine::Position{1'500, 2'500, 0}));
    running.step();
    const auto frame = watcher.receive_one<net::FrameMessage>();
    ASSERT_EQ(frame.enters.size(), 1U);
    EXPECT_EQ(frame.enters[0].kind, 7U);
}

TEST(Permit, ServicesAreSentThePlayersSubjectAndTheClaimsThatAreNamed) {
    KeyFolder keys;
    net::ServerOptions options = asking_server(keys);
    options.auth.claims_for_services = {"name", "level"};
    options.message_bytes_max = 8'192;
    RunningServer running(options);
    TestService service(running.port());
    net::ServiceHello hello;
    hello.token = token(R"(,"role":"service")");
    service.join(hello);
    TestClient client(running.port());
    const std::string before = R"(,"sub":"ann","secret":"x","name":"Ann","level":[7,{"a":null}])";
    const net::Welcome welcome = client.join(hello_with_token(token(before)));
    EXPECT_EQ(service.notices(1),
              (std::vector<TestService::Notice>{net::PlayerJoined{
                  welcome.entity, 0, {}, {}, "ann", R"({"level":[7,{"a":null}],"name":"Ann"})"}}));
    client.kill();
    service.notices(1);
    net::Hello again = hello_with_token(token(R"(,"sub":"ann","name":"Anne")"));
    again.resume_token = welcome.resume_token;
    TestClient back(running.port());
    back.join(again);
    EXPECT_EQ(
        service.notices(1),
        (std::vector<TestService::Notice>{net::PlayerBack{welcome.entity, R"({"name":"Anne"})"}}));

    TestClient wordy(running.port());
    wordy.send(
        hello_with_token(token(R"(,"name":")" + std::string(net::kClaimsBytesMax, 'n') + '"')));
    expect_error(wordy, ErrorCode::unauthorized);
}

TEST_F(Asking, AViewReachesNoFurtherThanTheToken) {
    const std::string near_sighted = token(R"(,"view_leave_radius_mm_max":20000)");
    TestClient modest(running.port());
    const net::Welcome welcome = modest.join(hello_with_token(near_sighted));
    EXPECT_EQ(welcome.view, engine::View::circle(20'000, 20'000));
    EXPECT_EQ(welcome.leave_radius_mm_max, 20'000);
    modest.send(net::SetView{engine::View::circle(10'000, 20'000)});
    modest.fence();
    modest.send(net::SetView{engine::View::circle(10'000, 20'001)});
    expect_error(modest, ErrorCode::out_of_range);

    TestClient greedy(running.port());
    net::Hello hello = hello_with_token(near_sighted);
    hello.view = engine::View::circle(10'000, 20'001);
    greedy.send(hello);
    expect_error(greedy, ErrorCode::out_of_range);
}

TEST_F(Asking, AViewIsCutToTheTokenOfWhoResumes) {
    TestClient other(running.port());
    net::Hello hello = hello_with_token(token());
    hello.spawn = engine::Position{15'000, 0, 0};
    other.join(hello);
    TestClient player(running.port());
    hello.spawn = engine::Position{0, 0, 0};
    hello.view = engine::View::rectangle(20'000, 3'000, 25'000, 4'000);
    net::Welcome welcome = player.join(hello);
    const net::FrameMessage before = running.tick({&player, &other})[0];
    ASSERT_EQ(before.enters.size(), 1U);

    hello = hello_with_token(token(R"(,"view_leave_radius_mm_max":5000)"));
    hello.resume_token = welcome.resume_token;
    hello.last_tick = before.tick;
    TestClient back(running.port());
    welcome = back.join(hello);
    EXPECT_EQ(welcome.view, engine::View::rectangle(5'000, 3'000, 5'000, 4'000));
    EXPECT_EQ(running.tick({&back, &other})[0].leaves.size(), 1U);
}

TEST_F(Asking, AWelcomeTellsTheReachOfItsOwnToken) {
    const std::int32_t zone_mm = running.zone().options().leave_radius_mm_max;
    TestClient player(running.port());
    const std::string far_sighted = token(R"(,"view_leave_radius_mm_max":2000000000)");
    net::Welcome welcome = player.join(hello_with_token(far_sighted));
    EXPECT_EQ(welcome.leave_radius_mm_max, zone_mm);

    net::Hello hello = hello_with_token(token(R"(,"view_leave_radius_mm_max":20000)"));
    hello.resume_token = welcome.resume_token;
    TestClient back(running.port());
    welcome = back.join(hello);
    EXPECT_TRUE(welcome.resumed);
    EXPECT_EQ(welcome.leave_radius_mm_max, 20'000);
}

TEST_F(Asking, ATokensPlaceCountsWhereTheClientsDoesNot) {
    net::ServerOptions options = asking_server(keys);
    options.spawn_by_client = false;
    RunningServer strict(options);
    TestClient client(strict.port());
    net::Hello wish = hello_with_token(token(R"(,"spawn":{"x":1500,"y":2500})"));
    wish.spawn = engine::Position{-9'000, 0, 0};
    EXPECT_EQ(client.join(wish).spawn, (engine::Position{1'500, 2'500, 0}));
}

TEST_F(Asking, ASpawnOutsideTheWorldIsRefusedThoughItIsSigned) {
    TestClient client(running.port());
    client.send(hello_with_token(token(R"(,"spawn":{"x":2000000000,"y":0})")));
    expect_error(client, ErrorCode::out_of_range);
}

TEST_F(Asking, WhoResumesIsTheSameToTheLastByteOfTheSubject) {
    const std::string long_name(net::kLoggedSubjectBytesMax, 'a');
    const auto named = [&](const std::string& end) {
        return hello_with_token(token(R"(,"sub":")" + long_name + end + '"'));
    };
    TestClient player(running.port());
    const net::Welcome first = player.join(named("1"));
    for (const auto* const other : {"", "2", "11", "?"}) {
        net::Hello hello = named(other);
        hello.resume_token = first.resume_token;
        TestClient thief(running.port());
        thief.send(hello);
        expect_error(thief, ErrorCode::resume_refused);
    }
    net::Hello hello = named("1");
    hello.resume_token = first.resume_token;
    TestClient back(running.port());
    EXPECT_EQ(back.join(hello).entity, first.entity);
}

TEST(Permit, ASubjectIsCutAndForgesNoLineWhereItIsLogged) {
    net::Permit permit;
    permit.subject = "n\nk\x1b\xC3";
    EXPECT_EQ(net::logged_subject(permit), "n?k??");
    permit.subject = std::string(1'000, 'a');
    EXPECT_EQ(net::logged_subject(permit), std::string(net::kLoggedSubjectBytesMax, 'a'));
}

TEST_F(Asking, OnlyAServicesTokenLetsAServiceIn) {
    net::ServiceHello hello;
    expect_unauthorized(hello);
    hello.token = token();
    expect_unauthorized(hello);
    hello.token = token(R"(,"role":"service","sub":"npcs")");
    TestClient service(running.port());
    service.send(hello);
    net::ServiceHello again = hello;
    again.resume_token = service.receive_one<net::ServiceWelcome>().resume_token;
    again.token = token(R"(,"role":"service","sub":"others")");
    TestClient thief(running.port());
    thief.send(again);
    expect_error(thief, ErrorCode::resume_refused);
    again.token = hello.token;
    TestClient back(running.port());
    back.send(again);
    EXPECT_TRUE(back.receive_one<net::ServiceWelcome>().resumed);
}

}  // namespace marchland::tests
