#include "tests/net/running_server.h"
#include "tests/net/test_service.h"
#include "tests/net/token_maker.h"

#include <gtest/gtest.h>

#include <string>

// One subject is one entity, where auth.second_login says so.

namespace marchland::tests {

namespace {

using net::ErrorCode;
using SecondLogin = net::AuthOptions::SecondLogin;

const std::string kLoginSecret = "0123456789abcdef0123456789abcdef";

net::Hello login(const std::string& subject) {
    net::Hello hello;
    hello.token =
        hs256_token(R"({"aud":"zone","exp":99999999999,"sub":")" + subject + R"("})", kLoginSecret);
    return hello;
}

class SecondLogins : public testing::TestWithParam<std::uint32_t> {
protected:
    net::ServerOptions server_with(SecondLogin rule) {
        net::ServerOptions options = patient_server();
        options.io_threads = 2;
        options.resume_grace_ms = GetParam();
        options.linger_timeout_ms = 100;  // a sweep each 10 ms
        options.auth = {net::AuthOptions::Mode::jwt,
                        "zone",
                        0,
                        {{keys.write("secret", kLoginSecret), net::TokenAlgorithm::hs256, ""}},
                        rule};
        return options;
    }
    KeyFolder keys;
};

/// Two logins of one subject, one after the other, of which a service is asked and has answered
/// neither.
struct TwoLoginsAskedAbout {
    explicit TwoLoginsAskedAbout(const net::ServerOptions& options) : running(asking(options)) {
        net::ServiceHello hello;
        hello.name = "referee";
        hello.admits = true;
        hello.token =
            hs256_token(R"({"aud":"zone","exp":99999999999,"role":"service"})", kLoginSecret);
        service.join(hello);
        of_first = question_of(first);
        of_second = question_of(second);
    }
    static net::ServerOptions asking(net::ServerOptions options) {
        options.services.admission = net::ServiceOptions::Admission::required;
        options.services.admission_ms_max = 60'000;
        return options;
    }
    std::uint64_t question_of(TestClient& client) {
        client.send(login("ann"));
        return next_question();
    }
    /// Behind other notices.
    std::uint64_t next_question() {
        for (;;) {
            for (const TestService::Notice& notice : service.notices(1)) {
                if (const auto* const asks = std::get_if<net::PlayerAsks>(&notice)) {
                    return asks->request;
                }
            }
        }
    }

    RunningServer running;
    TestService service{running.port()};
    TestClient first{running.port()};
    TestClient second{running.port()};
    std::uint64_t of_first = 0;
    std::uint64_t of_second = 0;
};

}  // namespace

TEST_P(SecondLogins, AreOneMoreEntityWhereTheyAreAllowed) {
    RunningServer running(server_with(SecondLogin::allow));
    TestClient first(running.port());
    TestClient second(running.port());
    EXPECT_NE(first.join(login("ann")).entity, second.join(login("ann")).entity);
}

TEST_P(SecondLogins, AreRefusedUntilTheFirstOnesEntityIsGone) {
    RunningServer running(server_with(SecondLogin::refuse));
    TestClient first(running.port());
    first.join(login("ann"));
    TestClient other(running.port());
    other.join(login("bob"));
    TestClient second(running.port());
    second.send(login("ann"));
    expect_error(second, ErrorCode::second_login);
    running.tick({&first, &other});

    first.send(net::LeaveZone{});
    EXPECT_EQ(first.receive(), std::nullopt);
    TestClient early(running.port());
    early.send(login("ann"));
    expect_error(early, ErrorCode::second_login);
    running.step();
    TestClient third(running.port());
    third.join(login("ann"));
    running.step();
    EXPECT_EQ(running.zone().entity_count(), 2U);
}

TEST_P(SecondLogins, TakeTheEntityOverWhereTheyReplace) {
    RunningServer running(server_with(SecondLogin::replace));
    TestClient first(running.port());
    net::Hello hello = login("ann");
    hello.spawn = engine::Position{1'000, 2'000, 0};
    const net::Welcome before = first.join(hello);
    running.tick({&first});
    TestClient second(running.port());
    hello.spawn = engine::Position{9'000, 9'000, 0};
    hello.view = engine::View::circle(7'000, 8'000);
    const net::Welcome after = second.join(hello);
    EXPECT_EQ(after.entity, before.entity);
    EXPECT_TRUE(after.resumed);
    EXPECT_EQ(after.view, *hello.view);
    EXPECT_EQ(after.resume_token.empty(), GetParam() == 0);
    expect_error(first, ErrorCode::second_login);
    const net::FrameMessage frame = running.tick({&second})[0];
    EXPECT_TRUE(frame.is_keyframe);
    EXPECT_EQ(frame.correction.value().position, (engine::Position{1'000, 2'000, 0}));
    EXPECT_EQ(running.zone().entity_count(), 1U);
    EXPECT_EQ(running.metrics().replaced_logins_total, 1U);
}

/// As a page does that is loaded again.
TEST_P(SecondLogins, WaitUntilTheEntityThatWasLeftIsGoneWhereTheyReplace) {
    RunningServer running(server_with(SecondLogin::replace));
    TestClient first(running.port());
    const net::Welcome before = first.join(login("ann"));
    running.tick({&first});
    first.send(net::LeaveZone{});
    EXPECT_EQ(first.receive(), std::nullopt);
    const std::uint64_t messages_before = running.metrics().messages_in_total;
    TestClient second(running.port());
    second.send(login("ann"));
    second.send(net::Ping{7});
    ASSERT_TRUE(
        eventually([&] { return running.metrics().messages_in_total == messages_before + 1; }));
    EXPECT_EQ(running.metrics().closed_with_error_total, 0U);
    running.step();
    const auto after = second.receive_one<net::Welcome>();
    EXPECT_NE(after.entity, before.entity);
    EXPECT_FALSE(after.resumed);
    EXPECT_EQ(second.receive_one<net::Pong>().nonce, 7U);
    running.tick({&second});
    EXPECT_EQ(running.zone().entity_count(), 1U);
}

TEST_P(SecondLogins, WaitNoLongerThanForAHello) {
    net::ServerOptions options = server_with(SecondLogin::replace);
    options.handshake_timeout_ms = 200;
    RunningServer running(options);
    TestClient first(running.port());
    first.join(login("ann"));
    running.tick({&first});
    first.send(net::LeaveZone{});
    EXPECT_EQ(first.receive(), std::nullopt);
    TestClient second(running.port());
    second.send(login("ann"));
    expect_error(second, ErrorCode::second_login);  // no tick comes
}

TEST_P(SecondLogins, NeedASubject) {
    for (const SecondLogin rule : {SecondLogin::refuse, SecondLogin::replace}) {
        RunningServer running(server_with(rule));
        TestClient client(running.port());
        client.send(login(""));
        expect_error(client, ErrorCode::unauthorized);
    }
}

TEST_P(SecondLogins, ThatAskForTooMuchTakeNothingFromTheFirst) {
    RunningServer running(server_with(SecondLogin::replace));
    TestClient first(running.port());
    first.join(login("ann"));
    TestClient second(running.port());
    net::Hello hello = login("ann");
    hello.view = engine::View::circle(900'000'000, 900'000'000);
    second.send(hello);
    expect_error(second, ErrorCode::out_of_range);
    running.tick({&first});
}

TEST_P(SecondLogins, ThatWereAskedAboutTakeOverWhatCameInMeanwhile) {
    TwoLoginsAskedAbout two(server_with(SecondLogin::replace));
    two.service.send(net::AdmitPlayer{two.of_first, {}});
    const auto before = two.first.receive_one<net::Welcome>();
    two.service.send(net::AdmitPlayer{two.of_second, {}});
    const auto after = two.second.receive_one<net::Welcome>();
    EXPECT_EQ(after.entity, before.entity);
    EXPECT_TRUE(after.resumed);
    expect_error(two.first, ErrorCode::second_login);
}

TEST_P(SecondLogins, TakeNothingOverFromALaterOne) {
    TwoLoginsAskedAbout two(server_with(SecondLogin::replace));
    two.service.send(net::AdmitPlayer{two.of_second, {}});
    two.second.receive_one<net::Welcome>();
    two.service.send(net::AdmitPlayer{two.of_first, {}});
    expect_error(two.first, ErrorCode::second_login);
    two.running.tick({&two.second});
    EXPECT_EQ(two.running.zone().entity_count(), 1U);
}

TEST_P(SecondLogins, WaitWhereTheOtherThatCameInMeanwhileHasLeftAgain) {
    net::ServerOptions options = server_with(SecondLogin::replace);
    options.io_threads = 1;
    TwoLoginsAskedAbout two(options);
    two.service.send(net::AdmitPlayer{two.of_first, {}});
    const auto before = two.first.receive_one<net::Welcome>();
    two.first.send(net::LeaveZone{});
    EXPECT_EQ(two.first.receive(), std::nullopt);
    two.service.send(net::AdmitPlayer{two.of_second, {}});
    two.service.fence();
    two.service.fence();  // the thread has looked again: the second one's answer is taken
    two.running.step();
    two.service.send(net::AdmitPlayer{two.next_question(), {}});
    EXPECT_NE(two.second.receive_one<net::Welcome>().entity, before.entity);
}

TEST_P(SecondLogins, WaitWhereAServiceHasTakenTheEntityOut) {
    net::ServerOptions options = server_with(SecondLogin::replace);
    options.io_threads = 1;
    RunningServer running(options);
    TestService service(running.port());
    net::ServiceHello hello;
    hello.name = "referee";
    hello.token = hs256_token(R"({"aud":"zone","exp":99999999999,"role":"service"})", kLoginSecret);
    service.join(hello);
    TestClient first(running.port());
    const auto before = first.join(login("ann"));
    running.step();
    service.send(net::Despawn{{before.entity}});
    service.fence();
    TestClient second(running.port());
    const std::uint64_t messages = running.metrics().messages_in_total;
    second.send(login("ann"));
    ASSERT_TRUE(eventually([&] { return running.metrics().messages_in_total > messages; }));
    running.step();
    expect_error(first, ErrorCode::removed);
    const auto after = second.receive_one<net::Welcome>();
    EXPECT_NE(after.entity, before.entity);
    EXPECT_FALSE(after.resumed);
}

INSTANTIATE_TEST_SUITE_P(WithGrace, SecondLogins, testing::Values(0U, 10'000U));

TEST(SecondLogin, TakesOverAnEntityWhoseConnectionIsLost) {
    // Covered by the resume token otherwise; here the client has lost that, too.
    KeyFolder keys;
    net::ServerOptions options = patient_server();
    options.resume_grace_ms = 60'000;
    options.auth = {net::AuthOptions::Mode::jwt,
                    "zone",
                    0,
                    {{keys.write("secret", kLoginSecret), net::TokenAlgorithm::hs256, ""}},
                    SecondLogin::replace};
    RunningServer running(options);
    TestClient first(running.port());
    const net::Welcome before = first.join(login("ann"));
    running.tick({&first});
    first.kill();
    ASSERT_TRUE(eventually([&] { return running.metrics().players == 0; }));
    TestClient second(running.port());
    EXPECT_EQ(second.join(login("ann")).entity, before.entity);
    running.tick({&second});
    EXPECT_EQ(running.zone().entity_count(), 1U);
}

}  // namespace marchland::tests
