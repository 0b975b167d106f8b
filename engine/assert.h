#pragma once

/// For our own broken promises only, and it stays on in release builds. Input from outside never
/// meets it: what a client, a file or an operator sends becomes an error value instead.
///
/// Prints the broken promise and its place to standard error, then aborts.
#define MARCHLAND_ASSERT(promise) \
    (static_cast<bool>(promise)   \
         ? static_cast<void>(0)   \
         : ::marchland::engine::report_broken_promise(#promise, __FILE__, __LINE__))

namespace marchland::engine {

[[noreturn]] void report_broken_promise(const char* promise, const char* file, int line) noexcept;

}  // namespace marchland::engine
