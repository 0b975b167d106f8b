#pragma once

#include "tools/bots/clock.h"
#include "tools/bots/director.h"
#include "tools/bots/poller.h"
#include "tools/bots/referee.h"
#include "tools/bots/report.h"
#include "tools/bots/swarm.h"
#include "tools/process/stop_signals.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace marchland::bots {

/// One run, from the first player's join to the last one's leave, on the calling thread.
///
///   joining   until the director says that all are there: figures do not count yet
///   measured  for `duration`, or until a signal, or until nobody is left
///   farewell  all leave, and what they are told on the way is still checked
class Run {
public:
    /// All of these outlive it; `duration` of 0 sets no limit.
    struct Parts {
        Director& director;
        Swarm& swarm;
        Referee& referee;
        Poller& poller;
        process::StopSignals& signals;
    };
    static constexpr Poller::Token kSignalToken = static_cast<Poller::Token>(-1);

    Run(const Parts& parts, Clock::duration duration);

    /// Plays the run; one status line a second goes to standard error. What the report says of the
    /// command line (players, play, seed) is left for the caller.
    Report play();

private:
    /// Readings at one moment, to be subtracted.
    struct Reading {
        Instant at;
        double cpu_seconds = 0;
        Traffic traffic;
        std::uint64_t late_steps = 0;
    };

    [[nodiscard]] Reading read() const;
    [[nodiscard]] bool is_over(Instant now) const;
    void serve();
    void begin_measuring();
    void each_second(Instant now);
    void print_status(Instant now);
    void say_farewell();
    [[nodiscard]] Report sum_up(const Reading& end) const;

    const Parts parts_;
    const Clock::duration duration_;
    const Instant start_;
    std::optional<Reading> measured_from_;
    Reading last_status_;
    Instant next_second_;
    Instant last_served_;
    double player_seconds_ = 0;
    int signals_taken_ = 0;
};

}  // namespace marchland::bots
