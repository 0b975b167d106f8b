#pragma once

#include <iosfwd>
#include <string_view>

namespace marchland::token {

/// marchland-token: makes keys and tokens, and explains a given token. Returns the exit code.
/// `version` is what --version answers.
int run_program(int argc, const char* const* argv, std::string_view version, std::ostream& out,
                std::ostream& err);

}  // namespace marchland::token
