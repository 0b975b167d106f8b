#pragma once

#include "tools/bench/host.h"

namespace marchland::bench {

/// marchland-bench without its process: runs the benchmark that argv[1] names, or lists them all.
/// Returns the exit code.
int run_program(int argc, const char* const* argv, const Host& host);

}  // namespace marchland::bench
