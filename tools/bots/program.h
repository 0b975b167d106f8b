#pragma once

#include <iosfwd>
#include <string_view>

namespace marchland::bots {

/// marchland-bots: reads the command line, scouts the zone, plays the run, reports. Returns the
/// exit code: 0 all is well, 1 violations or lost players, 2 bad arguments or a bad file.
int run_program(int argc, const char* const* argv, std::string_view version, std::ostream& out,
                std::ostream& err);

}  // namespace marchland::bots
