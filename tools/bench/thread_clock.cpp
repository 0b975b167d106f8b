#include "tools/bench/thread_clock.h"

#include "engine/assert.h"

#include <ctime>

namespace marchland::bench {

std::uint64_t thread_cpu_ns() {
    timespec now{};
    const int failed = clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    MARCHLAND_ASSERT(failed == 0);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
           static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace marchland::bench
