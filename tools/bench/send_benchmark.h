#pragma once

#include "tools/bench/host.h"

namespace marchland::bench {

/// `marchland-bench send`: what a frame costs from the entities' positions to the client's socket, against a
/// server that has the bytes already. `argv[0]` is the benchmark's name. Returns the exit code.
int run_send_benchmark(int argc, const char* const* argv, const Host& host);

}  // namespace marchland::bench
