#pragma once

#include <cstdint>

namespace marchland::process {

/// What the process occupies of the machine's memory now. 0 where /proc does not say.
std::uint64_t resident_bytes();

}  // namespace marchland::process
