#pragma once

#include "tools/bots/director.h"
#include "tools/bots/poller.h"
#include "tools/bots/processes.h"
#include "tools/bots/referee.h"
#include "tools/bots/report.h"
#include "tools/bots/server_watch.h"
#include "tools/bots/swarm.h"
#include "tools/bots/zone.h"
#include "tools/process/stop_signals.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace marchland::bots {

/// One run, from the first player's join to the last one's leave, on the calling thread.
///
///   joining   until the director says that all are there: figures do not count yet
///   quiet     the first phase, where the director has some: figures of each are kept apart
///   measured  for `duration`, or until a signal, or until nobody is left
///   farewell  all leave, and what they are sent on the way is still checked
class Run {
public:
    /// All of these outlive it; `duration` of 0 sets no limit.
    struct Parts {
        Director& director;
        Swarm& swarm;
        Referee& referee;
        Poller& poller;
        process::StopSignals& signals;
        ServerWatch* server = nullptr;  ///< null: nobody asks the server how it is
        std::uint16_t server_port = 0;  ///< whose kernel queues are looked at, where some are slow
        Together* together = nullptr;   ///< null: nobody plays beside this process
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
        std::size_t server_samples = 0;
    };

    [[nodiscard]] Reading read() const;
    [[nodiscard]] bool is_over(Instant now) const;
    void serve();
    void begin_measuring();
    [[nodiscard]] std::optional<Report::Server> server_since(const Reading& begin) const;
    void end_phase();
    void next_phase();
    void ask_server_at_last();
    void each_second(Instant now);
    void print_status(Instant now);
    void add_point(const Reading& now, const LatencyHistogram& latency);
    [[nodiscard]] bool can_begin();
    /// Its newest answer; null before the first one.
    [[nodiscard]] const ServerSample* newest_sample() const {
        return parts_.server == nullptr || parts_.server->samples().empty()
                   ? nullptr
                   : &parts_.server->samples().back();
    }
    void say_farewell();
    [[nodiscard]] Report sum_up(const Reading& end);

    const Parts parts_;
    const Clock::duration duration_;
    const Instant start_;
    std::optional<Reading> measured_from_;
    Report report_;                       ///< its points so far
    std::optional<Instant> points_from_;  ///< all that is measured, a calm included
    Reading last_status_;
    Instant next_second_;
    Instant last_served_;
    double player_seconds_ = 0;
    std::size_t unsent_bytes_max_ = 0;
    std::vector<Report::Phase> phases_;  ///< the last one is not over yet
    Reading phase_from_;
    Director::Abuse phase_abuse_;  ///< until it began
    int signals_taken_ = 0;
};

}  // namespace marchland::bots
