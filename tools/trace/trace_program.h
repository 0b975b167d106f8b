#pragma once

#include <iosfwd>
#include <string_view>

namespace marchland::trace {

/// marchland-trace without its process: the report goes to `out`, everything else to `err`. Returns
/// the exit code. `progress`: whether `err` is a terminal that may show how far the run is.
int run_program(int argc, const char* const* argv, std::string_view version, std::ostream& out,
                std::ostream& err, bool progress);

}  // namespace marchland::trace
