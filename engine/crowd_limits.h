#pragma once

#include <cstdint>

namespace marchland::engine {

/// What a watcher in a crowd is spared. Each limit holds for each watcher by itself, is off unless
/// it is set, and what it leaves out depends on exact positions and on what the watcher was told,
/// never on how the map is cut. docs/visibility.md defines them, under "In a crowd".
struct CrowdLimits {
    /// The cap: of all that a watcher could see, it sees this many, the nearest. 0: no cap.
    std::uint32_t visible_max = 0;
    /// One that is seen already counts as so much nearer, in percent of its distance: whoever is to
    /// take its place must be nearer than that. Higher: less flicker at the edge of the crowd, and
    /// seen ones that are further away than some unseen one.
    std::uint32_t sticky_percent = 20;

    [[nodiscard]] bool has_cap() const { return visible_max != 0; }
    [[nodiscard]] bool is_any_set() const { return has_cap(); }

    friend bool operator==(const CrowdLimits&, const CrowdLimits&) = default;
};

/// At 100, all that are seen would be at distance 0, and no longer nearest first.
inline constexpr std::uint32_t kStickyPercentMax = 90;

/// What is wrong with the limits, as a clause for an error text; nullptr when they are sound.
const char* flaw_of(const CrowdLimits& limits);

}  // namespace marchland::engine
