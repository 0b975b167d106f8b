#pragma once

namespace marchland::tests {

/// Under a sanitizer a test takes many times as long: properties play fewer cases there, and times are not looked at.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif

}  // namespace marchland::tests
