#include "tools/bots/server_watch.h"

#include <gtest/gtest.h>

#include <string>

namespace marchland::bots {
namespace {

const std::string kHead = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n";

TEST(ServerWatch, ReadsMemoryAndProcessorTimeOfAStatus) {
    const auto sample = parse_status(
        kHead + R"({"tick": {"a": 1}, "resident_bytes": 19111936, "cpu_seconds_total": 1.25})",
        Instant{});
    ASSERT_TRUE(sample);
    EXPECT_EQ(sample->resident_bytes, 19'111'936U);
    EXPECT_EQ(sample->cpu_seconds, 1.25);
}

TEST(ServerWatch, TakesNothingElseForAStatus) {
    for (const std::string& answer :
         {std::string(), std::string("HTTP/1.1 401 Unauthorized\r\n\r\n"), kHead,
          kHead + R"({"resident_bytes": 19111936})", kHead + R"({"resident_bytes": )",
          kHead + R"({"resident_bytes": -1, "cpu_seconds_total": 1})",
          kHead + R"({"resident_bytes": 1e300, "cpu_seconds_total": 1})",
          std::string("HTTP/1.1 500 \r\n\r\n") +
              R"({"resident_bytes": 1, "cpu_seconds_total": 1})"}) {
        EXPECT_FALSE(parse_status(answer, Instant{})) << answer;
    }
}

}  // namespace
}  // namespace marchland::bots
