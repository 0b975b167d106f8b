#pragma once

#include "tools/process/descriptor.h"

#include <cstdint>

namespace marchland::bench {

[[noreturn]] void fail_with_errno(const char* what);

/// A connection to this machine's port. What takes longer than twenty seconds fails.
///
/// Errors  std::system_error.
process::Descriptor connect_to_loopback(std::uint16_t port);

}  // namespace marchland::bench
