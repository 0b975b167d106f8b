#pragma once

namespace marchland::server {

/// What a program of ours tells its caller; 0 when all is well.
inline constexpr int kExitFailed = 1;    ///< the run found something wrong
inline constexpr int kExitBadInput = 2;  ///< bad arguments, or a bad file

}  // namespace marchland::server
