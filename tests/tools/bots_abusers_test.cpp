#include "tools/bots/abusers.h"
#include "tools/bots/referee.h"
#include "tools/bots/report.h"
#include "tools/bots/swarm.h"
#include "tests/net/failing_allocation.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <variant>
#include <vector>

namespace marchland::bots {
namespace {

constexpr ZoneFacts kZone{
    {{-1'000'000, -1'000'000, 0}, {1'000'000, 1'000'000, 0}, engine::Dimensions::two}, 20, {}};

TEST(HostileDirector, SaysWhyItsAttackersStoppedAndGoesOn) {
    // The kernel accepts connections, and nobody answers.
    boost::asio::io_context io;
    const boost::asio::ip::tcp::acceptor listener(io, {boost::asio::ip::address_v4::loopback(), 0});
    const auto resolved =
        client::resolve({"127.0.0.1", std::to_string(listener.local_endpoint().port())});
    const client::Address server = std::get<0>(resolved).front();
    ViolationLog log(nullptr, 0);
    Referee referee(kZone, 1, 0, log);
    Poller poller;
    Swarm swarm({server, {}, 1, {}, {}}, referee, poller);
    ScenarioOptions options;
    options.scenario = Scenario::soak;
    options.players = options.players_max = 1;

    tests::fail_allocation(1);  // of the attackers' thread: there is no other
    HostileDirector director(options, kZone, Clock::now(), std::chrono::hours(1),
                             {server, {}, {""}}, {{"noise", {Deed::noise}, 1}});
    director.advance(Clock::now(), swarm);
    const auto deadline = Clock::now() + std::chrono::seconds(20);
    while (director.abuse().failure.empty() && Clock::now() < deadline) {
        std::this_thread::yield();
    }
    EXPECT_TRUE(tests::end_failing_allocation());
    EXPECT_EQ(director.abuse().failure, "std::bad_alloc");
    director.advance(Clock::now(), swarm);

    Report report;
    EXPECT_TRUE(report.is_all_well());
    report.abuse = director.abuse();
    EXPECT_FALSE(report.is_all_well());
    EXPECT_NE(to_text(report).find("nobody attacked any more: std::bad_alloc"), std::string::npos);
    EXPECT_NE(to_json(report).find(R"("failure":"std::bad_alloc")"), std::string::npos);
    EXPECT_NE(
        to_page(report).find(
            R"("is_well":false,"verdict":"NOT WELL: nobody attacked any more: std::bad_alloc")"),
        std::string::npos);
}

}  // namespace
}  // namespace marchland::bots
