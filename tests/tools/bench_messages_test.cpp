#include "tests/tools/bench_run.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace marchland::bench {
namespace {

Ended run_messages(std::vector<const char*> arguments, bool is_interrupted = false) {
    arguments.insert(arguments.begin(), "messages");
    return run_bench(arguments, is_interrupted);
}

TEST(MessagesBenchmark, ReportsOneJsonLineAndEveryMessageComesOverResumes) {
    const Ended ended = run_messages({"--quick", "--json", "--together", "5"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    // A turn before all others, and two of two kinds, of 20 players with 10 messages each.
    EXPECT_EQ(ended.out.find(R"({"benchmark":"messages","commit":"abcdef","interrupted":false,)"
                             R"("results":[{"players":20,"services":2,"rate":10,"together":5,)"
                             R"("seed":1,"messages":1000,)"),
              0U)
        << ended.out;
    EXPECT_EQ(count_of("\n", ended.out), 1U);
    EXPECT_EQ(count_of(R"("resumes":4})", ended.out), 1U) << ended.out;
    for (const char* key : {"messages_per_second", "cpu_ns_per_message", "cpu_percent_of_core",
                            "spread", "latency_ms_p50", "latency_ms_p99"}) {
        EXPECT_EQ(count_of(std::string("\"") + key + "\":", ended.out), 1U) << key;
    }
}

TEST(MessagesBenchmark, ASlowServiceLearnsWhatItLost) {
    const Ended ended = run_messages({"--quick", "--slow", "--rate", "200"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.out.find("20 players, 2 services: 20000 messages"), 0U) << ended.out;
    EXPECT_EQ(count_of("lost by the slow service", ended.out), 1U) << ended.out;
    EXPECT_EQ(count_of(" 0 lost by the slow service", ended.out), 0U) << ended.out;
}

TEST(MessagesBenchmark, RefusesWhatCannotBe) {
    EXPECT_EQ(run_messages({"--rate", "0"}).exit_code, 2);
    EXPECT_EQ(run_messages({"--rate", "4", "--together", "5"}).exit_code, 2);
    EXPECT_EQ(run_messages({"--nonsense"}).exit_code, 2);
    EXPECT_EQ(run_messages({"--help"}).exit_code, 0);
    EXPECT_EQ(run_messages({"--quick"}, true).exit_code, kExitInterrupted);
}

}  // namespace
}  // namespace marchland::bench
