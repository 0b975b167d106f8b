#include "shards/tick_clock.h"

#include "engine/assert.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace marchland::shards {
namespace {

using std::chrono::nanoseconds;

/// How many ticks are looked at before the scale is considered again.
constexpr std::size_t kWindowTicks = 8;
/// Ticks are made so long that this percentage of them is work.
constexpr std::int64_t kLoadPercent = 85;
/// How much faster time may run from one look to the next: what slowed it down may come back.
constexpr std::uint32_t kRecoveryPercent = 10;
/// A change smaller than this is not worth reporting.
constexpr std::uint32_t kStepPercent = 3;
/// An overloaded zone lowers budgets no further: any message fits.
constexpr std::uint32_t kLoweredBytesMin = 2'048;
/// So long nothing else helps before nobody joins any more.
constexpr std::size_t kWindowsUntilClosed = 8;
/// A step that is taken again so soon after it was undone was undone too soon.
constexpr std::size_t kSwingWindows = 4;
/// So long a step stays at most before it is tried without: half a minute at 20 ticks a second.
constexpr std::size_t kStepWindowsMax = 64;
/// Stretches that late shards may still ask about.
constexpr std::size_t kStretchesMax = 16;

}  // namespace

std::vector<Pace> overload_steps(const engine::CrowdLimits& crowd) {
    std::vector<Pace> steps{{}};
    const auto add = [&steps](auto change) {
        steps.push_back(steps.back());
        change(steps.back());
    };
    for (std::uint32_t times = 2; crowd.has_rings() && times <= engine::kRingSlowdownMax;
         times *= 2) {
        add([times](Pace& pace) { pace.ring_slowdown = times; });
    }
    if (crowd.has_budget()) {
        // No client's limit is as large as a frame for long: the first step is to spare something,
        // too.
        std::uint32_t bytes = crowd.frame_bytes_max / 4;
        for (int i = 0; i < 4 && bytes >= kLoweredBytesMin; ++i, bytes /= 2) {
            add([bytes](Pace& pace) { pace.frame_bytes_max = bytes; });
        }
        add([](Pace& pace) { pace.turn_ticks = kTurnTicksMax; });
    }
    return steps;
}

std::optional<Shed> shed_by(const Pace& before, const Pace& after) {
    if (before.is_open && !after.is_open) {
        return Shed::joins;
    }
    if (after.scale_percent < before.scale_percent) {
        return Shed::time;
    }
    if (after.turn_ticks > before.turn_ticks) {
        return Shed::turns;
    }
    if (after.frame_bytes_max != 0 &&
        (before.frame_bytes_max == 0 || after.frame_bytes_max < before.frame_bytes_max)) {
        return Shed::frame_bytes;
    }
    return after.ring_slowdown > before.ring_slowdown ? std::optional(Shed::rings) : std::nullopt;
}

std::string describe_change(const Pace& before, const Pace& after) {
    if (before.is_open != after.is_open) {
        return after.is_open ? "players may join again" : "nobody may join";
    }
    if (before.scale_percent != after.scale_percent) {
        return fmt::format("game time runs at {} % of real time", after.scale_percent);
    }
    if (before.turn_ticks != after.turn_ticks) {
        return after.turn_ticks == 1 ? "frames in every tick"
                                     : fmt::format("frames every {} ticks", after.turn_ticks);
    }
    if (before.frame_bytes_max != after.frame_bytes_max) {
        return after.frame_bytes_max == 0
                   ? "frames have their whole budget"
                   : fmt::format("frames of {} bytes at most", after.frame_bytes_max);
    }
    return fmt::format("update rings are {} times as slow as they are set", after.ring_slowdown);
}

TickClock::TickClock(Clock::time_point start, std::uint32_t rate_hz,
                     std::uint32_t scale_percent_min, std::vector<Pace> steps, std::uint32_t cores,
                     OnChange on_change, engine::Tick tick, std::uint64_t server_time_us)
    : time_zero_(start - std::chrono::microseconds(server_time_us)),
      rate_hz_(rate_hz),
      scale_percent_min_(scale_percent_min),
      steps_(std::move(steps)),
      cores_(cores),
      on_change_(std::move(on_change)) {
    MARCHLAND_ASSERT(cores > 0 && !steps_.empty());
    MARCHLAND_ASSERT(rate_hz > 0 && scale_percent_min > 0 && scale_percent_min <= 100);
    stretches_.push_back({tick, start, {}});
}

TickClock::Clock::time_point TickClock::due(engine::Tick tick) const {
    const std::lock_guard lock(mutex_);
    return due_in(stretch_of(tick), tick);
}

engine::Tick TickClock::due_at(Clock::time_point time) const {
    const std::lock_guard lock(mutex_);
    return due_at_locked(time);
}

std::uint64_t TickClock::server_time_us(engine::Tick tick) const {
    using std::chrono::microseconds;
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<microseconds>(due(tick) - time_zero_).count());
}

Pace TickClock::pace(engine::Tick tick) const {
    const std::lock_guard lock(mutex_);
    return stretch_of(tick).pace;
}

/// on_change is called under the mutex: two changes are reported in their order.
void TickClock::report(Clock::duration worked, Clock::duration on_core, std::size_t shards,
                       Clock::time_point now, bool is_too_much) {
    const std::lock_guard lock(mutex_);
    worked_ += worked;
    on_core_ += on_core;
    is_too_much_ = is_too_much_ || is_too_much;
    if (++reports_ < kWindowTicks * shards) {
        return;
    }
    const auto reports = static_cast<std::int64_t>(reports_);
    const auto of_all = on_core_ * static_cast<std::int64_t>(shards) / reports / cores_;
    const auto change = choose_pace(std::max<Clock::duration>(worked_ / reports, of_all), now);
    worked_ = Clock::duration{0};
    on_core_ = Clock::duration{0};
    reports_ = 0;
    is_too_much_ = false;
    if (change && on_change_) {
        on_change_(*change);
    }
}

const TickClock::Stretch& TickClock::stretch_of(engine::Tick tick) const {
    const auto later = std::find_if(stretches_.rbegin(), stretches_.rend(),
                                    [tick](const Stretch& s) { return s.first <= tick; });
    return later == stretches_.rend() ? stretches_.front() : *later;
}

TickClock::Clock::time_point TickClock::due_in(const Stretch& stretch, engine::Tick tick) const {
    const auto ticks = static_cast<std::int64_t>(tick) - static_cast<std::int64_t>(stretch.first);
    // In rounds of 100 s each, which take a whole number of ticks at any rate: no drift, and
    // nothing overflows. Within one it is multiplied before it is divided.
    const std::int64_t round = std::int64_t{rate_hz_} * stretch.pace.scale_percent;
    constexpr std::int64_t kRoundNs = 100'000'000'000;
    const std::int64_t ns = ticks / round * kRoundNs + ticks % round * kRoundNs / round;
    return stretch.at + nanoseconds(ns);
}

engine::Tick TickClock::due_at_locked(Clock::time_point time) const {
    const auto begun = std::find_if(stretches_.rbegin(), stretches_.rend(),
                                    [time](const Stretch& s) { return s.at <= time; });
    if (begun == stretches_.rend()) {
        return stretches_.front().first;
    }
    const auto since = std::chrono::duration_cast<nanoseconds>(time - begun->at).count();
    const double ticks_a_ns = rate_hz_ * begun->pace.scale_percent / 100e9;
    const auto ticks = static_cast<std::int64_t>(static_cast<double>(since) * ticks_a_ns);
    engine::Tick tick =
        begun->first + static_cast<engine::Tick>(std::max<std::int64_t>(ticks - 1, 0));
    // A guess, and one less: the exact answer is at most a few ticks away.
    while (due_in(stretch_of(tick + 1), tick + 1) <= time) {
        ++tick;
    }
    return tick;
}

/// Of what helps against too much work, the mildest first; of what was done, the worst is undone
/// first.
Pace TickClock::pace_for(Pace current, std::int64_t mean_ns, bool is_too_much) const {
    const std::int64_t usual_ns = 1'000'000'000 / rate_hz_;
    const std::int64_t room_percent = usual_ns * kLoadPercent / mean_ns;
    if (current.scale_percent == 100 && current.is_open) {
        const auto step = std::ranges::find(steps_, current);
        MARCHLAND_ASSERT(step != steps_.end());
        if ((room_percent < 100 || is_too_much) && step + 1 != steps_.end()) {
            return *(step + 1);
        }
        // What a step saves is half of all, mostly.
        if (room_percent >= 200 && !is_too_much && step != steps_.begin() &&
            windows_at_step_ >= windows_until_undone_) {
            return *(step - 1);
        }
    }
    if (!current.is_open || windows_at_end_ >= kWindowsUntilClosed) {
        current.is_open = room_percent >= scale_percent_min_ + kRecoveryPercent;
        return current;
    }
    const auto wanted =
        static_cast<std::uint32_t>(std::clamp<std::int64_t>(room_percent, scale_percent_min_, 100));
    const std::uint32_t next = std::min(wanted, current.scale_percent + kRecoveryPercent);
    const bool is_end = next == 100 || next == scale_percent_min_;
    const std::uint32_t change =
        next > current.scale_percent ? next - current.scale_percent : current.scale_percent - next;
    if (change >= kStepPercent || is_end) {
        current.scale_percent = next;
    }
    return current;
}

/// A step that is needed again as soon as it is undone stays twice as long, each time: under a
/// steady load that one step more or less decides about, all would swing from window to window.
void TickClock::note_step(const Pace& before, const Pace& after) {
    const auto place = [this](const Pace& pace) { return std::ranges::find(steps_, pace); };
    if (place(before) == steps_.end() || place(after) == steps_.end()) {
        return;  // game time's, which goes back by and by
    }
    const bool is_undone = place(after) < place(before);
    const bool was_undone = std::exchange(has_undone_last_, is_undone);
    windows_at_step_ = 0;
    if (is_undone) {
        windows_since_undone_ = 0;
    } else if (was_undone && windows_since_undone_ <= kSwingWindows) {
        windows_until_undone_ = std::min(2 * windows_until_undone_, kStepWindowsMax);
    } else if (windows_since_undone_ > kStepWindowsMax) {
        windows_until_undone_ = 1;
    }
}

std::optional<TickClock::Change> TickClock::choose_pace(Clock::duration mean,
                                                        Clock::time_point now) {
    const std::int64_t mean_ns =
        std::max<std::int64_t>(std::chrono::duration_cast<nanoseconds>(mean).count(), 1);
    const Pace current = stretches_.back().pace;
    Pace last_step = steps_.back();
    last_step.scale_percent = scale_percent_min_;
    const bool is_at_end =
        current == last_step && mean_ns * rate_hz_ / 10'000'000 * scale_percent_min_ > 100 * 100;
    windows_at_end_ = is_at_end ? windows_at_end_ + 1 : 0;
    ++windows_at_step_;
    ++windows_since_undone_;
    const Pace next = pace_for(current, mean_ns, is_too_much_);
    if (next == current) {
        return std::nullopt;
    }
    // Shards may have begun the tick that is due, and wait for the next one already.
    const engine::Tick first = due_at_locked(now) + 2;
    if (first <= stretches_.back().first) {
        return std::nullopt;
    }
    stretches_.push_back({first, due_in(stretches_.back(), first), next});
    note_step(current, next);
    if (stretches_.size() > kStretchesMax) {
        stretches_.erase(stretches_.begin());
    }
    return Change{current, next};
}

}  // namespace marchland::shards
