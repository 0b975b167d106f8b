#include "net/connection.h"
#include "tests/net/failing_allocation.h"
#include "tests/net/running_server.h"
#include "tests/net/test_service.h"
#include "tests/net/token_maker.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>

// One allocation fails, each in its turn, while somebody comes in: nothing is left of who did not.

namespace marchland::tests {

namespace {

const std::string kMemorySecret = "0123456789abcdef0123456789abcdef";
constexpr std::int64_t kAllocationsMax = 2'000;  ///< who comes in needs fewer

net::Hello ann() {
    net::Hello hello;
    hello.token = hs256_token(R"({"aud":"zone","exp":99999999999,"sub":"ann"})", kMemorySecret);
    return hello;
}

class OutOfMemory : public testing::Test {
protected:
    net::ServerOptions options(std::uint32_t resume_grace_ms, net::AuthOptions::SecondLogin rule) {
        net::ServerOptions options = patient_server();
        options.resume_grace_ms = resume_grace_ms;
        options.services.grace_ms = resume_grace_ms;
        options.auth = {net::AuthOptions::Mode::jwt,
                        "zone",
                        0,
                        {{keys_.write("secret", kMemorySecret), net::TokenAlgorithm::hs256, ""}},
                        rule};
        return options;
    }

    /// What the client is answered where that allocation of the server's fails.
    std::optional<net::ServerMessage> answer(RunningServer& running, TestClient& client,
                                             const net::ClientMessage& message,
                                             std::int64_t allocation) {
        // Once its I/O thread has it: nothing else is to fail.
        EXPECT_TRUE(eventually([&] {
            std::atomic<int> connections{0};
            running.server().visit([&](net::Connection&) { ++connections; },
                                   std::chrono::seconds(20));
            return connections == 1;
        }));
        fail_allocation(allocation);
        client.send(message);
        auto answer = client.receive();
        has_failed_ = end_failing_allocation();
        return answer;
    }

    static bool has_nobody(RunningServer& running) {
        return eventually([&] { return running.metrics().connections == 0; }) &&
               running.metrics().players == 0 && running.metrics().services == 0;
    }
    /// Ann comes in, or does not, where that allocation of the server's fails; her line is lost,
    /// and a tick runs.
    void come_and_go(RunningServer& running, std::int64_t allocation) {
        ASSERT_LT(allocation, kAllocationsMax);
        {
            TestClient client(running.port());
            const auto welcome = answer(running, client, ann(), allocation);
            ASSERT_TRUE(!welcome || std::holds_alternative<net::Welcome>(*welcome)) << allocation;
            ASSERT_TRUE(welcome || has_failed_);
        }
        ASSERT_TRUE(has_nobody(running)) << allocation;
        running.step();
    }

    KeyFolder keys_;
    bool has_failed_ = true;
};

}  // namespace

TEST_F(OutOfMemory, APlayerWhoDoesNotComeInLeavesNoEntityAndNoClaim) {
    RunningServer running(options(0, net::AuthOptions::SecondLogin::refuse));
    for (std::int64_t allocation = 1; has_failed_; ++allocation) {
        ASSERT_NO_FATAL_FAILURE(come_and_go(running, allocation));
        ASSERT_EQ(running.zone().entity_count(), 0U) << allocation;
    }
}

TEST_F(OutOfMemory, ALoginThatTakesAnEntityOverLeavesItToTheNextOne) {
    RunningServer running(options(60'000, net::AuthOptions::SecondLogin::replace));
    for (std::int64_t allocation = 1; has_failed_; ++allocation) {
        ASSERT_NO_FATAL_FAILURE(come_and_go(running, allocation));
        ASSERT_LE(running.zone().entity_count(), 1U) << allocation;
    }
}

TEST_F(OutOfMemory, APlayerWhoIsLostIsGoneWhenItsGraceIsOver) {
    RunningServer running(options(20, net::AuthOptions::SecondLogin::refuse));
    for (std::int64_t allocation = 1; has_failed_; ++allocation) {
        ASSERT_LT(allocation, kAllocationsMax);
        {
            TestClient client(running.port());
            client.send(ann());
            client.receive_one<net::Welcome>();
            running.step();
            ASSERT_EQ(running.zone().entity_count(), 1U) << allocation;
            fail_allocation(allocation);
        }
        ASSERT_TRUE(has_nobody(running)) << allocation;
        has_failed_ = end_failing_allocation();
        ASSERT_TRUE(eventually([&] {
            running.step();
            return running.zone().entity_count() == 0;
        })) << allocation;
    }
}

TEST_F(OutOfMemory, AServiceThatDoesNotComeBackMayDoSoOrItsEntitiesLeave) {
    net::ServerOptions options = patient_server();
    options.services.grace_ms = 60'000;
    RunningServer running(options);
    net::ServiceHello hello;
    for (std::int64_t allocation = 1; has_failed_; ++allocation) {
        ASSERT_LT(allocation, kAllocationsMax);
        if (running.zone().entity_count() == 0) {
            TestService first(running.port());
            hello = hello_again(first.join());
            first.watch_area({}, engine::View::circle(1'000, 1'000));
            cut(running, first);
        }
        {
            TestClient client(running.port());
            const auto answered = answer(running, client, hello, allocation);
            ASSERT_TRUE(!answered || std::holds_alternative<net::ServiceWelcome>(*answered))
                << allocation;
            ASSERT_TRUE(answered || has_failed_);
            if (answered) {
                EXPECT_EQ(std::get<net::ServiceWelcome>(*answered).entities.size(), 1U);
                hello = hello_again(std::get<net::ServiceWelcome>(*answered));
            }
        }
        ASSERT_TRUE(has_nobody(running)) << allocation;
        running.step();
    }
}

TEST_F(OutOfMemory, AnEntityThatIsNotSpawnedIsNobodysAndNotInTheZone) {
    net::ServerOptions options = patient_server();
    options.services.grace_ms = 0;
    RunningServer running(options);
    net::SpawnOne one;
    one.watches = true;
    one.view = engine::View::circle(1'000, 1'000);
    for (std::int64_t allocation = 1; has_failed_; ++allocation) {
        ASSERT_LT(allocation, kAllocationsMax);
        {
            TestService service(running.port());
            service.join();
            const auto answered = answer(running, service.client(), net::Spawn{{one}}, allocation);
            ASSERT_TRUE(answered || has_failed_);
        }
        ASSERT_TRUE(has_nobody(running)) << allocation;
        running.step();
        ASSERT_EQ(running.zone().entity_count(), 0U) << allocation;
    }
}

}  // namespace marchland::tests
