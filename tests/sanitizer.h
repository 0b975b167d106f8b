#pragma once

namespace marchland::tests {

#if defined(__has_feature)
#define MARCHLAND_HAS_FEATURE(feature) __has_feature(feature)
#else
#define MARCHLAND_HAS_FEATURE(feature) 0
#endif

/// Under a sanitizer a test takes many times as long: properties play fewer cases there, and times
/// may be many times as long.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__) || \
    MARCHLAND_HAS_FEATURE(thread_sanitizer) || MARCHLAND_HAS_FEATURE(address_sanitizer)
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif

}  // namespace marchland::tests
