#pragma once

#include <iosfwd>
#include <string_view>

namespace marchland::layout {

/// marchland-layout: checks, draws, compares and derives layouts. Returns the exit code: 0 all is
/// well, 1 what was to be written could not be, 2 bad arguments or a bad file.
int run_program(int argc, const char* const* argv, std::string_view version, std::ostream& out,
                std::ostream& err);

}  // namespace marchland::layout
