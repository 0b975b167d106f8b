#include "tools/bench/loopback.h"
#include "tests/tools/bench_run.h"
#include "tests/tools/bots_rogue_server.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace marchland::bench {
namespace {

Ended run_send(std::vector<const char*> arguments, bool is_interrupted = false) {
    arguments.insert(arguments.begin(), "send");
    return run_bench(arguments, is_interrupted);
}

/// A client of a server that says what the test wants: nothing is what it should be.
class OneClient {
public:
    OneClient() : server_(said_), clients_(server_.port(), 1) {
        // The server may still hold the last frame when the client has it all.
        said_.reserve(100, 1 << 20);
        while (server_.clients() == 0)
            std::this_thread::yield();
    }
    template <typename Message>
    void say(const Message& message) {
        bots::Script bytes;
        bots::say(bytes, message);
        said_.add(bytes);
        server_.start_tick();
    }
    void join() {
        net::Welcome welcome;
        welcome.entity = engine::EntityId{1};
        say(welcome);
        const Walker walker({0, 0, 100'000, 100'000}, Gait::walk, 1);
        clients_.join({&walker, 1}, Movers::walkers, 10);
    }
    void read(std::size_t frames = 1) { clients_.read_frames(read_, frames); }
    SendClients& clients() { return clients_; }

private:
    FrameScript said_{1};
    FrameScript read_{1};
    BareServer server_;
    SendClients clients_;
};

net::Entered entered(std::uint64_t id) {
    return {static_cast<engine::EntityId>(id), 0, {}, {}};
}

net::Moved moved(std::uint64_t id) {
    return {static_cast<engine::EntityId>(id), true, 250, 0, 0};
}

net::FrameMessage frame(std::vector<net::Entered> enters, std::vector<net::Moved> moves,
                        engine::Tick tick = 1) {
    net::FrameMessage message;
    message.tick = tick;
    message.enters = std::move(enters);
    message.moves = std::move(moves);
    return message;
}

TEST(SendBenchmark, ReportsItsCasesAsOneJsonLine) {
    const Ended ended = run_send({"--quick", "--json"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.out.find(R"({"benchmark":"send","commit":"abcdef","interrupted":false,)"
                             R"("results":[{"case":"frames","clients":100,)"),
              0U)
        << ended.out;
    EXPECT_EQ(count_of("\n", ended.out), 1U);
    for (const char* key :
         {"clients", "updates_per_frame", "cpu_us_per_frame", "cpu_ratio_to_bare_server",
          "cpu_ratio_to_raw_io_uring", "bytes_per_update"}) {
        EXPECT_EQ(count_of(std::string("\"") + key + "\":", ended.out), 3U) << key;
    }
    EXPECT_EQ(count_of(R"("writes_per_frame":1.0)", ended.out), 3U) << ended.out;
}

TEST(SendBenchmark, ReportsATableForPeople) {
    const Ended ended = run_send({"--quick", "--case", "play", "--io", "epoll"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(count_of("\nplay ", ended.out), 1U) << ended.out;
}

TEST(SendBenchmark, RefusesWhatItDoesNotKnow) {
    EXPECT_EQ(run_send({"--case", "weather"}).exit_code, 2);
    EXPECT_EQ(run_send({"--clients", "5"}).exit_code, 2);
    EXPECT_EQ(run_send({"--io", "carrier_pigeon"}).exit_code, 2);
    EXPECT_EQ(run_send({"--clients", "100000"}).exit_code, 2)
        << "more files than a process may open";
    EXPECT_EQ(run_send({"--help"}).exit_code, 0);
}

TEST(SendBenchmark, InterruptedReportsWhatIsFinished) {
    const Ended ended = run_send({"--quick", "--json"}, true);
    EXPECT_EQ(ended.exit_code, kExitInterrupted);
    EXPECT_NE(ended.out.find(R"("interrupted":true,"results":[]})"), std::string::npos)
        << ended.out;
}

TEST(SendClients, FrameHasTheMoveOfEveryMoverThatIsKnown) {
    OneClient one;
    one.join();
    one.say(frame({entered(3), entered(7), entered(11)}, {}));
    one.read();
    one.say(frame({}, {moved(3), moved(7)}));
    one.read();
    EXPECT_EQ(one.clients().moves_total(), 2U) << "11 is a client, and stands";
}

TEST(SendClients, FrameWithAMoveTooFewIsFound) {
    OneClient one;
    one.join();
    one.say(frame({entered(3), entered(7)}, {}));
    one.read();
    one.say(frame({}, {moved(7)}));
    EXPECT_THROW(one.read(), std::runtime_error);
}

TEST(SendClients, FrameThatIsNotSentIsFound) {
    OneClient one;
    one.join();
    one.say(frame({entered(3)}, {}));
    one.read();
    EXPECT_THROW(one.read(0), std::runtime_error);
}

TEST(SendClients, KnownSetThatIsNotTheTruthIsFound) {
    const Walker walker({0, 0, 100'000, 100'000}, Gait::walk, 1);
    OneClient one;
    one.join();
    one.clients().compare_with({&walker, 1}, 1);
    one.say(frame({}, {}));
    one.read();
    one.say(frame({entered(1)}, {}, 2));  // itself
    EXPECT_THROW(one.read(), std::runtime_error);
}

TEST(SendClients, WhateverIsNoFrameIsFound) {
    OneClient one;
    one.join();
    one.say(net::Welcome{});
    EXPECT_THROW(one.read(), std::runtime_error);
}

TEST(SendClients, OtherBytesThanTheScriptHasAreFound) {
    OneClient one;
    FrameScript other(1);
    bots::Script bytes;
    bots::say(bytes, frame({entered(3)}, {}));
    other.add(bytes);
    one.say(frame({entered(4)}, {}));
    EXPECT_THROW(one.clients().read_again(other, 0), std::runtime_error);
}

}  // namespace
}  // namespace marchland::bench
