#pragma once

namespace marchland::tools {

/// The program is to end at once, with this exit code; everything has been said.
struct ExitCode {
    int value = 0;
};

}  // namespace marchland::tools
