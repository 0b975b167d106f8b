#pragma once

#include "tools/bench/host.h"

namespace marchland::bench {

/// `marchland-bench zone`: what it costs to cut a zone into shards. `argv[0]` is the benchmark's name.
/// Returns the exit code.
int run_zone_benchmark(int argc, const char* const* argv, const Host& host);

}  // namespace marchland::bench
