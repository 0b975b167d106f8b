#pragma once

#include "tools/bench/benchmark.h"
#include "tools/bench/workload.h"

#include <cstddef>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace marchland::bench {

/// What marchland-bench said, run within the test.
struct Ended {
    int exit_code = 0;
    std::string out;
    std::string err;
};

/// `is_interrupted`: as if Ctrl-C had been pressed before it began.
Ended run_bench(const std::vector<const char*>& arguments, bool is_interrupted = false);

/// What a measurement needs of a program that shows nothing.
struct QuietHost {
    std::ostringstream out;
    const Host host{.version = "1.2.3",
                    .commit = "abcdef",
                    .out = out,
                    .err = out,
                    .allocation_count = [] { return std::uint64_t{0}; },
                    .is_interrupted = [] { return false; }};
    mutable tools::ProgressLine line{out, false};
    const Probes probes{host, line, ""};
};

/// One of all_workloads().
const Workload& workload_called(std::string_view name);

std::size_t count_of(std::string_view part, std::string_view text);

}  // namespace marchland::bench
