#pragma once

#include "tools/bench/host.h"

namespace marchland::bench {

/// `marchland-bench service`: what it costs the server that a service moves its entities. `argv[0]` is the
/// benchmark's name. Returns the exit code.
int run_service_benchmark(int argc, const char* const* argv, const Host& host);

}  // namespace marchland::bench
