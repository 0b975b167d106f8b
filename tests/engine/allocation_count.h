#pragma once

#include <cstddef>

namespace marchland::engine::testing {

/// How often this program has called operator new, which allocation_count.cpp replaces. One thread.
std::size_t allocation_count();
/// How much of what it was given it has not given back.
std::size_t live_allocation_count();

}  // namespace marchland::engine::testing
