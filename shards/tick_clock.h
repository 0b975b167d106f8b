#pragma once

#include "engine/frame/crowd_limits.h"
#include "engine/ids.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace marchland::shards {

/// How a tick is run when there may be more to do than fits into it.
struct Pace {
    std::uint32_t scale_percent = 100;  ///< of real time, at which game time runs
    std::uint32_t ring_slowdown = 1;    ///< engine::InterestSystem::slow_rings
    std::uint32_t frame_bytes_max = 0;  ///< engine::InterestSystem::lower_budgets
    std::uint32_t turn_ticks = 1;       ///< a watcher's turn for a frame comes every so many ticks
    bool is_open = true;                ///< to those who want to join

    friend bool operator==(const Pace&, const Pace&) = default;
};

/// Pace::turn_ticks is no more, however overloaded the zone is.
inline constexpr std::uint32_t kTurnTicksMax = 2;

/// What an overloaded zone saves before it slows time down, one step after the other, the mildest
/// first: rings twice as slow, then four times; budgets a quarter of what is set, then half of that
/// three times; frames every second tick. Without rings the first two are left out, without a
/// budget all others. The first is the usual pace.
std::vector<Pace> overload_steps(const engine::CrowdLimits& crowd);

/// What an overloaded zone saves at, in the order of the steps.
enum class Shed : std::uint8_t { rings, frame_bytes, turns, time, joins };
inline constexpr std::array<const char*, 5> kShedNames{"rings", "frame_bytes", "turns", "time",
                                                       "joins"};

/// What a change from one pace to the next begins to save at, or saves more; nothing: it gives
/// back.
std::optional<Shed> shed_by(const Pace& before, const Pace& after);

/// What a change from one pace to the next saves or gives back, for the log.
std::string describe_change(const Pace& before, const Pace& after);

/// When is a tick due? Tick t at start + t / rate, without drift; unless the whole zone has more to
/// do than fits into a tick. Then ticks stretch (time dilation): game time runs at some percent of
/// real time, every tick is still run, and clients are sent the scale. It recovers as soon as there
/// is room.
///
///    real time   |--|--|--|----|----|----|---|--|--|
///    scale         100      ^ 50        ^ 90  100        all shards change with the same tick
///
/// Before that the overload_steps are taken, and after it, where time is as slow as it may be and
/// there is still too much to do, nobody joins any more. All is taken back in the reverse order.
///
/// What counts is the mean of all shards: one that is overloaded while the others idle does not
/// slow the zone down (contract point 6), it is late alone. And all of them together, where they
/// have fewer cores than they are: a tick is no shorter than its work on all cores.
///
/// Threads  Any: a mutex guards the schedule, since shards ask and report at any time. They do so
///          some five times a tick.
class TickClock {
public:
    using Clock = std::chrono::steady_clock;

    struct Change {
        Pace before;
        Pace after;
    };
    using OnChange = std::function<void(const Change&)>;

    /// Ticks never become longer than 100 / scale_percent_min of their usual length: 100 is off.
    /// `steps`: before that, at least one. `cores`: that all shards' threads share, 1 or more.
    /// `on_change`: called for each, one after the other, by whoever reports; it must not ask the
    /// clock. `tick`: due at the start, which is server time `server_time_us`.
    TickClock(Clock::time_point start, std::uint32_t rate_hz, std::uint32_t scale_percent_min,
              std::vector<Pace> steps, std::uint32_t cores, OnChange on_change = nullptr,
              engine::Tick tick = engine::kNever, std::uint64_t server_time_us = 0);

    [[nodiscard]] Clock::time_point due(engine::Tick tick) const;
    /// The newest tick that is due.
    [[nodiscard]] engine::Tick due_at(Clock::time_point time) const;
    /// How this tick is run; the same for all shards.
    [[nodiscard]] Pace pace(engine::Tick tick) const;
    /// When the tick is due, since server time 0.
    [[nodiscard]] std::uint64_t server_time_us(engine::Tick tick) const;

    /// One of `shards` worked so long in one tick, waits left out, and had a core for so long of
    /// it. `is_too_much`: of what it sent, whatever the time. on_change is called with what
    /// follows.
    void report(Clock::duration worked, Clock::duration on_core, std::size_t shards,
                Clock::time_point now, bool is_too_much = false);

private:
    /// From tick `first` on, which is due at `at`.
    struct Stretch {
        engine::Tick first = 0;
        Clock::time_point at;
        Pace pace;
    };

    [[nodiscard]] const Stretch& stretch_of(engine::Tick tick) const;
    [[nodiscard]] Clock::time_point due_in(const Stretch& stretch, engine::Tick tick) const;
    [[nodiscard]] engine::Tick due_at_locked(Clock::time_point time) const;
    void note_step(const Pace& before, const Pace& after);
    [[nodiscard]] Pace pace_for(Pace current, std::int64_t mean_ns, bool is_too_much) const;
    [[nodiscard]] std::optional<Change> choose_pace(Clock::duration mean, Clock::time_point now);

    const Clock::time_point time_zero_;
    const std::uint32_t rate_hz_;
    const std::uint32_t scale_percent_min_;
    const std::vector<Pace> steps_;
    const std::uint32_t cores_;
    const OnChange on_change_;

    mutable std::mutex mutex_;
    // Guarded by mutex_.
    std::vector<Stretch> stretches_;  ///< the newest last; few, and at least one
    Clock::duration worked_{0};       ///< since the pace was considered last
    Clock::duration on_core_{0};      ///< likewise
    std::size_t reports_ = 0;
    bool is_too_much_ = false;  ///< likewise
    // Against swinging: what a step saves may be just what makes it seem needless.
    std::size_t windows_at_step_ = 0;
    std::size_t windows_since_undone_ = std::numeric_limits<std::uint32_t>::max();  ///< never
    bool has_undone_last_ = false;
    std::size_t windows_until_undone_ = 1;  ///< so long a step is taken at least
    /// In a row, in which all steps were taken and were not enough.
    std::size_t windows_at_end_ = 0;
};

}  // namespace marchland::shards
