#include "tools/bench/naive_server.h"
#include "tests/tools/bench_run.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

namespace marchland::bench {
namespace {

Ended run_server(std::vector<const char*> arguments, bool is_interrupted = false) {
    arguments.insert(arguments.begin(), "server");
    return run_bench(arguments, is_interrupted);
}

TEST(ServerBenchmark, ComparesEachCaseWithTheNaiveServer) {
    const Ended ended = run_server({"--quick", "--hz", "50", "--json"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(count_of("\n", ended.out), 1U);
    for (const char* name : {"view20", "view60", "mob", "mob_all"}) {
        EXPECT_EQ(
            count_of(
                std::string(R"({"case":")") + name +
                    R"(","players":200,"tick_rate_hz":50,"prediction_error_mm":0,"updates_per_frame":)",
                ended.out),
            1U)
            << ended.out;
    }
    for (const char* key : {"cpu_ratio_to_naive_server", "bytes_ratio_to_naive_server"}) {
        EXPECT_EQ(count_of(std::string("\"") + key + "\":", ended.out), 4U) << key;
    }
}

TEST(ServerBenchmark, ReportsATableForPeople) {
    const Ended ended = run_server({"--quick", "--case", "view20"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(count_of("\nview20 ", ended.out), 1U) << ended.out;
}

TEST(ServerBenchmark, HoldsWhatIsPredictedAgainstItsBound) {
    const Ended ended =
        run_server({"--quick", "--case", "view20", "--prediction-error-mm", "50", "--json"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(count_of(R"("prediction_error_mm":50,)", ended.out), 1U) << ended.out;
}

TEST(ServerBenchmark, RefusesWhatItDoesNotKnow) {
    EXPECT_EQ(run_server({"--case", "weather"}).exit_code, 2);
    EXPECT_EQ(run_server({"--hz", "0"}).exit_code, 2);
    EXPECT_EQ(run_server({"--help"}).exit_code, 0);
    EXPECT_EQ(run_server({"--quick"}, true).exit_code, kExitInterrupted);
}

/// Who stands at x metres is sent these ids.
std::vector<std::uint32_t> sent_to_the_first(std::size_t nearest_max) {
    NaiveServer server(50'000, nearest_max);
    const std::array<std::int32_t, 5> at_m = {0, 50, 51, 30, 49};
    ClientSockets clients(server.port(), at_m.size());
    for (std::size_t i = 0; i < at_m.size(); ++i) {
        const std::array<std::int32_t, 2> message = {at_m.at(i) * 1'000, 0};
        clients.send(i, std::as_bytes(std::span(message)));
    }
    await([&] { return server.bytes_in_total() == at_m.size() * 8; }, "it does not read");
    server.start_tick();
    const auto frame = clients.read_message(0);
    std::vector<std::uint32_t> ids;
    for (std::size_t begin = 8; begin < frame.size(); begin += sizeof(NaiveServer::Seen)) {
        NaiveServer::Seen seen{};
        std::memcpy(&seen, frame.data() + begin, sizeof seen);
        ids.push_back(seen.id);
    }
    std::ranges::sort(ids);
    return ids;
}

TEST(NaiveServer, SendsWhoIsInTheRadius) {
    EXPECT_EQ(sent_to_the_first(0), (std::vector<std::uint32_t>{1, 3, 4}));
}

TEST(NaiveServer, SendsOnlyTheNearestWhereThereIsALimit) {
    EXPECT_EQ(sent_to_the_first(2), (std::vector<std::uint32_t>{3, 4}));
}

}  // namespace
}  // namespace marchland::bench
