#pragma once

#include <cstdint>

namespace marchland::tests {

/// The allocation of that number, from 1 on, that other threads than the caller's ask operator new
/// for from here on fails. failing_allocation.cpp replaces that operator.
void fail_allocation(std::int64_t number);
/// None fails any more. Did it?
bool end_failing_allocation();

}  // namespace marchland::tests
