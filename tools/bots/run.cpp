#include "tools/bots/run.h"

#include "tools/process/resources.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <span>
#include <string>
#include <utility>
#include <sys/epoll.h>

namespace marchland::bots {
namespace {

using namespace std::chrono_literals;

// How finely a tick is cut into slices of sends: at 20 Hz one slice is a 25th of the players.
constexpr int kSliceMs = 2;
constexpr auto kStopMax = 6s;  // a little longer than a player waits for its own

double seconds(Clock::duration duration) {
    return std::chrono::duration<double>(duration).count();
}

/// The first one once the server had settled: five minutes on, or half of a shorter run.
const ServerSample& settled_of(std::span<const ServerSample> samples) {
    const auto wait = std::min<Clock::duration>((samples.back().at - samples.front().at) / 2, 5min);
    return *std::ranges::find_if(
        samples, [&](const ServerSample& it) { return it.at - samples.front().at >= wait; });
}

}  // namespace

Run::Run(const Parts& parts, Clock::duration duration)
    : parts_(parts),
      duration_(duration),
      start_(Clock::now()),
      last_status_(read()),
      next_second_(start_ + 1s),
      last_served_(start_) {
    parts_.poller.add(parts_.signals.fd(), EPOLLIN, kSignalToken);
}

Report Run::play() {
    while (!is_over(Clock::now())) {
        parts_.director.advance(Clock::now(), parts_.swarm);
        parts_.swarm.start_waiting();
        serve();
        if (!measured_from_ && can_begin()) {
            begin_measuring();
        }
        if (measured_from_ && !phases_.empty() && phases_.back().name != parts_.director.phase()) {
            next_phase();
        }
    }
    ask_server_at_last();
    if (!phases_.empty()) {
        end_phase();
    }
    const Reading end = read();
    Report report = sum_up(end);
    say_farewell();
    parts_.referee.finish();

    report.fates = parts_.swarm.fates();
    report.violations = parts_.referee.violations().total();
    report.violations_by_kind = list_of_kinds(parts_.referee.violations());
    report.pairs_checked = parts_.referee.truth().pairs_checked();
    report.positions_checked = parts_.referee.truth().positions_checked();
    report.shown_error_mm_max = parts_.referee.truth().error_mm_max();
    return report;
}

/// Are all there? All of the other processes' players, too.
bool Run::can_begin() {
    if (!parts_.director.is_complete(parts_.swarm)) {
        return false;
    }
    return parts_.together == nullptr || parts_.together->has_begun();
}

bool Run::is_over(Instant now) const {
    const bool is_time_up = duration_ > Clock::duration::zero() && measured_from_ &&
                            now - measured_from_->at >= duration_;
    const bool is_deserted = !parts_.director.has_more_to_join() && parts_.swarm.present() == 0;
    return signals_taken_ > 0 || is_time_up || is_deserted;
}

void Run::serve() {
    for (const epoll_event& event : parts_.poller.wait(kSliceMs)) {
        if (event.data.u64 == kSignalToken) {
            signals_taken_ += parts_.signals.take() != 0 ? 1 : 0;
        } else {
            parts_.swarm.on_event(static_cast<PlayerIndex>(event.data.u64), event.events);
        }
    }
    const Instant now = Clock::now();
    if (parts_.server != nullptr) {
        parts_.server->advance(now);
    }
    if (measured_from_) {
        player_seconds_ +=
            seconds(now - last_served_) * static_cast<double>(parts_.swarm.playing());
    }
    last_served_ = now;
    if (now >= next_second_) {
        each_second(now);
    }
}

void Run::begin_measuring() {
    measured_from_ = read();
    points_from_ = measured_from_->at;
    last_status_ = *measured_from_;
    parts_.referee.recent_latency().clear();
    parts_.referee.measure_anew();
    if (!parts_.director.phase().empty()) {
        phase_from_ = *measured_from_;
        phases_.push_back({parts_.director.phase()});
    }
    if (parts_.server != nullptr) {
        parts_.server->hurry();
    }
}

void Run::end_phase() {
    Report::Phase& phase = phases_.back();
    const Reading now = read();
    phase.seconds = seconds(now.at - phase_from_.at);
    const Traffic traffic = now.traffic - phase_from_.traffic;
    const double player_seconds =
        phase.seconds *
        static_cast<double>(parts_.swarm.playing() - parts_.director.slow().players);
    if (player_seconds > 0) {
        phase.frames_per_player_per_second =
            static_cast<double>(traffic.frames - traffic.slow_frames) / player_seconds;
    }
    phase.latency.add(parts_.referee.recent_latency());
    parts_.referee.recent_latency().clear();
    const Director::Abuse abuse = parts_.director.abuse();
    phase.abuse = {abuse.connections - phase_abuse_.connections,
                   abuse.closed_by_server - phase_abuse_.closed_by_server};
    if (const ServerSample* const newest = newest_sample()) {
        phase.resident_bytes = newest->resident_bytes;
    }
    phase_from_ = now;
    phase_abuse_ = abuse;
}

void Run::next_phase() {
    end_phase();
    if (phases_.size() == 1) {  // what comes from now on is what the run is for
        measured_from_ = phase_from_;
        player_seconds_ = 0;
        parts_.referee.measure_anew();
    }
    phases_.push_back({parts_.director.phase()});
}

/// One sample more, so that there is one of the end.
void Run::ask_server_at_last() {
    if (parts_.server == nullptr) {
        return;
    }
    const std::uint64_t before = parts_.server->answers() + parts_.server->failures();
    parts_.server->hurry();
    while (parts_.server->answers() + parts_.server->failures() == before) {
        serve();
    }
}

std::optional<Report::Server> Run::server_since(const Reading& begin) const {
    if (parts_.server == nullptr || parts_.server->samples().size() <= begin.server_samples) {
        return std::nullopt;
    }
    const auto& samples = parts_.server->samples();
    const ServerSample& first = samples[begin.server_samples];
    const ServerSample& last = samples.back();
    const ServerSample& settled = settled_of(std::span(samples).subspan(begin.server_samples));
    Report::Server server;
    server.resident_bytes_first = first.resident_bytes;
    server.resident_bytes_last = last.resident_bytes;
    server.resident_bytes_settled = settled.resident_bytes;
    server.seconds_settled = seconds(last.at - settled.at);
    server.cpu_seconds = last.cpu_seconds - first.cpu_seconds;
    server.seconds_between = seconds(last.at - first.at);
    server.failures = parts_.server->failures();
    for (const ServerSample& sample : samples) {
        server.resident_bytes_max = std::max(server.resident_bytes_max, sample.resident_bytes);
    }
    return server;
}

void Run::each_second(Instant now) {
    parts_.swarm.sweep();
    if (parts_.director.slow().players > 0) {
        unsent_bytes_max_ = std::max(unsent_bytes_max_, unsent_bytes_max_at(parts_.server_port));
    }
    print_status(now);
    next_second_ = now + 1s;
}

void Run::print_status(Instant now) {
    const Reading reading = read();
    const Traffic traffic = reading.traffic - last_status_.traffic;
    const double elapsed = seconds(reading.at - last_status_.at);
    LatencyHistogram& latency = parts_.referee.recent_latency();
    const Swarm& swarm = parts_.swarm;
    const ServerSample* const server = newest_sample();
    const std::string memory =
        server == nullptr ? "" : fmt::format("  server {:.1f} MiB", mib(server->resident_bytes));
    fmt::print(stderr,
               "{}{:4.0f} s  players {} (+{} joining, {} lost)  frames {:.0f}/s  updates {:.0f}/s  "
               "down {:.2f} MB/s  latency p50 {:.0f} p99 {:.0f} max {:.0f} ms  checked {} pairs  "
               "violations {}  cpu {:.0f} %{}{}{}\n",
               parts_.together != nullptr ? parts_.together->title() : "", seconds(now - start_),
               swarm.playing(), swarm.joining(), swarm.fates().lost(),
               static_cast<double>(traffic.frames) / elapsed,
               static_cast<double>(traffic.updates()) / elapsed,
               static_cast<double>(traffic.bytes_in) / elapsed / 1e6,
               in_ms(latency.quantile_us(0.5)), in_ms(latency.quantile_us(0.99)),
               in_ms(latency.max_us()), parts_.referee.truth().pairs_checked(),
               parts_.referee.violations().total(),
               100.0 * (reading.cpu_seconds - last_status_.cpu_seconds) / elapsed, memory,
               parts_.director.phase().empty() ? "" : "  ", parts_.director.phase());
    if (!phases_.empty()) {
        phases_.back().latency.add(latency);
    }
    if (points_from_) {
        add_point(reading, latency);
    }
    latency.clear();
    last_status_ = reading;
}

void Run::add_point(const Reading& now, const LatencyHistogram& latency) {
    Report::Point point{seconds(now.at - *points_from_), seconds(now.at - last_status_.at),
                        parts_.swarm.playing(), now.traffic - last_status_.traffic, latency};
    if (const ServerSample* const newest = newest_sample()) {
        point.tick_max_s = newest->tick_max_seconds;
        point.resident_bytes = newest->resident_bytes;
    }
    report_.add(std::move(point));
}

void Run::say_farewell() {
    const int signals_before = signals_taken_;
    const Instant deadline = Clock::now() + kStopMax;
    parts_.swarm.leave_all();
    while (parts_.swarm.present() > 0 && Clock::now() < deadline &&
           signals_taken_ == signals_before) {
        parts_.swarm.start_waiting();
        serve();
    }
    parts_.swarm.close_all();
}

Run::Reading Run::read() const {
    return {Clock::now(), process::consumption().cpu_s, parts_.referee.traffic(),
            parts_.director.late_steps(),
            parts_.server != nullptr ? parts_.server->samples().size() : 0};
}

Report Run::sum_up(const Reading& end) {
    const Reading& begin = measured_from_ ? *measured_from_ : end;
    Report report = std::move(report_);
    report.seconds = seconds(end.at - begin.at);
    report.player_seconds = player_seconds_;
    report.cpu_seconds = end.cpu_seconds - begin.cpu_seconds;
    report.traffic = end.traffic - begin.traffic;
    report.late_steps = end.late_steps - begin.late_steps;
    report.latency = parts_.referee.latency();
    report.server = server_since(begin);
    report.abuse = parts_.director.abuse();
    report.phases = phases_;
    if (const Director::Slow slow = parts_.director.slow(); slow.players > 0) {
        report.slow = Report::Slow{slow.players, slow.stalls, unsent_bytes_max_};
    }
    return report;
}

}  // namespace marchland::bots
