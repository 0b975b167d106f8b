#pragma once

#include <cstdint>

namespace marchland::bench {

/// Heap allocations of this process so far. Whoever links allocation_counter.cpp gets the global
/// operator new replaced by one that counts: so it belongs to a program, never to a library.
///
/// Threads  Any.
std::uint64_t allocation_count();

}  // namespace marchland::bench
