#pragma once

namespace marchland::tools {

/// What a program of ours tells its caller; 0 when all is well.
inline constexpr int kExitFailed = 1;    ///< the run found something wrong
inline constexpr int kExitBadInput = 2;  ///< bad arguments, or a bad file

/// The program is to end at once, with this exit code; everything has been said.
struct ExitCode {
    int value = 0;
};

}  // namespace marchland::tools
