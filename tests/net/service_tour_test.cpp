#include "tests/net/running_server.h"
#include "tests/net/sent_world.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <future>
#include <optional>
#include <string>
#include <vector>

namespace marchland::tests {

namespace {

struct Ended {
    int status = -1;
    std::string output;
};

Ended run_service(std::uint16_t port) {
    const std::string command =
        std::string(MARCHLAND_SERVICE_TOUR) + ' ' + std::to_string(port) + " 12 2>&1";
    Ended ended;
    std::FILE* const out = ::popen(command.c_str(), "r");
    if (out == nullptr) {
        return ended;
    }
    char some[512];
    while (std::fgets(some, sizeof some, out) != nullptr) {
        ended.output += some;
    }
    ended.status = ::pclose(out);
    return ended;
}

}  // namespace

TEST(ServiceTour, TheServiceOfTheDocumentWalksHowlsWatchesAndLeaves) {
    net::ServerOptions options = patient_server();
    options.player_messages = {10, 10};
    RunningServer running(options);
    TestClient client(running.port());
    const auto me = client.join_at({0, 0, 0}).entity;
    auto service = std::async(std::launch::async, [&] { return run_service(running.port()); });

    SentWorld world;
    std::optional<net::Entered> wolf;
    std::size_t moves = 0;
    std::vector<engine::Leave> leaves;
    std::vector<net::MessageDelivered> answers;
    const auto look = [&] {
        running.step();
        for (const net::FrameMessage& frame : client.frames_until_fence()) {
            world.apply(frame);
            if (!frame.enters.empty()) {
                wolf = frame.enters[0];
                client.send(net::SendMessage{1, 1, std::vector<std::byte>(3)});
            }
            answers.insert(answers.end(), frame.messages.begin(), frame.messages.end());
            moves += frame.moves.size();
            leaves.insert(leaves.end(), frame.leaves.begin(), frame.leaves.end());
        }
    };
    while (service.wait_for(std::chrono::milliseconds(5)) != std::future_status::ready) {
        look();
    }
    const Ended ended = service.get();
    EXPECT_EQ(ended.status, 0) << ended.output;
    EXPECT_TRUE(eventually([&] {
        look();
        return !leaves.empty();
    }));

    ASSERT_TRUE(wolf) << ended.output;
    EXPECT_EQ(wolf->kind, 7);
    EXPECT_EQ(wolf->position.z, 0);
    EXPECT_GE(moves, 2U);
    const auto answer = std::ranges::find(answers, 2, &net::MessageDelivered::kind);
    ASSERT_NE(answer, answers.end());
    EXPECT_EQ(answer->payload.size(), 3U);
    const auto howl = std::ranges::find(answers, 3, &net::MessageDelivered::kind);
    ASSERT_NE(howl, answers.end());
    EXPECT_EQ(howl->source, wolf->entity);
    EXPECT_EQ(howl->payload.size(), 4U);
    EXPECT_EQ(leaves, (std::vector<engine::Leave>{{wolf->entity, engine::LeaveReason::gone}}));
    EXPECT_NE(ended.output.find(std::to_string(to_number(me)) + " comes near, at (0, 0)"),
              std::string::npos)
        << ended.output;
}

}  // namespace marchland::tests
