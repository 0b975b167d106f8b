#pragma once

#include "tools/bench/host.h"

namespace marchland::bench {

/// `marchland-bench index`: the engine's index and visible sets against the usual home-made ones.
/// `argv[0]` is the benchmark's name. Returns the exit code.
int run_index_benchmark(int argc, const char* const* argv, const Host& host);

}  // namespace marchland::bench
