#include "tests/tools/bench_run.h"

#include <algorithm>
#include <cstdint>
#include <sstream>

namespace marchland::bench {

Ended run_bench(const std::vector<const char*>& arguments, bool is_interrupted) {
    std::vector<const char*> argv{"marchland-bench"};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    std::ostringstream out;
    std::ostringstream err;
    const Host host{.version = "1.2.3",
                    .commit = "abcdef",
                    .out = out,
                    .err = err,
                    .is_err_terminal = false,
                    .allocation_count = [] { return std::uint64_t{0}; },
                    .is_interrupted = is_interrupted ? [] { return true; } : [] { return false; }};
    const int exit_code = run_program(static_cast<int>(argv.size()), argv.data(), host);
    return {exit_code, out.str(), err.str()};
}

const Workload& workload_called(std::string_view name) {
    return *std::ranges::find(all_workloads(), name, &Workload::name);
}

std::size_t count_of(std::string_view part, std::string_view text) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
        ++count;
    }
    return count;
}

}  // namespace marchland::bench
