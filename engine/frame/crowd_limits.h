#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace marchland::engine {

/// Beyond this distance from the watcher, moves are sent every so many ticks.
struct UpdateRing {
    std::int32_t beyond_mm = 0;
    std::uint32_t every_ticks = 0;  ///< 0: there is no such ring

    friend bool operator==(const UpdateRing&, const UpdateRing&) = default;
};
inline constexpr std::size_t kUpdateRingsMax = 4;
inline constexpr std::uint32_t kRingTicksMax = 256;
/// Rings are never slower than so many times what they are set to: InterestSystem::slow_rings.
inline constexpr std::uint32_t kRingSlowdownMax = 4;
inline constexpr std::uint32_t kStaleTicksMax = 10'000;

/// What a watcher in a crowd is spared. Each limit holds for each watcher by itself, is off unless
/// it is set, and what it leaves out depends on exact positions and on what the watcher was sent,
/// never on how the map is cut. docs/visibility.md defines them, under "In a crowd".
struct CrowdLimits {
    /// The cap: of all that a watcher could see, it sees this many, the nearest. 0: no cap.
    std::uint32_t visible_max = 0;
    /// One that is seen already counts as so much nearer, in percent of its distance: whoever is to
    /// take its place must be nearer than that. Higher: less flicker at the edge of the crowd, and
    /// seen ones that are further away than some unseen one.
    std::uint32_t sticky_percent = 20;

    /// The rings, from the inside out; within the first one every tick sends its moves. Those that
    /// are not wanted stand at the end. Each is wider and slower than the one before.
    std::array<UpdateRing, kUpdateRingsMax> rings{};

    /// The budget: a frame ends with the item that uses up so many bytes, by the model in
    /// frame_limits.h; the rest waits. More than kFrameBytesMin, which is a frame with nothing in
    /// it. 0: no budget.
    std::uint32_t frame_bytes_max = 0;
    /// With a budget: a move that has waited so long goes before all but leaves. At least as long
    /// as the slowest ring waits. Lower: fresher, and states and new entities wait longer.
    std::uint32_t stale_ticks_max = 40;
    static constexpr std::uint32_t kFrameBytesMin = 64;
    /// With a budget: what a watcher is sent for each tick that passes, by the same model. What it
    /// did not use adds up, to frame_bytes_max. 0: no such limit.
    std::uint32_t watcher_bytes_per_tick = 0;

    [[nodiscard]] bool has_cap() const { return visible_max != 0; }
    [[nodiscard]] bool has_rings() const { return rings.front().every_ticks != 0; }
    [[nodiscard]] bool has_budget() const { return frame_bytes_max != 0; }
    [[nodiscard]] bool is_any_set() const { return has_cap() || has_rings() || has_budget(); }

    friend bool operator==(const CrowdLimits&, const CrowdLimits&) = default;
};

/// See InterestSystem: further is a teleport's, not a prediction's.
inline constexpr std::int32_t kPredictionErrorMaxMm = 10'000;

/// At 100, all that are seen would be at distance 0, and no longer nearest first.
inline constexpr std::uint32_t kStickyPercentMax = 90;

/// What is wrong with the limits, as a clause for an error text; nullptr when they are sound.
const char* flaw_of(const CrowdLimits& limits);

}  // namespace marchland::engine
