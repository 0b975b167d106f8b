#include "tools/bench/clocks.h"

#include "engine/assert.h"

#include <ctime>

namespace marchland::bench {
namespace {

std::uint64_t ns_of(clockid_t clock) {
    timespec now{};
    const int failed = clock_gettime(clock, &now);
    MARCHLAND_ASSERT(failed == 0);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
           static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

Clocks clocks_now() {
    return {ns_of(CLOCK_PROCESS_CPUTIME_ID), ns_of(CLOCK_MONOTONIC)};
}

std::uint64_t thread_cpu_ns() {
    return ns_of(CLOCK_THREAD_CPUTIME_ID);
}

}  // namespace marchland::bench
