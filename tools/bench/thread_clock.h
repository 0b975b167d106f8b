#pragma once

#include <cstdint>

namespace marchland::bench {

/// CPU time of the calling thread: what others do on the machine does not count, though what they
/// do to its caches and its clock rate does.
std::uint64_t thread_cpu_ns();

}  // namespace marchland::bench
