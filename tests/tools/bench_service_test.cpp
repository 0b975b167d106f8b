#include "tests/tools/bench_run.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace marchland::bench {
namespace {

Ended run_service(std::vector<const char*> arguments, bool is_interrupted = false) {
    arguments.insert(arguments.begin(), "service");
    return run_bench(arguments, is_interrupted);
}

TEST(ServiceBenchmark, ReportsOneJsonLine) {
    const Ended ended = run_service({"--quick", "--json"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.out.find(R"({"benchmark":"service","commit":"abcdef","interrupted":false,)"
                             R"("results":[{"entities":500,"players":20,"slots":0,)"),
              0U)
        << ended.out;
    EXPECT_EQ(count_of("\n", ended.out), 1U);
    for (const char* key :
         {"updates_per_frame", "take_ns_per_move", "more_cpu_ns_per_move", "cpu_ns_per_move",
          "bytes_per_move", "more_bytes_per_frame", "cpu_ratio", "spread"}) {
        EXPECT_EQ(count_of(std::string("\"") + key + "\":", ended.out), 1U) << key;
    }
}

TEST(ServiceBenchmark, ReportsForPeopleAndRefusesWhatItDoesNotKnow) {
    const Ended ended = run_service({"--quick"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.out.find("500 entities of a service, 20 players"), 0U) << ended.out;
    EXPECT_EQ(run_service({"--entities", "5"}).exit_code, 2);
    EXPECT_EQ(run_service({"--help"}).exit_code, 0);
    EXPECT_EQ(run_service({"--quick"}, true).exit_code, kExitInterrupted);
}

TEST(ServiceBenchmark, SlotsMakeFramesLonger) {
    const Ended ended = run_service({"--quick", "--json", "--slots", "4"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_NE(ended.out.find(R"("slots":4)"), std::string::npos) << ended.out;
    const std::string key = R"("more_bytes_per_frame":)";
    EXPECT_GT(std::stod(ended.out.substr(ended.out.find(key) + key.size())), 1) << ended.out;
    EXPECT_EQ(run_service({"--slots", "17"}).exit_code, 2);
}

TEST(ServiceBenchmark, MoreEntitiesThanAMessageHoldsAreSeenAsTheZonesOwn) {
    // Exit code 0: the players of both zones had as many updates.
    const Ended ended =
        run_service({"--entities", "2000", "--players", "10", "--repetitions", "1"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
}

}  // namespace
}  // namespace marchland::bench
