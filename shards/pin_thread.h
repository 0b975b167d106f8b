#pragma once

#include <cstdint>
#include <system_error>

namespace marchland::shards {

/// Keeps the calling thread on one core from now on: of the first `cores` cores that the process may
/// run on (all of them, if it has fewer), number `turn`, counted round and round. An error value where
/// the system refuses or cannot pin; then nothing has changed.
std::error_code pin_this_thread(std::uint32_t turn, std::uint32_t cores);

/// Lets the calling thread run on any core that the process may use: for a thread that was started by
/// one that is pinned, and is as pinned as that.
std::error_code unpin_this_thread();

}  // namespace marchland::shards
