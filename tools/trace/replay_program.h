#pragma once

#include "tools/trace/options.h"

#include <iosfwd>

namespace marchland::trace {

/// marchland-trace --replay: as run_program, with options.recording there. Exit code 1 also when the
/// run is not what was recorded.
int run_replay(const Options& options, std::ostream& out, std::ostream& err, bool progress);

}  // namespace marchland::trace
